"""What Rubin et al. (2012) claim of their corpora, of what the models learn, and of inference and its costs.

The cases rest on stored results and benchmarks. Of the paper's power-law corpora the label sets of EUR-Lex are at
hand; for labels with texts stands debtags. Where ours is a single run, a difference decides nothing: it is open.
"""

import numpy as np
import pandas as pd

from polytopic.study import compare, corpora, speed, store
from polytopic.study.claims import agree, cases, claim, no_cases, page, untested
from polytopic.study.printed import beside, reported
from polytopic.study.rubin2012 import costs, documents, inference, topics, words

__all__ = ["page"]
YAHOO = ["yahoo_arts_rubin", "yahoo_health_rubin"]
LARGE = ["eurlex-labelsets", "eurlex-titles", "debtags"]  # real collections with hundreds of labels or more
HARDLY = 0.05  # share that "hardly any" or "rarely" may reach
FEW, MANY, CHOSEN = 100, 1000, 200  # topics: "too small", "too large", and the paper's choice
ORDER_OF_MAGNITUDE, PROPER = 10, inference.name_of(1000)  # the paper's number of label tokens
LEVEL = 0.05


def stated(found, rows_of):
    """Return the cases that ``rows_of`` makes of stored results, tuples (row, case, value, holds, low, high).

    The row has the case's corpus and scale; low and high may be left out. No cases where nothing is stored.
    """
    if found.empty:
        return no_cases()
    blank = (np.nan, np.nan)
    return cases(
        [
            (row.corpus, row.scale, case, value, *(bounds or blank), holds)
            for row, case, value, holds, *bounds in rows_of(found)
        ]
    )


def sure(low, high):
    """Return whether an interval says that a difference is above 0: missing where 0 is within."""
    return True if low > 0 else False if high < 0 else pd.NA


def mean_case(place, case, gains, sign=1):
    """Return the one case that the mean of gains over repetitions has the sign, by its 95 % interval."""
    frame = pd.DataFrame({"case": case, "repetition": range(len(gains)), "value": gains.to_numpy()})
    (mean,) = compare.means(frame, ["case"], ["repetition"]).itertuples()
    return place, case, mean.mean, sure(*sorted((sign * mean.low, sign * mean.high))), mean.low, mean.high


# Corpora


def surveyed(table, summary):
    """Return a summary of the surveys' tallies, with their scale."""
    return summary(corpora.surveyed(table)).assign(scale=corpora.SCALE)


def printed_medians(statistic, ours):
    """Return a case for each median of section 1.1 that is printed of the Yahoo! sets."""
    theirs = reported("rubin2012", "section 1.1").query("statistic == @statistic and corpus in @YAHOO")
    ours = ours.loc[ours["corpus"].isin(YAHOO), ["corpus", "scale", "median"]]
    table = beside(ours.rename(columns={"median": "mean"}).assign(se=0.0), theirs, ["corpus"])
    return agree(table.assign(case=statistic.replace("_", " ")), "case")


@claim("rubin2012", "The median label of Yahoo! Arts and Health has 530 and 500 documents, and hardly any has fewer "
       "than 100.", "section 1.1, figure 1", "rubin2012/fig_01")  # fmt: skip
def benchmarks_lack_rare_labels():
    found = surveyed("label_frequencies", corpora.rarity).rename(columns={"below 100": "rare"})
    rows = found[found["corpus"].isin(YAHOO)].itertuples()
    few = [(r, "share of labels below 100 documents", r.rare, r.rare <= HARDLY) for r in rows]
    return pd.concat([printed_medians("median_label_frequency", found), stated(found, lambda _: few)])


@claim("rubin2012", "In large real-world collections the vast majority of labels have very few documents: the median "
       "is 3 to 12.", "section 1.1, figure 1", "rubin2012/fig_01")  # fmt: skip
def large_collections_have_rare_labels():
    found = surveyed("label_frequencies", corpora.rarity)
    return stated(
        found[found["corpus"].isin(LARGE)],
        lambda table: [(r, "median label frequency", r.median, r.median <= 12) for r in table.itertuples()],
    )


@claim("rubin2012", "Documents of Yahoo! Arts and Health have a median of 1 label, those of large collections of 5 "
       "to 12.", "section 1.1, figure 2", "rubin2012/fig_02")  # fmt: skip
def labels_of_documents():
    found = surveyed("labels_per_document", corpora.crowding)
    rows = found[found["corpus"].isin(LARGE)].itertuples()
    large = [(r, "median labels per document", r.median, 5 <= r.median <= 12) for r in rows]
    return pd.concat([printed_medians("median_labels_per_document", found), stated(found, lambda _: large)])


