"""Descriptions: whose words a label's top words are, what topics hold, and where a document's labels are ranked.

The corpora are small enough to count by hand.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from polytopic import paths
from polytopic.corpus import Corpus
from polytopic.models import topic_chains
from polytopic.study import claims, saving, store
from polytopic.study.looks import LOOKS
from polytopic.study.rubin2012 import (
    claims_descriptions,
    descriptions,
    documents,
    drawing,
    systems,
    topics,
    words,
)

WORDS = ("suing", "nintendo", "says", "quaint")
VIDEO, SUITS = 0, 1


def corpus(texts, label_sets, names, splits, vocabulary=WORDS, name="toy"):
    """A corpus from words and labels by document, names of both given."""
    counts = [[text.split().count(word) for word in vocabulary] for text in texts]
    labels = [[one in own for one in names] for own in label_sets]
    return Corpus(
        sparse.csr_matrix(counts), sparse.csr_matrix(labels, dtype=bool), vocabulary=vocabulary,
        label_names=names, splits=splits, name=name,
    )  # fmt: skip


@pytest.fixture
def news():
    """VIDEO has one training document, beside SUITS, whose word is "suing"; "quaint" never comes again."""
    texts = [
        "suing suing nintendo says quaint", "suing says", "says",  # training
        "nintendo says", "suing says", "suing says", "suing says", "says", "says",
    ]  # fmt: skip
    sets = [("VIDEO", "SUITS"), ("SUITS",), ("OTHER",), ("VIDEO",)] + 3 * [("SUITS",)] + 2 * [("OTHER",)]
    return corpus(texts, sets, ("VIDEO", "SUITS", "OTHER"), [(range(3), range(3, 9))])


def described(news, **weights):
    train, test = news.split(0)
    weights = {name: np.array([own]) for name, own in weights.items()}
    return words.Described(train, test, np.array([VIDEO]), weights)


# Words


def test_top_words_are_positive_and_ties_keep_their_order():
    assert descriptions.top([1.0, 3.0, 0.0, 3.0, -5.0], 4).tolist() == [1, 3, 0]
    assert descriptions.top(np.zeros(3), 2).size == 0
    table = descriptions.top_table(COUNTS, 3)
    assert table[["row", "column"]].values.tolist() == [[0, 0], [0, 1], [1, 2], [1, 3], [1, 1], [2, 2]]
    assert table["place"].tolist() == [1, 2, 1, 2, 3, 1] and table["value"].tolist() == [4, 4, 3, 3, 1, 2]


def test_a_word_is_borrowed_where_it_is_twice_as_common():
    """Four documents with a partner and four without; of the words' documents 2 and 1, 2 and 2, 1 and 0 are these.

    All documents have the second partner. The label has one more, with none of the words.
    """
    presence = np.zeros((9, 3), int)
    presence[[0, 1, 4], 0] = presence[[0, 1, 4, 5], 1] = presence[0, 2] = 1
    partners = sparse.csr_matrix(np.repeat([[1, 1], [0, 1]], [4, 5], axis=0))
    given = sparse.csr_matrix(presence), np.arange(9) == 8, partners
    assert words._kinds(*given, lift=2.0, support=2).tolist() == ["borrowed", "peculiar", "peculiar"]
    assert words._kinds(*given, lift=2.1, support=1).tolist() == ["peculiar", "peculiar", "borrowed"]


def test_partners_are_frequent_and_share_a_document(news):
    train, _ = news.split(0)
    assert words.partners(train, VIDEO, frequent=2).tolist() == [SUITS]
    assert words.partners(train, VIDEO, frequent=3).tolist() == []


def test_each_kind_of_word_is_told_apart(news):
    """Of the unseen: nintendo is in VIDEO's document alone, suing in SUITS' three, says in all, quaint in none."""
    found = words.kinds(described(news, SVM=[4.0, 3.0, 2.0, 1.0]), n_words=4, frequent=2)
    assert dict(zip(found["word"], found["kind"], strict=True)) == {
        "suing": "borrowed", "nintendo": "own", "says": "general", "quaint": "peculiar",
    }  # fmt: skip
    assert found[["training", "unseen", "partners"]].drop_duplicates().values.tolist() == [[1, 1, 1]]
    assert found["place"].tolist() == [1, 2, 3, 4] and found["weight"].tolist() == [4.0, 3.0, 2.0, 1.0]


def test_a_label_without_a_partner_or_an_unseen_document_is_left_out(news):
    assert words.kinds(described(news, SVM=[1.0, 0, 0, 0]), frequent=3).empty
    swapped = Corpus(news.counts, news.labels, WORDS, news.label_names, splits=[(range(4), range(4, 9))])
    assert words.kinds(described(swapped, SVM=[1.0, 0, 0, 0]), frequent=2).empty


def test_shares_count_words_or_their_weight(news):
    one = described(news, SVM=[6.0, 2.0, 0.0, 0.0], LDA=[0, 0.5, 0, 0.5])
    found = words.kinds(one, n_words=4, frequent=2)
    by_words = words.shares(found).set_index("method")
    assert by_words.loc["SVM", list(words.KINDS)].tolist() == [0.5, 0.5, 0, 0]
    assert by_words.loc["LDA", list(words.KINDS)].tolist() == [0.5, 0, 0, 0.5]
    by_weight = words.shares(found, weighted=True).set_index("method")
    assert by_weight.loc["SVM", list(words.KINDS)].tolist() == [0.25, 0.75, 0, 0]


def many(borrowed):
    """Shares of labels 0, 1, ... by two methods, all words borrowed or own; borrowed holds pairs (LDA, SVM)."""
    rows = [
        (label, f"L{label}", 1, method, 1 - share, share, 0.0, 0.0)
        for label, pair in enumerate(borrowed)
        for method, share in zip((words.LDA, words.SVM), pair, strict=True)
    ]
    return pd.DataFrame(rows, columns=["label", "name", "training", "method", *words.KINDS])


def test_comparison_is_label_by_label():
    """Differences -.1 (five times), 0 and +.2: mean -.3/7; five against one by a sign test is p = 14/64."""
    compared = words.compared(many([(0.4, 0.5)] * 5 + [(0.5, 0.5), (0.7, 0.5)])).set_index("kind")
    row = compared.loc["borrowed"]
    assert (row["more"], row["equal"], row["less"], row["labels"]) == (1, 1, 5, 7)
    assert row["difference"] == pytest.approx(-0.3 / 7) and row["p"] == pytest.approx(14 / 64)
    spread = np.std([-0.1] * 5 + [0, 0.2], ddof=1) / np.sqrt(7)
    assert row["high"] - row["difference"] == pytest.approx(2.446912 * spread)  # t of 6 degrees, 97.5 %
    assert compared.loc["own", "difference"] == pytest.approx(0.3 / 7)


def test_comparison_without_a_difference_or_without_a_method():
    same = words.compared(many([(0.5, 0.5)]))
    assert same["p"].eq(1).all() and same["low"].isna().all()
    assert words.compared(many([(0.5, 0.5)]), seconds=("Tuned SVM",)).empty


def test_the_example_is_the_longest_document_of_those_that_qualify(news):
    train, test = news.split(0)
    assert words.example(train, test, [VIDEO], frequent=2) == VIDEO
    assert words.example(train, test, [VIDEO], frequent=3) is None
    labels, text = words.training_document(train, pd.DataFrame({"label": [VIDEO, VIDEO]}))
    assert labels.values.tolist() == [["VIDEO", 1], ["SUITS", 2]] and text == list(WORDS)


def test_without_rare_labels_tables_are_empty_and_figures_say_so(news, monkeypatch, tmp_path):
    """On a corpus whose labels are all frequent the notebooks of figure 3 and table 1 ended in pandas' words."""
    monkeypatch.setenv(paths.FIGURES, str(tmp_path))
    settings = {"split": 0, "rare": 0, "frequent": 2, "n_words": 2, "lift": 2.0, "support": 1, "seed": 0}
    found = words.kinds_of_words(news, chains="quick", **settings)
    example = found.tables["example"]
    assert found.rows.empty and example.empty and "place" in example
    labels, text = words.training_document(news.split(0)[0], example)
    assert labels.empty and list(labels) == ["name", "training"] and text == []
    assert words.compared(found.rows).empty
    unnamed = words.named(words.describe(replace(news, label_names=("1", "2", "3"))))
    for data, axes, said in (
        (example, drawing.plot_top_words(example, text), "No label here has one training document"),
        (
            found.rows,
            drawing.plot_kinds(words.mean_shares(found.rows, ("method", "training"))),
            "No rare label",
        ),
        (unnamed, drawing.plot_named(unnamed), "No label here is named"),
    ):
        assert np.ravel(axes)[0].texts[0].get_text().startswith(said)
        saving.save(axes, "rubin2012_fig_03", data, of=data.assign(corpus="news", split=0))


