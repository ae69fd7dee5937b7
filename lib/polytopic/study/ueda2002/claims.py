"""What Ueda & Saito (2002) claim, judged on the stored trials of the corpora whose whole vocabulary is at hand."""

from functools import partial

from polytopic.study import store
from polytopic.study.claims import agree, beats, cases, enter, page, so
from polytopic.study.ueda2002 import tables
from polytopic.study.ueda2002.trials import trials

__all__ = ["page", "so"]

PMMS, BASELINES = ["PMM1", "PMM2"], ["NB", "SVM", "kNN", "NN"]
TENTH = 0.1  # "comparable" and "similar" are read as within a tenth of the other's F
HALF = 0.5  # "much faster" is read as in less than half the time


def rows(*sizes):
    found = tables.whole(store.read(trials))
    return found[found["size"].isin(sizes or tables.ITEMS)]


def better(first, second, *sizes):
    """Return a case for each corpus and number of pages, of F paired over the trials."""
    return beats(of_f(rows(*sizes)), first, second, ["corpus", "size"], ["trial"], of="method", measure="f1")


def of_f(found):
    return found[found["measure"] == "f1"]


def level(first, second, size):
    """Return a case for each corpus: the first's mean F less the second's, within a tenth of the latter."""
    wide = tables.means(rows(size)).pivot(index="corpus", columns="method", values="mean").reset_index()
    gap, room = wide[first] - wide[second], TENTH * wide[second]
    return cases(
        wide.assign(scale="paper"), f"{first} beside {second} {size}", gap, gap.abs() <= room, -room, room
    )


def as_in_print(item, methods):
    compared = tables.beside_paper(rows())
    compared = compared[(compared["item"] == item) & compared["method"].isin(methods)]
    return agree(compared.assign(scale="paper"), "method")


def faster():
    """Yield cases of medians over trials of the processor time for training on 2000 pages and predicting 3000."""
    found = rows(2000)
    times = found[found["measure"].isin(["fit_seconds", "test_seconds"])]
    unit = times.groupby(["corpus", "trial", "method"])["value"].sum()
    wide = unit.groupby(level=["corpus", "method"]).median().unstack("method").reset_index()
    for pmm in PMMS:
        for other in ("kNN", "NN"):
            share = wide[pmm] / wide[other]
            yield cases(wide.assign(scale="paper"), f"{pmm} beside {other}", share, share < HALF, 0.0, HALF)


CHECKS = {
    **{
        f"table {n} of {of}": partial(as_in_print, f"table {n}", methods)
        for n in (1, 2)
        for of, methods in (("PMMs", PMMS), ("baselines", BASELINES))
    },
    "PMMs over binary methods": lambda: better(PMMS, ["NB", "SVM"]),
    "SVM over NB": lambda: better("SVM", "NB"),
    "kNN level with NB": lambda: level("kNN", "NB", 2000),
    "faster": faster,
    "PMMs over SVM": lambda: better(PMMS, "SVM"),
    "kNN level with SVM": lambda: level("kNN", "SVM", 500),
    "PMMs over kNN": lambda: better(PMMS, "kNN"),
    "PMM1 over PMM2": lambda: better("PMM1", "PMM2"),
    "weight of positives": lambda: better("SVM", "SVM, untuned"),
}
enter("ueda2002", CHECKS)