@claim(
    "rubin2012",
    "The statistics of Yahoo! Arts and Health are those of the table.",
    "table 4",
    "rubin2012/table_04",
)
def statistics_of_yahoo():
    table = corpora.statistics_beside_paper(corpora.surveyed(), "rubin2012")
    table = table[table["corpus"].isin(YAHOO)]
    return agree(table.assign(scale=corpora.SCALE, allowed=np.nan), "statistic")


untested("rubin2012", "The statistics of the New York Times, EUR-Lex and RCV1-v2 are those of the table.", "table 4",
         "the documents can't be had here; the label sets of 19,577 of EUR-Lex' 19,800 come close")  # fmt: skip
untested("rubin2012", "Label frequencies in the New York Times, EUR-Lex and OHSUMED fall along a line in log-log "
         "axes.", "figure 1", "the collections can't be had here, and the paper fits no line")  # fmt: skip


# Words of labels, and documents


def lesser_share(kind, seconds):
    """Return a case for each other method: Labeled-LDA's share of a kind of top word said to be smaller."""
    shares = store.read(words.kinds_of_words)

    def rows_of(found):
        compared = words.compared(found[found["of"] == words.BY_NUMBER], seconds=seconds)
        for r in compared[compared["kind"] == kind].itertuples():
            case = f"share of {kind} words, {r.first} less {r.second}"
            yield found.iloc[0], case, r.difference, sure(-r.high, -r.low), r.low, r.high

    return stated(shares, rows_of)


@claim("rubin2012", "Of rare labels' top words fewer are those of the frequent labels beside them by Labeled-LDA "
       "than by an SVM, for it explains them away.", "section 1.2, figure 3", "rubin2012/fig_03")  # fmt: skip
def words_are_explained_away():
    return lesser_share("borrowed", (words.SVM, words.COUNTS))


@claim("rubin2012", "Of rare labels' top words fewer are peculiar to the training document by Labeled-LDA than by an "
       "SVM.", "section 1.2, figure 3", "rubin2012/fig_03")  # fmt: skip
def words_are_less_peculiar():
    return lesser_share("peculiar", (words.SVM,))


@claim("rubin2012", "A label's most probable words say what it is about: more have its name among them than by "
       "chance.", "section 3.1, table 1", "rubin2012/table_01")  # fmt: skip
def words_name_their_label():
    return stated(
        store.read(words.names_among_words),
        lambda found: [
            (r, f"labels of {r.low} to {r.high} training documents", r.named - r.chance, r.named > r.chance)
            for r in found[found["method"] == words.LDA].itertuples()
        ],
    )


@claim("rubin2012", "Dependency-LDA ranks a document's rare label above where SVMs do, which learn a poor model of "
       "it.", "figure 5", "rubin2012/fig_05")  # fmt: skip
def rare_label_of_a_document():
    pairs = [("Dependency-LDA", "Tuned SVM"), ("Dependency-LDA", "Vanilla SVM")]
    return stated(
        store.read(documents.documents),
        lambda found: [
            (found.iloc[0], f"share of documents with {r.first} above {r.second}", r.above / r.documents,
             r.above > r.below if r.p < LEVEL else pd.NA)
            for r in documents.compared(found, pairs).itertuples()
        ],
    )  # fmt: skip


def gained(pairs, column, case):
    """Return a case for each pair of models: by how much a mean over documents is higher by the first."""

    def rows_of(found):
        wide = found.astype({column: float}).pivot(index="document", columns="model", values=column)
        for first, second in pairs:
            yield mean_case(found.iloc[0], f"{case}, {first} over {second}", wide[first] - wide[second])

    return stated(store.read(documents.documents), rows_of)


@claim("rubin2012", "Prior-LDA finds more of a document's frequent labels than Flat-LDA, and Dependency-LDA than "
       "Prior-LDA.", "figure 5", "rubin2012/fig_05")  # fmt: skip
def frequent_labels_of_a_document():
    pairs = [("Prior-LDA", "Flat-LDA"), ("Dependency-LDA", "Prior-LDA")]
    return gained(pairs, "frequent_found", "frequent labels among the first ten")


@claim("rubin2012", "A document's rare label stays where it is as Prior-LDA and Dependency-LDA put the frequent ones "
       "right.", "figure 5", "rubin2012/fig_05")  # fmt: skip
def rare_label_stays():
    pairs = [("Prior-LDA", "Flat-LDA"), ("Dependency-LDA", "Flat-LDA")]
    found = gained(pairs, "rare_found", "rare label among the first ten")
    return found.assign(holds=found["high"] >= 0)


# Topics over labels