def test_the_nearest_are_taken_once():
    assert descriptions.nearest([1, 2, np.nan, 1], [1, 1, 1]) == [0, 3, 1]
    assert descriptions.nearest([0.5, 0.4, 0.1, 0.0], [0.5, 0.5, 0.0]) == [0, 1, 3]
    with pytest.raises(ValueError, match="3 values, fewer than the 4 asked for"):
        descriptions.nearest([1, 2, np.nan, 1], [1] * 4)


def test_descriptions_of_a_corpus(news):
    found = words.describe(news, rare=1)
    assert found.labels.tolist() == [VIDEO, 2] and words.describe(news).labels.tolist() == [VIDEO, SUITS, 2]
    assert found.weights[words.COUNTS].tolist() == [[2, 1, 1, 1], [0, 0, 1, 0]]
    assert found.weights[words.LDA].sum() == pytest.approx(2)
    assert found.weights[words.SVM].shape == (2, 4)
    with pytest.raises(ValueError, match="unknown model"):
        words.describe(news, methods=("SVN",))
    bare = Corpus(sparse.csr_matrix((9, 0)), news.labels, splits=news.splits, name="bare")
    with pytest.raises(ValueError, match="bare has no word counts"):
        words.describe(bare)


def test_a_name_is_found_among_the_words_and_chance_is_the_other_labels(news):
    names = ("mail::list", "mail::imap", "role::program")
    vocabulary = ("imap", "list", "mail", "program")
    assert words.name_words(names) == [{"list"}, {"imap"}, {"role", "program"}]  # mail is in two names
    texts, sets = ["list", "mail imap", "list program"], [(names[0],), (names[1],), (names[2],)]
    train = corpus(texts, sets, names, (), vocabulary)
    weights = np.array([[0, 1, 0, 0], [0, 0, 1, 0], [0, 1, 0, 2.0]])
    one = words.Described(train, train, np.arange(3), {"LDA": weights})
    (row,) = words.named(one, n_words=2, n_bins=1).itertuples()
    assert (row.labels, row.low, row.high) == (3, 1, 1) and row.named == pytest.approx(2 / 3)
    assert row.chance == pytest.approx((1 / 2 + 0 + 0) / 3)  # list is among the words of role::program
    found = words.named(one, n_words=2, n_bins=1)
    assert words.named(described(news, LDA=np.ones(4))).empty  # no label has a word of its name
    (whole,) = words.named_in_all(pd.concat([found, found.assign(labels=1, named=0.0)])).itertuples()
    assert (whole.labels, whole.named) == (4, pytest.approx(1 / 2))  # 1/3 if both bins weighed the same


