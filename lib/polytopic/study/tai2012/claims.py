"""What Tai & Lin (2012) claim, each judged by our stored results on the paper's sets but mediamill.

Models are compared partition by partition at each number of dimensions below all labels. A small M is one up to the
paper's M*, for the paper does not say what small is.
"""

from functools import partial

import pandas as pd

from polytopic.study import claims, store
from polytopic.study.claims import agree, cases, enter, page, so, sure
from polytopic.study.tai2012 import cube, experiments, tables
from polytopic.study.tai2012.experiments import RANKED, SETS
from polytopic.study.tai2012.protocol import PAPER_SETS, STARS

__all__ = ["page", "so"]
SPARSE, DENSE = ("delicious", "corel5k"), ("yeast", "emotions")  # as the paper parts them
LITTLE = 1.0  # percent of a loss: no more is not much of a difference
PLST_OVER_PBR, PLST_OVER_CS = tables.PAIRS
CS_OVER_PLST = PLST_OVER_CS[::-1]


def ahead(pairs, corpora=SETS, which=experiments.ridge, measure="hamming_loss", small=False, at=None):
    """Return the cases of the first of each pair being better, at each M, the small ones or ``at`` one alone."""
    results = tables.below_full(store.read(which, corpora))
    if small:
        results = results[results["n_dimensions"] <= results["corpus"].map(STARS)]
    if at is not None:
        results = results[results["n_dimensions"] == at]
    return [beats(results, *pair, measure, ["n_dimensions"]) for pair in pairs]


def beats(results, first, second, measure="hamming_loss", by=()):
    return claims.beats(
        results, first, second, ["corpus", *by], ["partition"], value=measure, measure=measure
    )


def against_full(corpora, which=experiments.ridge, best=False):
    """Return the cases of PLST beating full binary relevance, at M* or at its best M in hindsight."""
    results = store.read(which, corpora)
    table = tables.below_full(tables.means(results[results["model"] == "PLST"])).sort_values("mean")
    star = table.groupby("corpus")["n_dimensions"].first() if best else STARS
    return beats(tables.at_star(results, star), "PLST", "BR")


def one(corpora, case, value, holds):
    """Return a single case, of several corpora together."""
    return cases(pd.DataFrame([{"corpus": ", ".join(corpora), "scale": "paper"}]), case, value, holds)


def vertices_come_back():
    found = cube.returning(cube.landings(cube.cubes())).reset_index()
    return cases(found[["lesson"]], found["lesson"], found["back"], found["back"] == found["of"])


def label_set_sparsity():
    wide = store.read(experiments.statistics, SETS).pivot(index="corpus", columns="statistic", values="value")
    wide = wide.loc[list(SETS)].reset_index().assign(scale="paper")
    share, is_sparse = wide["largest_labelset"] / wide["labels"], wide["corpus"].isin(SPARSE)
    return cases(wide, "largest label set, share of labels", share, (share < 0.1) == is_sparse)


def fewer_dimensions_than_cs():
    """Up to which M each gets to within LITTLE of the smallest mean loss of CS; much smaller is half of it."""
    table = tables.below_full(tables.means(store.read(experiments.ridge, SPARSE)))
    best = table[table["model"] == "CS"].groupby("corpus")["mean"].min()
    good = table[table["mean"] <= table["corpus"].map(best) * (1 + LITTLE / 100)]
    fewest = good.groupby(["corpus", "model"])["n_dimensions"].min().unstack().reset_index()
    share = fewest["PLST"] / fewest["CS"]
    return cases(fewest.assign(scale="paper"), "M of PLST over M of CS", share, share <= 0.5)


def losses_in_print(models):
    table = tables.table_3(store.read(experiments.ridge, SETS)).assign(scale="paper")
    return agree(table[table["model"].isin(models) & (table["rows"] == "all")], "model")


def star_is_as_good():
    """The paper's rule: at its M* PLST and BR differ by no more than the sum of their standard errors."""
    table = tables.at_every_dimension(store.read(experiments.every_dimension, SETS)).assign(scale="paper")
    table = table[table["n_dimensions"] == table["corpus"].map(STARS)]
    gap, room = table["mean"] - table["full_mean"], table["standard_error"] + table["full_error"]
    return cases(table, "PLST less BR at the paper's M*", gap, gap.abs() <= room, -room, room)


def effort():
    table = (
        tables.table_4(store.read(experiments.times, SPARSE)).query("model == 'PLST'").assign(scale="paper")
    )
    said = table["corpus"].map({"delicious": 13, "corel5k": 4})
    for way in ("one by one", "jointly"):
        percent = 100 / table[f"saving, {way}"]
        yield cases(table, f"percent of BR's time, {way}", percent, percent.round() <= said)


def faster_than_cs(step):
    table = tables.table_4(store.read(experiments.times, SETS))
    seconds = table.pivot(index="corpus", columns="model", values=step).reset_index().assign(scale="paper")
    share = seconds["PLST"] / seconds["CS"]
    return cases(seconds, f"PLST's time over CS's in {step}", share, share < 1)


def a_tenth_ranks_as_well():
    """Decent is taken to be no worse than full binary relevance's."""
    table = tables.means(store.read(experiments.ridge, SPARSE[:1]), "misordered_pairs")
    table = table.set_index(["model", "n_dimensions"])["mean"]
    tenth, full = table["PLST", 100], table["PBR", 983]
    return one(SPARSE[:1], "PLST at 100 less BR", tenth - full, tenth <= full)


def beside_label_ranking(measure, case, holds):
    """Return the cases of calibrated label ranking's gain over PLST at its best M in hindsight."""
    results, ranking = store.read(experiments.ridge, RANKED), store.read(experiments.label_ranking, RANKED)
    table = tables.beside_label_ranking(results, ranking, (measure,)).assign(scale="paper")
    low, high = table["low"], table["high"]
    return cases(table, case, table["gain"], holds(low, high), low, high)