def with_other_numbers(column, first, second, sign):
    """Return a case: a measure said to be larger (sign 1) or smaller with ``first`` than with ``second`` topics."""

    def rows_of(found):
        wide = found.pivot(index="chain", columns="n_topics", values=column)
        case = f"{column.replace('_', ' ')}, {first} topics less {second}"
        yield mean_case(found.iloc[0], case, wide[first] - wide[second], sign)

    return stated(store.read(topics.by_number), rows_of)


@claim("rubin2012", "Topics over labels gather labels that go together, in documents too that they were not learned "
       "from.", "section 3.3, table 2", "rubin2012/table_02")  # fmt: skip
def topics_gather_labels():
    def rows_of(found):
        chosen = found[found["n_topics"] == CHOSEN]
        yield mean_case(
            chosen.iloc[0], "coherence less that of dealt labels", chosen["coherence"] - chosen["dealt"]
        )

    return stated(store.read(topics.by_number), rows_of)


@claim("rubin2012", "With 100 topics or fewer, labels of fewer than 25 training documents rarely have a high "
       "probability.", "note 23", "rubin2012/note_23")  # fmt: skip
def few_topics_lose_rare_labels():
    def rows_of(found):
        for n_topics, block in found[found["n_topics"] <= FEW].groupby("n_topics"):
            share = block["rare_places"].mean()
            yield block.iloc[0], f"share of first ten places with {n_topics} topics", share, share <= HARDLY

    rare = stated(store.read(topics.by_number), rows_of)
    return pd.concat([rare, with_other_numbers("rare_places", FEW, CHOSEN, -1)])


@claim("rubin2012", "With 1000 topics there is redundancy among them.", "note 23", "rubin2012/note_23")
def many_topics_repeat():
    return with_other_numbers("repeated", MANY, CHOSEN, 1)


@claim("rubin2012", "With 1000 topics some are over-specialised: only a few documents have labels on them.",
       "note 23", "rubin2012/note_23")  # fmt: skip
def many_topics_are_small():
    return with_other_numbers("smallest_size", MANY, CHOSEN, -1)


# Inference and costs


@claim("rubin2012", "A sweep of fast inference is well over an order of magnitude faster than one of proper "
       "inference with 1000 label tokens.", "section 3.5.1", "rubin2012/inference")  # fmt: skip
def fast_sweeps_are_cheaper():
    return stated(
        store.read(inference.costs),
        lambda found: [
            (r, f"times that a sweep of {PROPER} takes", r.times_fast, r.times_fast > ORDER_OF_MAGNITUDE)
            for r in found[found["inference"] == PROPER].itertuples()
        ],
    )


def between(first, second, column, holds):
    """Return a case for each measure: what one way of inference has over another in ``inference.settled``."""

    def rows_of(found):
        ends = inference.settled(found).pivot(index=["corpus", "shown"], columns="inference", values=column)
        for (corpus, shown), row in ends.iterrows():
            gain = row[first] - row[second]
            yield (
                found[found["corpus"] == corpus].iloc[0],
                f"{shown}, {first} less {second}",
                gain,
                holds(gain),
            )

    return stated(store.read(inference.curves), rows_of)


def open_case(_):
    return pd.NA


@claim("rubin2012", "Fast inference converges in fewer sweeps than proper inference with 1000 label tokens.",
       "section 3.5.1", "rubin2012/inference")  # fmt: skip
def fast_converges_sooner():
    return between(inference.FAST, PROPER, "settled", lambda sweeps: bool(sweeps < 0))


@claim("rubin2012", "Fast inference predicts significantly better than proper inference with 1000 label tokens.",
       "section 3.5.1", "rubin2012/inference")  # fmt: skip
def fast_predicts_better():
    return between(inference.FAST, PROPER, "last", open_case)


@claim("rubin2012", "Label tokens are a bottleneck, which more of them widen: 1000 predict better than 100.",
       "section 3.5", "rubin2012/inference")  # fmt: skip
def more_label_tokens_help():
    return between(PROPER, inference.name_of(100), "last", open_case)


@claim("rubin2012", "A sweep costs no more than the table's orders: O(N_W N_C / D) and O(N_C T) in training, "
       "O(N_W C) and O(N_W (C + T)) in prediction.", "table 3", "rubin2012/table_03")  # fmt: skip
def sweeps_cost_what_they_should():
    found = costs.exponents(speed.read("sweep_costs")).assign(corpus="synthetic", scale="full")
    return stated(
        found,
        lambda table: [
            (r, f"exponent less the order's, {r.phase} {r.way}, with {r.against}", r.exponent - r.paper,
             r.verdict != "faster", r.low - r.paper, r.high - r.paper)
            for r in table.itertuples()
        ],
    )  # fmt: skip