def test_the_papers_own_lists_are_laid_out_as_ours():
    printed = descriptions.printed_label_words()
    assert len(printed) == 40 and printed.loc[printed["name"] == "ACID RAIN", "training"].eq(11).all()
    laid = descriptions.label_words(printed)
    assert laid.loc[1, "ABORTION (24)"] == "Abortion .098" and laid.shape == (8, 5)
    found = words.names_on_lists(printed)
    assert found["named"].all() and len(found) == 5
    assert not words.names_on_lists(printed[printed["word"] != "Abortion"])["named"].all()
    lists = descriptions.printed_lists()
    assert list(lists.columns) == ["SVM", "LDA"] and lists.loc[2].tolist() == ["mcgowan", "games"]


@pytest.fixture
def short(monkeypatch, tmp_path):
    """A study of its own, whose chains take no time."""
    monkeypatch.setenv(paths.HOME, str(tmp_path))
    monkeypatch.setenv(paths.CACHE, str(tmp_path / "cache"))
    chains = {"n_topic_chains": 2, "n_topic_sweeps": 3}
    monkeypatch.setitem(systems.CHAINS, "medium", systems.CHAINS["medium"] | {"topics": chains})


def test_kinds_of_words_are_stored_with_the_example(short, news):
    found = store.collect(words.kinds_of_words, news, "medium", frequent=2, rare=1)
    assert set(found["of"]) == {words.BY_NUMBER, words.BY_WEIGHT} and set(found["name"]) == {"VIDEO"}
    np.testing.assert_allclose(found[list(words.KINDS)].sum(axis=1), 1)
    assert store.read(words.kinds_of_words).empty  # other bounds than the scale's are no results of the study
    example = store.collect(words.kinds_of_words, news, table="example", frequent=2, rare=1)
    assert set(example["label"]) == {VIDEO} and set(example["method"]) == set(words.METHODS)
    varied = words.sensitivity(news, [{"n_words": 1}, {"lift": 9.0}], frequent=2, rare=1)
    assert varied[["n_words", "lift"]].drop_duplicates().count().tolist() == [1, 1]


