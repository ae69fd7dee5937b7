"""What Rubin et al. (2012) claim of their corpora, of what the models learn, and of inference and its costs.

The cases rest on stored results and benchmarks. Of the paper's power-law corpora the label sets of EUR-Lex are at
hand; for labels with texts stands debtags. Where ours is a single run, a difference decides nothing: it is open.
"""

import numpy as np
import pandas as pd

from polytopic.study import compare, corpora, speed, store
from polytopic.study.claims import agree, cases, enter, no_cases, page, sure
from polytopic.study.printed import beside, reported
from polytopic.study.rubin2012 import costs, documents, inference, topics, words

__all__ = ["page"]
YAHOO = ["yahoo_arts_rubin", "yahoo_health_rubin"]
LARGE = ["eurlex-labelsets", "eurlex-titles", "debtags"]  # real collections with hundreds of labels or more
HARDLY = 0.05  # share that "hardly any" or "rarely" may reach
FEW, MANY, CHOSEN = 100, 1000, 200  # topics: "too small", "too large", and the paper's choice
ORDER_OF_MAGNITUDE, PROPER = 10, inference.name_of(1000)  # the paper's number of label tokens
LEVEL = 0.05


def stored(which, make, *given):
    """Return a check: the cases that ``make`` takes from an experiment's stored results, none where nothing is."""

    def check():
        found = store.read(which)
        return make(found, *given) if len(found) else no_cases()

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


# Corpora


def surveyed(table, summary, on):
    """Return a summary of the surveys' tallies of some corpora, with their scale."""
    found = summary(corpora.surveyed(table))
    return found[found["corpus"].isin(on)].assign(scale=corpora.SCALE)


def printed_medians(statistic, ours):
    """Return a case for each median of section 1.1 that is printed of the Yahoo! sets."""
    theirs = reported("rubin2012", "section 1.1").query("statistic == @statistic and corpus in @YAHOO")
    ours = ours[["corpus", "scale", "median"]].rename(columns={"median": "mean"}).assign(se=0.0)
    return agree(beside(ours, theirs, ["corpus"]).assign(case=statistic.replace("_", " ")), "case")


def benchmarks_lack_rare_labels():
    found = surveyed("label_frequencies", corpora.rarity, YAHOO)
    rare = found["below 100"]
    yield printed_medians("median_label_frequency", found)
    yield cases(found, "share of labels below 100 documents", rare, rare <= HARDLY)


def large_collections_have_rare_labels():
    found = surveyed("label_frequencies", corpora.rarity, LARGE)
    return cases(found, "median label frequency", found["median"], found["median"] <= 12)


def labels_of_documents():
    yahoo, large = (surveyed("labels_per_document", corpora.crowding, on) for on in (YAHOO, LARGE))
    yield printed_medians("median_labels_per_document", yahoo)
    yield cases(large, "median labels per document", large["median"], large["median"].between(5, 12))


def statistics_of_yahoo():
    table = corpora.statistics_beside_paper(corpora.surveyed(), "rubin2012")
    table = table[table["corpus"].isin(YAHOO)]
    return agree(table.assign(scale=corpora.SCALE, allowed=np.nan), "statistic")


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


def between(found, first, second, column, sign):
    """Return a case for each measure: what one way of inference has over another in ``inference.settled``.

    sign is -1 where it is said to be less; it is 0 where a single run decides nothing.
    """
    ends = inference.settled(found).pivot(index=["corpus", "shown"], columns="inference", values=column)
    gain = (ends[first] - ends[second]).reset_index(name="gain")
    gain = gain.merge(found[["corpus", "scale"]].drop_duplicates("corpus"))
    holds = sign * gain["gain"] > 0 if sign else pd.NA
    return cases(gain, gain["shown"] + f", {first} less {second}", gain["gain"], holds)


def sweeps_cost_what_they_should():
    found = costs.exponents(speed.read("sweep_costs")).assign(corpus="synthetic", scale="full")
    case = "exponent less the order's, " + found["phase"] + " " + found["way"] + ", with " + found["against"]
    value, low, high = (found[name] - found["paper"] for name in ("exponent", "low", "high"))
    return cases(found, case, value, found["verdict"] != "faster", low, high)


