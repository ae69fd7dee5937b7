"""What Rubin et al. (2012) claim of their corpora, of what the models learn, and of inference and its costs.

The cases rest on stored results and benchmarks. Of the paper's power-law corpora the label sets of EUR-Lex are at
hand; for labels with texts stands debtags. Where ours is a single run, a difference decides nothing: it is open.
"""

import pandas as pd

from polytopic.study import compare, store
from polytopic.study.claims import NO_CASES, cases, enter, kept, page, so, sure
from polytopic.study.rubin2012 import documents, inference, topics, words

__all__ = ["page", "so"]
HARDLY = 0.05  # share that "hardly any" or "rarely" may reach
FEW, MANY, CHOSEN = 100, 1000, 200  # topics: "too small", "too large", and the paper's choice
ORDER_OF_MAGNITUDE, PROPER = 10, inference.name_of(1000)  # the paper's number of label tokens
LEVEL = 0.05


def stored(which, make, *given):
    """Return a check: the cases that ``make`` takes from an experiment's stored results, none where nothing is."""

    def check():
        found = store.read(which)
        return make(found, *given) if len(found) else NO_CASES

    return check


def placed(table, found):
    """Return a table with the corpus and the scale of the first row of what was found."""
    return table.assign(corpus=found["corpus"].iloc[0], scale=found["scale"].iloc[0])


def mean_case(found, case, gains, sign=1):
    """Return the one case that the mean of gains over repetitions has the sign, by its 95 % interval."""
    frame = pd.DataFrame({"case": case, "repetition": range(len(gains)), "value": gains.to_numpy()})
    mean = placed(compare.means(frame, ["case"], ["repetition"]), found)
    low, high = mean["low"], mean["high"]
    return cases(mean, case, mean["mean"], sure(low, high) if sign > 0 else sure(-high, -low), low, high)


# Words of labels, and documents


def lesser_share(found, kind, *seconds):
    """Return a case for each other method: Labeled-LDA's share of a kind of top word said to be smaller."""
    compared = words.compared(found[found["of"] == words.BY_NUMBER], seconds=seconds)
    table = placed(compared[compared["kind"] == kind], found)
    case = f"share of {kind} words, " + table["first"] + " less " + table["second"]
    low, high = table["low"], table["high"]
    return cases(table, case, table["difference"], sure(-high, -low), low, high)


def words_name_their_label(found):
    rows = found[found["method"] == words.LDA]
    case = "labels of " + rows["low"].astype(str) + " to " + rows["high"].astype(str) + " training documents"
    return cases(rows, case, rows["named"] - rows["chance"], rows["named"] > rows["chance"])


def rare_label_of_a_document(found):
    table = documents.compared(found, [("Dependency-LDA", svm) for svm in ("Tuned SVM", "Vanilla SVM")])
    case = "share of documents with " + table["first"] + " above " + table["second"]
    holds = (table["above"] > table["below"]).astype("boolean").where(table["p"] < LEVEL)
    return cases(placed(table, found), case, table["above"] / table["documents"], holds)


def gained(found, column, case, *pairs):
    """Return a case for each pair of models: by how much a mean over documents is higher by the first."""
    wide = found.astype({column: float}).pivot(index="document", columns="model", values=column)
    told = {f"{case}, {first} over {second}": wide[first] - wide[second] for first, second in pairs}
    return pd.concat([mean_case(found, *one) for one in told.items()])


def more_frequent_labels(found):
    pairs = ("Prior-LDA", "Flat-LDA"), ("Dependency-LDA", "Prior-LDA")
    return gained(found, "frequent_found", "frequent labels among the first ten", *pairs)


def rare_label_stays(found):
    pairs = [(model, "Flat-LDA") for model in ("Prior-LDA", "Dependency-LDA")]
    lost = gained(found, "rare_found", "rare label among the first ten", *pairs)
    return lost.assign(holds=lost["high"] >= 0)


# Topics over labels


def with_other_numbers(found, column, first, sign):
    """Return a case: a measure said to be larger (sign 1) or smaller with ``first`` topics than with those chosen."""
    wide = found.pivot(index="chain", columns="n_topics", values=column)
    case = f"{column.replace('_', ' ')}, {first} topics less {CHOSEN}"
    return mean_case(found, case, wide[first] - wide[CHOSEN], sign)


def topics_gather_labels(found):
    chosen = found[found["n_topics"] == CHOSEN]
    return mean_case(chosen, "coherence less that of dealt labels", chosen["coherence"] - chosen["dealt"])


def rare_labels_are_rare(found):
    few = found[found["n_topics"] <= FEW]
    table = few.groupby(["n_topics", "corpus", "scale"])["rare_places"].mean().reset_index()
    case = "share of first ten places with " + table["n_topics"].astype(str) + " topics"
    yield cases(table, case, table["rare_places"], table["rare_places"] <= HARDLY)
    yield with_other_numbers(found, "rare_places", FEW, -1)


# Inference and costs


def fast_sweeps_are_cheaper(found):
    rows = found[found["inference"] == PROPER]
    times = rows["times_fast"]
    return cases(rows, f"times that a sweep of {PROPER} takes", times, times > ORDER_OF_MAGNITUDE)


def between(found, first, second, column, sign=1):
    """Return a case for each measure: what one way of inference has over another in ``inference.settled``.

    sign is -1 where it is said to be less. The interval is over repeats, of the same model and documents.
    """
    ends = [inference.settled(one).assign(repeat=repeat) for repeat, one in found.groupby("repeat")]
    table = pd.concat(ends, ignore_index=True)
    for shown, block in table.groupby("shown", sort=False):
        wide = block.pivot(index="repeat", columns="inference", values=column)
        yield mean_case(found, f"{shown}, {first} less {second}", wide[first] - wide[second], sign)


CORPORA = "rubin2012/fig_01-02-table_04"
CHECKS = {
    "benchmarks lack rare labels": lambda: kept(CORPORA)["benchmarks lack rare labels"],
    "large collections have rare labels": lambda: kept(CORPORA)["large collections have rare labels"],
    "labels of documents": lambda: kept(CORPORA)["labels of documents"],
    "statistics of Yahoo": lambda: kept(CORPORA)["statistics of Yahoo"],
    "borrowed words": stored(words.kinds_of_words, lesser_share, "borrowed", words.SVM, words.COUNTS),
    "peculiar words": stored(words.kinds_of_words, lesser_share, "peculiar", words.SVM),
    "words name their label": stored(words.names_among_words, words_name_their_label),
    "the rare label of a document": stored(documents.documents, rare_label_of_a_document),
    "more frequent labels": stored(documents.documents, more_frequent_labels),
    "the rare label stays": stored(documents.documents, rare_label_stays),
    "topics gather labels": stored(topics.by_number, topics_gather_labels),
    "rare labels are rare in topics": stored(topics.by_number, rare_labels_are_rare),
    "redundant topics": stored(topics.by_number, with_other_numbers, "repeated", MANY, 1),
    "over-specialised topics": stored(topics.by_number, with_other_numbers, "smallest_size", MANY, -1),
    "cheaper sweeps": stored(inference.costs, fast_sweeps_are_cheaper),
    "fewer sweeps": stored(inference.curves, between, inference.FAST, PROPER, "settled", -1),
    "better predictions": stored(inference.curves, between, inference.FAST, PROPER, "last"),
    "more label tokens": stored(inference.curves, between, PROPER, inference.name_of(100), "last"),
    "costs of a sweep": lambda: kept("rubin2012/table_03")["costs of a sweep"],
}
enter("rubin2012_descriptions", CHECKS)