# Topics

COUNTS = np.array([[4, 4, 0, 0], [0, 1, 3, 3], [0, 0, 2, 0], [0, 0, 0, 0]])


def test_a_described_topic_is_smoothed_over_the_labels_in_use():
    found = topics.describe(COUNTS, [1], ("a", "b", "c", "d"), beta=0.5, n=2)
    assert found["label"].tolist() == ["c", "d"] and found["share"].eq(7 / 17).all()
    assert found["value"].tolist() == pytest.approx([3.5 / 9, 3.5 / 9])
    assert descriptions.topics(found).loc[2, "topic 1 .412"] == "d .389"


def test_mutual_information_by_hand():
    """Labels 0 and 1 are always together, in half of the documents; 2 is independent of them; 3 never meets 0."""
    Y = sparse.csr_matrix([[1, 1, 1, 0, 0], [1, 1, 0, 0, 0], [0, 0, 1, 1, 0], [0, 0, 0, 0, 0]], dtype=bool)
    assert topics.coherence([[0, 1]], Y) == pytest.approx(1)
    assert topics.coherence([[0, 2]], Y) == pytest.approx(0)
    assert topics.coherence([[0, 3]], Y) == -1
    assert topics.coherence([[0, 1, 2]], Y) == pytest.approx(1 / 3)
    assert topics.coherence([[0, 1], [0, 3]], Y) == pytest.approx(0)
    assert np.isnan(topics.coherence([[0, 0, 4]], Y))  # no pair of two labels in use
    assert topics.coherence([[0, 1]], np.ones((3, 2), bool)) == 1


def test_note_23_in_numbers():
    """Labels 0 and 1 have 30 documents, 2 and 3 fewer than 25. Topics 1 and 2 share 3/7 of their probability."""
    frequency = [30, 30, 8, 3]
    Y = sparse.csr_matrix(np.arange(30)[:, None] < frequency)
    found = topics.measure(COUNTS, Y, Y, n=2, alike=0.4)
    assert found["used"] == 3 and found["rare_places"] == pytest.approx(3 / 5)  # [0, 1], [2, 3], [2]
    assert found["rare_shown"] == 1.0 and found["repeated"] == pytest.approx(2 / 3)
    assert found["median_size"] == 7 and found["smallest_size"] == 2
    few = topics.measure(COUNTS, Y, Y, n=1, alike=0.5)
    assert few["repeated"] == 0 and few["rare_shown"] == 0.5
    assert topics._dealt([[0, 1], [2, 3], [4]]) == [
        [0, 3],
        [2],
        [4],
    ]  # every place is kept, and topics are mixed


def test_topics_are_learned_with_a_tenth_of_the_tokens_as_pseudocounts():
    Y = sparse.csr_matrix(np.kron(np.eye(2, dtype=bool), np.ones((20, 3), bool)))
    assert topics.pseudocount(Y, 2) * 2 * 6 == pytest.approx(Y.nnz / 10)
    found = topics.train(Y, 2, seed=3)
    assert len(found) == 2 and all(counts.shape == (2, 6) and counts.sum() == 120 for counts in found)
    assert sorted(np.sort(descriptions.top(own, 3)).tolist() for own in found[0]) == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(ValueError, match="n_topics must be at least 1"):
        topics.train(Y, 0)
    with pytest.raises(ValueError, match="unknown scale"):
        topics.train(Y, 2, "huge")