says = {}
says["section 1.1, figure 1", "fig_01"] = {
    "The median label of Yahoo! Arts and Health has 530 and 500 documents, and hardly any has fewer than "
    "100.": benchmarks_lack_rare_labels,
    "In large real-world collections the vast majority of labels have very few documents: the median is 3 to "
    "12.": large_collections_have_rare_labels,
}
says["section 1.1, figure 2", "fig_02"] = {
    "Documents of Yahoo! Arts and Health have a median of 1 label, those of large collections of 5 to "
    "12.": labels_of_documents,
}
says["table 4", "table_04"] = {
    "The statistics of Yahoo! Arts and Health are those of the table.": statistics_of_yahoo,
}
says["section 1.2, figure 3", "fig_03"] = {
    "Of rare labels' top words fewer are those of the frequent labels beside them by Labeled-LDA than by an SVM, for "
    "it explains them away.": stored(words.kinds_of_words, lesser_share, "borrowed", words.SVM, words.COUNTS),
    "Of rare labels' top words fewer are peculiar to the training document by Labeled-LDA than by an "
    "SVM.": stored(words.kinds_of_words, lesser_share, "peculiar", words.SVM),
}
says["section 3.1, table 1", "table_01"] = {
    "A label's most probable words say what it is about: more have its name among them than by "
    "chance.": stored(words.names_among_words, words_name_their_label),
}
says["figure 5", "fig_05"] = {
    "Dependency-LDA ranks a document's rare label above where SVMs do, which learn a poor model of "
    "it.": stored(documents.documents, rare_label_of_a_document),
    "Prior-LDA finds more of a document's frequent labels than Flat-LDA, and Dependency-LDA than "
    "Prior-LDA.": stored(documents.documents, more_frequent_labels),
    "A document's rare label stays where it is as Prior-LDA and Dependency-LDA put the frequent ones "
    "right.": stored(documents.documents, rare_label_stays),
}
says["section 3.3, table 2", "table_02"] = {
    "Topics over labels gather labels that go together, in documents too that they were not learned "
    "from.": stored(topics.by_number, topics_gather_labels),
}
says["note 23", "note_23"] = {
    "With 100 topics or fewer, labels of fewer than 25 training documents rarely have a high "
    "probability.": stored(topics.by_number, rare_labels_are_rare),
    "With 1000 topics there is redundancy among them.": stored(
        topics.by_number, with_other_numbers, "repeated", MANY, 1
    ),
    "With 1000 topics some are over-specialised: only a few documents have labels on them.": stored(
        topics.by_number, with_other_numbers, "smallest_size", MANY, -1
    ),
}
says["section 3.5.1", "inference"] = {
    "A sweep of fast inference is well over an order of magnitude faster than one of proper inference with 1000 "
    "label tokens.": stored(inference.costs, fast_sweeps_are_cheaper),
    "Fast inference converges in fewer sweeps than proper inference with 1000 label tokens.": stored(
        inference.curves, between, inference.FAST, PROPER, "settled", -1
    ),
    "Fast inference predicts significantly better than proper inference with 1000 label tokens.": stored(
        inference.curves, between, inference.FAST, PROPER, "last", 0
    ),
}
says["section 3.5", "inference"] = {
    "Label tokens are a bottleneck, which more of them widen: 1000 predict better than 100.": stored(
        inference.curves, between, PROPER, inference.name_of(100), "last", 0
    ),
}
says["table 3", "table_03"] = {
    "A sweep costs no more than the table's orders: O(N_W N_C / D) and O(N_C T) in training, O(N_W C) and O(N_W (C + "
    "T)) in prediction.": sweeps_cost_what_they_should,
}

untested = {}
untested["the documents can't be had here; the label sets of 19,577 of EUR-Lex' 19,800 come close"] = {
    "The statistics of the New York Times, EUR-Lex and RCV1-v2 are those of the table.": "table 4",
}
untested["the collections can't be had here, and the paper fits no line"] = {
    "Label frequencies in the New York Times, EUR-Lex and OHSUMED fall along a line in log-log axes.": "figure 1",
}
enter("rubin2012", says, untested)