def not_always_better_in_f1():
    """One case: it holds if a rival is ahead anywhere."""
    table = tables.gains(store.read(experiments.ridge, SETS), measure="macro_f1")
    behind = int((table["ahead"] == -1).sum())
    return one(SETS, f"places where a rival is ahead: of {len(table)}", behind, behind > 0)


def cs_overtakes():
    """Large is the largest M measured below all labels."""
    for name in SPARSE:
        yield from ahead([CS_OVER_PLST], (name,), experiments.ideal, at=PAPER_SETS[name].dimensions[-2])


def cs_stays_behind():
    (found,) = ahead([CS_OVER_PLST], DENSE, experiments.ideal)
    return found.assign(holds=~found["holds"].fillna(False))


def encoding_error_bounds():
    results = store.read(experiments.ideal, SETS).dropna(subset="encoding_error")
    room = results.assign(room=results["encoding_error"] - results["hamming_loss"])
    table = room.groupby(["corpus", "model"])["room"].min().reset_index().assign(scale="paper")
    case = table["model"] + ": least room below the bound"
    return cases(table, case, table["room"], table["room"] >= -1e-7)


def encoding_error_explains():
    """A case a corpus: in how many percent of the M the smaller encoding error goes with the smaller loss."""
    results, by = store.read(experiments.ideal, SETS), ["corpus", "n_dimensions"]
    measures = ("encoding_error", "hamming_loss")
    error, loss = (tables.gains(results, [PLST_OVER_PBR], one).set_index(by)["gain"] for one in measures)
    alike = 100 * ((error > 0) == (loss > 0)).groupby("corpus", sort=False).mean()
    table = alike.reset_index(name="percent").assign(scale="paper")
    return cases(table, "percent of M with one order", table["percent"], table["percent"] == 100)


def references_matter_little():
    """A case a pair: the largest change of the mean loss on delicious, in percent of it, is at most LITTLE."""
    table = tables.gains(store.read(experiments.ridge, SPARSE[:1]), tables.REFERENCES)
    table["percent"] = 100 * table["gain"].abs() / table["second_mean"]
    worst = table.groupby(["corpus", "first", "second"])["percent"].max().reset_index().assign(scale="paper")
    percent, case = worst["percent"], worst["first"] + " for " + worst["second"]
    return cases(worst, case, percent, percent <= LITTLE)


CHECKS = {
    "vertices come back": vertices_come_back,
    "statistics of the sets": lambda: agree(
        tables.table_2(store.read(experiments.statistics, SETS)).assign(scale="paper"), "statistic"
    ),
    "label sets are sparse": label_set_sparsity,
    "PLST over PBR": lambda: ahead([PLST_OVER_PBR]),
    "PLST over CS on dense sets": lambda: ahead([PLST_OVER_CS], DENSE),
    "PLST over CS at small M": lambda: ahead([PLST_OVER_CS], SPARSE, small=True),
    "fewer dimensions than CS": fewer_dimensions_than_cs,
    "few directions on emotions": lambda: against_full(("emotions",)),
    "M5P at small M": lambda: ahead(tables.PAIRS, which=experiments.m5p, small=True),
    "M5P over all labels": lambda: against_full(SETS, experiments.m5p, best=True),
    "losses of BR and PLST": lambda: losses_in_print(["BR", "PLST"]),
    "losses of CS": lambda: losses_in_print(["CS"]),
    "no loss at M*": star_is_as_good,
    "PLST over CS at M*": lambda: beats(
        tables.at_star(store.read(experiments.ridge, SETS), STARS), "PLST", "CS"
    ),
    "effort saved": effort,
    "time saved in regression": partial(faster_than_cs, "regression, one by one"),
    "time saved in coding": partial(faster_than_cs, "coding"),
    "misordered pairs": lambda: ahead(tables.PAIRS, measure="misordered_pairs"),
    "a tenth on delicious": a_tenth_ranks_as_well,
    "label ranking by pairs": partial(
        beside_label_ranking, "misordered_pairs", "gain over PLST's best M", sure
    ),
    "label ranking by Hamming loss": partial(
        beside_label_ranking, "hamming_loss", "label ranking's gain", lambda low, high: low <= 0
    ),
    "macro AUC": lambda: ahead(tables.PAIRS, measure="macro_auc"),
    "macro F1": not_always_better_in_f1,
    "macro recall of CS": lambda: ahead([CS_OVER_PLST], SPARSE[:1], measure="macro_recall", at=300),
    "macro precision": lambda: ahead([PLST_OVER_CS], SPARSE[:1], measure="macro_precision"),
    "macro recall of PBR": lambda: ahead([PLST_OVER_PBR, ("CS", "PBR")], SPARSE[:1], measure="macro_recall"),
    "ideal, PLST over PBR": lambda: ahead([PLST_OVER_PBR], which=experiments.ideal),
    "ideal, CS at large M": cs_overtakes,
    "ideal, CS on dense sets": cs_stays_behind,
    "encoding error bounds": encoding_error_bounds,
    "encoding error explains": encoding_error_explains,
    "reference on sparse sets": references_matter_little,
    "mean on yeast": lambda: ahead(tables.REFERENCES[:2], DENSE[:1], small=True),
    "best vertex on yeast": lambda: ahead(tables.REFERENCES[2:], DENSE[:1]),
    "PLST over all improved": lambda: ahead(tables.IMPROVED),
    "PLST with the mean": lambda: ahead(tables.REFERENCES[:1]),
}
enter("tai2012", CHECKS)