def test_labels_without_a_training_document_have_no_column(news):
    unseen = Corpus(news.counts, news.labels, WORDS, news.label_names, splits=[([1, 2], [0, 3])])
    Y, held_out, names = topics.halves(unseen)
    assert names == ["SUITS", "OTHER"] and Y.toarray().tolist() == [[True, False], [False, True]]
    assert held_out.toarray().tolist() == [[True, False], [False, False]]


def test_stored_topics_are_read_back(short, news):
    made = store.collect(topics.by_number, news, "medium", n_topics=[1, 2])
    assert made["n_topics"].tolist() == [1, 1, 2, 2] and made["chain"].tolist() == [0, 1, 0, 1]
    pd.testing.assert_frame_equal(store.read(topics.by_number), made, check_dtype=False)
    assert topics.coherences(made, made[:0])["chains"].tolist() == [2, 2]
    shown = store.collect(topics.examples, news, n_topics=200, shares=(0.5,))
    assert shown["topic"].nunique() == 1 and shown["label"].isin(news.label_names).all()


def test_stored_topics_have_the_papers_chains_and_shares():
    assert tuple(descriptions.printed_topics()["share"].unique()) == topics.SHARES
    stored = store.read(topics.by_number, ["eurlex-labelsets"])
    sizes = stored.groupby("n_topics").size()
    assert sizes.to_dict() == dict.fromkeys(topics.COUNTS, 10)
    assert set(stored["scale"]) == {"paper"}


# Documents


@pytest.fixture
def several():
    """Two test documents are of the kind: row 1, longer, and row 0; rows 2 to 4 have no rare, two rare, too few."""
    names = ("rare", "rarer", "often", "usual", "middling")
    sets = [("rare", "often", "usual")] + 4 * [("often", "usual")] + 2 * [("middling",)] + [("rarer",)]
    sets += [
        ("rare", "often", "usual"), ("rarer", "often", "usual"), ("often", "usual"), ("rare", "rarer", "often"),
        ("rare", "often"),
    ]  # fmt: skip
    texts = ["suing"] * 8 + ["suing", "suing says"] + ["suing"] * 3
    return corpus(texts, sets, names, [(range(8), range(8, 13))])


@pytest.fixture
def predicted(several):
    train, test = several.split(0)
    scores = {
        "Flat-LDA": np.array([[0.1, 0.3, 0.2, 0.2, 0.2], [0.5, 0.1, 0.2, 0.1, 0.1]]),
        "Vanilla SVM": np.array([[-1.0, -2.0, 1.0, 1.0, 0.0], [-1.0, -0.5, 1.0, 1.0, 0.0]]),
    }
    return train, test, documents.chosen(train, test, rare=1, frequent=5), scores


def by_model(make, scores):
    found = [make(of_model).assign(model=model) for model, of_model in scores.items()]
    return pd.concat(found, ignore_index=True)


def tens(predicted):
    train, test, rows, scores = predicted
    return by_model(lambda own: documents.top_ten(train, test, rows[0], own[0], n=3), scores)


def test_documents_are_chosen_by_their_labels_alone(predicted):
    train, test, rows, _ = predicted
    assert rows.tolist() == [1, 0]
    assert documents.chosen(train, test, rare=1, frequent=5, at_least=2).tolist() == [1, 0, 4]
    with pytest.raises(ValueError, match="choose other bounds"):
        documents.chosen(train, test, rare=1, frequent=6)


def test_the_shown_document_is_in_the_middle():
    ranked = pd.DataFrame({
        "document": [7, 8, 9] * 3, "model": np.repeat(["a", "b", "c"], 3),
        "rare_rank": [1, 5, 90, 2, 60, 80, 30, 6, 1],
    })  # fmt: skip
    assert (
        documents.shown(ranked) == 8
    )  # medians 2, 6, 80; means would be 11, 24, 57 and the best ranks 1, 5, 1
    assert documents.shown(ranked[ranked["document"] != 9]) == 7
    assert documents.shown(ranked.assign(rare_rank=4)) == 8


def test_true_labels_with_their_ranks(predicted):
    train, test, rows, scores = predicted
    flat, svm = (documents.true_labels(train, test, rows[0], own[0]) for own in scores.values())
    labels, text = descriptions.labels_and_words(train, test, rows[0])
    assert labels.values.tolist() == [["rarer", 1], ["often", 5], ["usual", 5]] and text == ["suing", "says"]
    assert flat.set_index("label").loc[["rarer", "often", "usual"]].values.tolist() == [
        [1, 1],
        [5, 2],
        [5, 3],
    ]
    assert dict(zip(svm["label"], svm["rank"], strict=True)) == {"rarer": 5, "often": 1, "usual": 2}


def test_a_list_of_ten_marks_true_labels_and_keeps_ties_in_order(predicted):
    ten = tens(predicted)
    flat = ten[ten["model"] == "Flat-LDA"]
    assert flat["label"].tolist() == ["rarer", "often", "usual"] and flat["true"].all()
    text = descriptions.top_tens(ten)
    assert text.loc[1].tolist() == ["*rarer .300", "*often"] and text.loc[3, "Vanilla SVM"] == " middling"


def test_ranks_by_hand(predicted):
    train, test, rows, scores = predicted
    found = by_model(lambda own: documents.ranks(train, test, rows, own, rare=1, n=2), scores)
    flat, svm = (found[found["model"] == model] for model in scores)
    assert flat["rare_rank"].tolist() == [1, 1] and svm["rare_rank"].tolist() == [5, 5]
    assert flat["frequent_found"].tolist() == [0.5, 0.5] and svm["frequent_found"].tolist() == [1.0, 1.0]
    assert flat["rare_listed"].tolist() == [1, 1] and svm["rare_listed"].tolist() == [0, 0]
    means = documents.summary(found).set_index("model")
    assert means.loc["Flat-LDA", "rare_found"] == 1 and means.loc["Vanilla SVM", "rare_found"] == 0
    (row,) = documents.compared(found, [("Flat-LDA", "Vanilla SVM")]).itertuples()
    assert (row.above, row.level, row.below, row.p) == (2, 0, 0, 0.5)
    assert documents.compared(found).empty
    level = documents.compared(found, [("Flat-LDA", "Flat-LDA")])
    assert level.loc[0, ["above", "level", "p"]].tolist() == [0, 2, 1.0]


SVM = {"rare": 1, "frequent": 5, "model": ["Vanilla SVM"]}


def test_predictions_of_a_corpus_are_stored_model_by_model(short, several):
    ((unit, kept),) = store.units(documents.documents, several, "medium", **SVM)
    assert unit["model"] == "Vanilla SVM" and kept.rows["document"].tolist() == [1, 0]
    assert kept.tables["top_ten"]["place"].tolist() == [1, 2, 3, 4, 5] * 2
    assert kept.tables["true"]["document"].tolist() == [1] * 3 + [0] * 3
    with pytest.raises(ValueError, match="unknown model"):
        store.collect(documents.documents, several, **SVM | {"model": ["Vanilla SVN"]})


def test_what_the_scale_says_itself_is_no_change(short, several, monkeypatch):
    """Figure 5 hands its bounds on: at a larger scale they were taken for other settings, and nothing was stored."""
    own = documents.documents.scales["medium"] | {"rare": 1, "frequent": 5}
    monkeypatch.setitem(documents.documents.scales, "medium", own)
    store.collect(documents.documents, several, "medium", **SVM)
    assert set(store.read(documents.documents)["model"]) == {"Vanilla SVM"}


def test_the_papers_own_document():
    printed = descriptions.printed_top_tens()
    assert printed.groupby("model")["true"].sum().to_dict() == {  # as its prose counts them
        "Dependency-LDA": 4, "Flat-LDA": 2, "Prior-LDA": 3, "Tuned SVM": 3,
    }  # fmt: skip
    assert descriptions.top_tens(printed).loc[6, "Flat-LDA"] == " MIDGETMAN (MISSILE) .003"


# Claims


def test_claims_rest_on_what_is_stored(tmp_path, monkeypatch):
    """Of every claim there are cases here, none in a study without results, and no claim has a verdict by hand."""
    ours = [one for one in claims.CLAIMS if one.check in claims_descriptions.CHECKS.values()]
    assert len(ours) == 19
    of_results = [one for one in ours if one.notebook != "rubin2012/table_03"]
    assert all(len(one.cases()) for one in ours)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "reported").symlink_to(paths.reported())
    monkeypatch.setenv(paths.HOME, str(tmp_path))
    assert {claims.verdict(one.cases()) for one in of_results} == {claims.UNTESTED["not run"]}


def test_a_mean_case_is_open_where_its_interval_holds_zero():
    found = pd.DataFrame({"corpus": ["toy"], "scale": ["paper"]})
    above = claims_descriptions.mean_case(found, "gain", pd.Series([0.9, 1.0, 1.1])).iloc[0]
    below = claims_descriptions.mean_case(found, "gain", pd.Series([0.9, 1.0, 1.1]), sign=-1).iloc[0]
    level = claims_descriptions.mean_case(found, "gain", pd.Series([-1.0, 1.0])).iloc[0]
    assert (above["holds"], below["holds"]) == (True, False) and level["holds"] is pd.NA
    assert above["low"] < 1 < above["high"] and below["low"] == above["low"]


# Drawings


def bars(ax):
    return [bar.get_width() for bar in ax.patches]


def test_drawn_words_are_as_long_as_their_weights(news):
    one = described(news, SVM=[6.0, 3.0, 0.0, 0.0], LDA=[0, 0.2, 0, 0.8])
    found = words.kinds(one, n_words=4, frequent=2)
    first, second = drawing.plot_top_words(found)
    assert bars(first) == [1.0, 0.5] and bars(second) == [1.0, 0.25]
    assert [text.get_text() for text in second.texts] == ["quaint", "nintendo"]


def test_stacked_shares_reach_one():
    means = words.mean_shares(many([(0.4, 0.5), (0.6, 0.5)]), ("method", "training"))
    (ax,) = drawing.plot_kinds(means)
    tops = [bar.get_y() + bar.get_height() for bar in ax.patches]
    assert max(tops) == pytest.approx(1) and len(ax.patches) == 2 * len(words.KINDS)


def test_a_drawn_list_has_every_label_and_bars_in_proportion(predicted):
    ten = tens(predicted)
    true = by_model(lambda own: documents.true_labels(*predicted[:2], predicted[2][0], own[0]), predicted[3])
    known, first, second = drawing.plot_top_ten(ten, true, rare=1)
    assert [text.get_text() for text in known.texts][:2] == ["rarer (1)", "Flat 1, Vanilla 5"]
    assert bars(first) == pytest.approx([1.0, 2 / 3, 2 / 3])
    assert bars(second) == pytest.approx([1.0, 1.0, 0.0])  # from the lowest drawn score
    scores = ten["score"].where(ten["model"] == "Flat-LDA")
    _, _, svm = drawing.plot_top_ten(ten.assign(score=scores), true, rare=1)
    assert bars(svm) == [0, 0, 0]


def test_lines_against_the_number_of_topics():
    stored = store.read(topics.by_number, ["eurlex-labelsets"])
    means = topics.mean_by_number(stored).assign(corpus="eurlex-labelsets")
    axes = drawing.plot_by_number(means)
    for ax, measure in zip(axes, drawing.TOPIC_PANELS, strict=True):
        assert ax.lines[0].get_ydata().tolist() == means[measure].tolist()


def test_topic_chains_are_those_of_the_models():
    """The same sampler as Dependency-LDA's, so that table 2 shows what the model predicts with."""
    assert systems.CHAINS["paper"]["topics"] == {"n_topic_chains": 10, "n_topic_sweeps": 500}
    assert topic_chains.cheapest(3976, 200) == "tree"


def test_named_labels_keep_the_methods_looks():
    rows = [(method, k, 1, 2, 9, 0.5, 0.1) for method in (words.LDA, words.COUNTS) for k in (1, 2)]
    named = pd.DataFrame(rows, columns=["method", "bin", "low", "high", "labels", "named", "chance"])
    ax = drawing.plot_named(named)
    own = {line.get_label(): line.get_color() for line in ax.lines}
    assert {name: own[name] for name in (words.LDA, words.COUNTS)} == {
        name: LOOKS[name]["color"] for name in (words.LDA, words.COUNTS)
    }
    assert own[f"{words.LDA}, by chance"] == own[words.LDA]
