"""What all estimators share: settings that help describes, fits that are whole or nothing, seeds, widths, memory."""

import inspect
import pickle
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from joblib import Memory
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError

from polytopic import models
from polytopic.models import settings
from polytopic.models.label_space import PenalisedRidge

CHAINS = {"n_chains": 2, "n_sweeps": 2, "n_test_chains": 2, "burn_in": 2, "n_samples": 1, "lag": 1}
TOPICS = {"n_topic_chains": 2, "n_topic_sweeps": 2}
PRIOR = models.PriorLDA(random_state=1, **CHAINS)
ESTIMATORS = [
    models.FlatLDA(180.0, random_state=1, **CHAINS),
    PRIOR,
    models.DependencyLDA(2, random_state=1, **CHAINS, **TOPICS),
    models.LearnedDependencyLDA((2, 3), random_state=1, **CHAINS, **TOPICS),
    models.LDA(2, n_sweeps=3, burn_in=2, random_state=1),
    models.LDA(2, method="cvb0", n_sweeps=3, random_state=1),
    models.PMM(2, max_iter=2),
    models.FastDependencyLDA(3, random_state=1, **CHAINS),
    models.AuthorTopicLDA(3, random_state=1, **CHAINS),
    models.SCVB(n_passes=2, minibatch=7),
    models.SCVBDependency(3, n_passes=2, minibatch=7, random_state=1),
    models.BinaryRelevanceSVM("positive_weight", candidates=(2.0,), normalize="tfidf", random_state=1),
    models.HybridClassifier([("prior", PRIOR), ("svm", models.BinaryRelevanceSVM(random_state=1))], random_state=1),
    models.BinaryRelevanceRidge(candidates=(0.5, 2.0), random_state=1),
    models.FastXML(3, random_state=1),
    models.PDSparse(n_passes=3, random_state=1),
    models.MetaLabeler(),
    models.LabelCountLasso(),
    models.M5P(),
    PenalisedRidge(0.5),
    models.PLST("bound", random_state=1),
    models.PartialBinaryRelevance(2),
    models.CompressiveSensing(3, random_state=1),
    models.LabelPowerset(),
    models.GeneralisedTopicModel(2, random_state=1),
    models.CalibratedLabelRanking(),
]  # fmt: skip
CLASSES = {type(model) for model in ESTIMATORS}
every_estimator = pytest.mark.parametrize("model", ESTIMATORS, ids=lambda model: type(model).__name__)


def corpus(seed, n_words=12, n_labels=4):
    """Return X (30, W) and Y (30, C) of labels with words of their own; every label has some of the documents."""
    rng = np.random.default_rng(seed)
    Y = rng.random((30, n_labels)) < 0.4
    Y[np.arange(30), np.arange(30) % n_labels] = True
    return rng.poisson(0.3 + 2.0 * np.repeat(Y, n_words // n_labels, axis=1)), Y


UNSEEN = corpus(9)[0][:4]


def answer(model, X=UNSEEN):
    """Return what a fitted model says of documents."""
    for method in ("decision_function", "transform", "predict"):
        if hasattr(model, method):
            return getattr(model, method)(X)


def test_all_public_estimators_are_here():
    public = {value for value in vars(models).values() if inspect.isclass(value)}
    assert public == CLASSES - {PenalisedRidge}


@every_estimator
class TestEveryEstimator:
    def test_help_describes_every_setting(self, model):
        section = (
            inspect.getdoc(type(model)).split("\nParameters\n----------\n")[1].split("\n\nAttributes\n")[0]
        )
        entries = [line.split(" : ")[0] for line in section.split("\n") if line[:1].strip()]
        described = section.split("\n")
        assert set(entries) == set(model.get_params(deep=False))
        for name in entries:
            place = next(i for i, line in enumerate(described) if line.startswith(f"{name} : "))
            assert described[place + 1].startswith("    ") and described[place + 1].strip()[-1:]
        assert entries == list(inspect.signature(type(model)).parameters)

    def test_help_describes_all_that_is_learned(self, model):
        """Each with a line of its own, "name : type", and text below; properties have their own docstrings."""
        kind = type(model)
        section = inspect.getdoc(kind).partition("\nAttributes\n----------\n")[2]
        entries = re.findall(r"^(\S+) : \S.*\n    \S", section, re.MULTILINE)
        assert len(entries) == len(re.findall(r"^\S", section, re.MULTILINE))
        fitted = [clone(one).fit(*corpus(1)) for one in ESTIMATORS if type(one) is kind]
        learned = {name for one in fitted for name in vars(one) if name.endswith("_") and name[0] != "_"}
        assert set(entries) == learned
        properties = inspect.getmembers(kind, lambda one: isinstance(one, property))
        assert all(one.__doc__ for name, one in properties if name.endswith("_"))

    def test_settings_can_be_read_copied_and_shown(self, model):
        again = clone(model)
        assert repr(again) == repr(model) == repr(pickle.loads(pickle.dumps(model)))
        assert set(type(model)._get_param_names()) == set(model.get_params(deep=False))
        assert type(model).__name__ in model._repr_html_()
        with pytest.raises(TypeError, match="no_such_setting"):
            type(model)(no_such_setting=1)

    def test_a_fit_that_is_interrupted_changes_nothing(self, model):
        """At twelve places on the way: an estimator that had no model has none, and one that had keeps it whole."""
        first, second = corpus(2), corpus(3, n_words=10, n_labels=5)
        n_lines = min(
            lines_of(clone(model).fit, *one) for one in (corpus(1), second)
        )  # trees may differ in size
        fitted = clone(model).fit(*first)
        expected, learned = answer(fitted), set(vars(fitted))
        for at in np.linspace(1, n_lines, 12).astype(int):
            fresh = clone(model)
            with pytest.raises(KeyboardInterrupt):
                lines_of(fresh.fit, *corpus(1), interrupted_at=at)
            with pytest.raises(NotFittedError):
                answer(fresh)
            with pytest.raises(KeyboardInterrupt):
                lines_of(fitted.fit, *second, interrupted_at=at)
            assert set(vars(fitted)) == learned
            np.testing.assert_array_equal(answer(fitted), expected)

    def test_a_model_has_the_same_answer_after_pickling(self, model):
        fitted = clone(model).fit(*corpus(1))
        np.testing.assert_array_equal(answer(pickle.loads(pickle.dumps(fitted))), answer(fitted))

    def test_other_widths_are_named(self, model):
        fitted = clone(model).fit(*corpus(1))
        with pytest.raises(ValueError, match="X has 11 features, but \\w+ is expecting 12 features as input"):
            answer(fitted, UNSEEN[:, 1:])

    def test_no_documents_have_an_empty_answer(self, model):
        """Or scikit-learn says that there are none."""
        fitted = clone(model).fit(*corpus(1))
        try:
            assert len(answer(fitted, UNSEEN[:0])) == 0
        except ValueError as refused:
            assert "0 sample(s)" in str(refused)

    def test_sparse_tables_and_two_jobs_give_the_same_and_the_tables_stay_as_they_are(self, model):
        """But for products of dense tables, whose sums may round otherwise."""
        X, Y = corpus(1)
        given = sparse.csr_matrix(X), sparse.csc_matrix(Y) if is_classifier(model) else Y.copy()
        jobs = {"n_jobs": 2} if "n_jobs" in model.get_params(deep=False) else {}
        found = answer(clone(model).set_params(**jobs).fit(*given), sparse.csr_matrix(UNSEEN))
        is_product = isinstance(model, PenalisedRidge) or "label_space" in type(model).__module__
        tolerance = 1e-8 if is_product else 0
        np.testing.assert_allclose(found, answer(clone(model).fit(X, Y)), rtol=0, atol=tolerance)
        for table, same in zip((*given, X, Y), 2 * corpus(1), strict=True):
            assert np.array_equal(table.toarray() if sparse.issparse(table) else table, same)

    def test_without_a_seed_nothing_is_drawn_from_the_global_state(self, model):
        if "random_state" not in model.get_params():
            pytest.skip("draws nothing")
        before = np.random.get_state()[1:3]
        answer(clone(model).set_params(random_state=None).fit(*corpus(1)))
        assert all(np.array_equal(*pair) for pair in zip(before, np.random.get_state()[1:3], strict=True))


def lines_of(fit, X, Y, interrupted_at=None):
    """Run a fit and return how many lines of the models' files it goes through; raise an interrupt at one of them."""
    folder, count = str(Path(models.__file__).parent), 0

    def trace(frame, event, argument):
        nonlocal count
        name = frame.f_code.co_filename
        if not name.startswith(folder) or name == settings.__file__:
            return None
        count += event == "line"
        if count == interrupted_at:
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        fit(X, Y)
    finally:
        sys.settrace(before)
    return count


def test_what_training_has_smoothed_stays():
    """Settings of training changed after it: predictions are still those of what was trained."""
    changes = {
        models.FlatLDA: {"n_chains": 50, "beta_w": 5.0},
        models.PriorLDA: {"n_chains": 50, "beta_w": 5.0, "beta_c": 9.0},
        models.DependencyLDA: {"n_chains": 50, "beta_w": 5.0, "beta_c": 9.0, "n_topics": 7},
        models.PMM: {"xi": 9.0},
        models.LDA: {"n_topics": 5, "beta_w": 9.0},
    }
    for model in ESTIMATORS:
        if type(model) in changes:
            fitted = clone(model).fit(*corpus(1))
            expected = answer(fitted)
            np.testing.assert_array_equal(answer(fitted.set_params(**changes[type(model)])), expected)


def test_the_prior_at_test_is_the_present_one():
    fitted = clone(PRIOR).fit(*corpus(1))
    even = answer(fitted.set_params(eta=0.0, alpha_sum=400.0))
    assert np.abs(even - 0.25).max() < 0.2  # .11; with the prior of training .23


def test_seeds():
    assert settings.seed_of(3) == settings.seed_of(np.int64(3)) == 3
    assert settings.seed_of(np.random.RandomState(7)) == np.random.RandomState(7).randint(2**31 - 1)
    assert settings.seed_of(None) != settings.seed_of(None)
    with pytest.raises(ValueError, match="random_state must be None, an integer of 0 or more .*, got -1"):
        clone(PRIOR).set_params(random_state=-1).fit(*corpus(1))
    with pytest.raises(
        ValueError, match="random_state must be None, an integer of 0 or more or a RandomState"
    ):
        settings.seed_of("now")


COMMON = {
    "n_jobs": (["abc", 0, 1.5, True], [None, 1, -1, np.int64(2)], "None or an integer other than 0"),
    "random_state": (
        ["abc", -1, 1.5, [1, 2], np.array([1, 2])],
        [None, 3, np.int64(3), np.random.RandomState(3), np.random],
        "None, an integer of 0 or more or a RandomState",
    ),
    "verbose": (["yes", -1, None, 0.5], [0, False, np.bool_(False)], "an integer of 0 or more, or a bool"),
}


@pytest.mark.parametrize("name", COMMON)
@every_estimator
def test_settings_that_all_have_are_checked_under_their_names(model, name):
    if name not in model.get_params(deep=False):
        pytest.skip("is no setting of it")
    refused, taken, wanted = COMMON[name]
    for value in refused:
        with pytest.raises(ValueError, match=f"{name} must be {wanted}, got {re.escape(repr(value))}"):
            clone(model).set_params(**{name: value}).fit(*corpus(1))
    for value in taken:
        settings.check_settings(clone(model).set_params(**{name: value}))


UNCHECKED = {  # flags, other estimators, and what fit checks by itself
    *("best_vertex", "fit_intercept", "greedy", "shift", "estimators", "regressor"),
    *("label_names", "label_words", "n_dimensions", "solver"),
}


@every_estimator
def test_a_value_of_another_kind_is_refused_by_the_name_of_the_setting(model):
    for name in model.get_params(deep=False).keys() - UNCHECKED:
        with pytest.raises(ValueError, match=name):
            settings.check_settings(clone(model).set_params(**{name: object()}))


KEEPING = [model for model in ESTIMATORS if "memory" in model.get_params(deep=False)]
KEEPING = [models.HybridClassifier(random_state=1) if hasattr(one, "estimators") else one for one in KEEPING]


@pytest.mark.parametrize("model", KEEPING, ids=lambda model: type(model).__name__)
def test_what_keeps_chains_may_be_a_path_a_name_or_a_memory(model, tmp_path):
    expected = answer(clone(model).fit(*corpus(1)))
    for place in (tmp_path / "path", str(tmp_path / "name"), Memory(tmp_path / "memory", verbose=0)):
        kept = clone(model).set_params(memory=place).fit(*corpus(1))
        np.testing.assert_array_equal(answer(kept), expected)
    for name in ("path", "name", "memory"):
        assert list((tmp_path / name).rglob("output.pkl"))
    with pytest.raises(ValueError, match="memory must be a folder, a joblib.Memory or None, got True"):
        clone(model).set_params(memory=True).fit(*corpus(1))


def test_a_class_inherits_what_is_said_of_a_setting():
    assert "Smoothing of phi, per word." in models.FlatLDA.__doc__


# the others draw folds alone, or documents, and choose the same from whichever
CHOOSING = models.BinaryRelevanceRidge, models.MetaLabeler, models.LabelCountLasso, models.PLST
DRAWING = [model for model in ESTIMATORS if "random_state" in model.get_params(deep=False)]
DRAWING = [model for model in DRAWING if not isinstance(model, CHOOSING)]


@pytest.mark.parametrize("model", DRAWING, ids=lambda model: type(model).__name__)
def test_a_seed_is_a_model(model):
    one, same, other = (answer(clone(model).set_params(random_state=k).fit(*corpus(1))) for k in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


VERBOSE = [model for model in ESTIMATORS if "verbose" in model.get_params(deep=False)]


@pytest.mark.parametrize("model", VERBOSE, ids=lambda model: type(model).__name__)
def test_bars_come_to_their_end_where_they_are_wanted(model, capsys, monkeypatch):
    monkeypatch.delenv("TQDM_DISABLE")
    for verbose in (0, 1):
        answer(clone(model).set_params(verbose=verbose).fit(*corpus(1)))
        shown = re.findall(r"(\w[^:|\r\n]*): +(\d+)%", capsys.readouterr().err)
        assert bool(shown) == bool(verbose) and set(dict(shown).values()) <= {"100"}, shown  # each bar's last


REFUSED = {
    models.FlatLDA: [
        ({"alpha_sum": -1}, "alpha_sum must be a number of 0 or more, got -1"), ({"beta_w": 0}, "beta_w"),
        ({"train_eta": -1}, "train_eta"), ({"n_chains": 0}, "n_chains"), ({"lag": 0}, "lag"),
        ({"n_samples": 1.5}, "n_samples"), ({"burn_in": 0}, "burn_in"), ({"word_power": 0.0}, "word_power"),
        ({"word_sharing": 1.5}, "word_sharing must be a number from 0 to 1"),
    ],
    models.DependencyLDA: [
        ({"inference": "psychic"}, "inference must be one of fast, proper, mean_field, got 'psychic'"),
        ({"inference": "proper", "n_label_tokens": 0}, "n_label_tokens"),
        ({"inference": "proper", "alpha_sum": 0}, "alpha_sum must be positive"),
    ],
    models.LearnedDependencyLDA: [
        ({"n_topics": ()}, "n_topics must list at least one value"),
        ({"n_topics": 3}, "n_topics must list at least one value, got 3"), ({"n_topics": (0,)}, "n_topics"),
        ({"held_out": 1.0}, "held_out must be a share"),
        ({"held_out": 0.001}, "leaves too few"),
    ],
    models.LDA: [
        ({"method": "vb"}, "method"), ({"phi_estimator": "phi"}, "phi_estimator"), ({"alpha": 0}, "alpha"),
        ({"phi_estimator": "cgs_p", "method": "cvb0"}, "CVB0 draws none"), ({"n_topics": 0}, "n_topics"),
        ({"tolerance": -1}, "tolerance"),
    ],
    models.PMM: [
        ({"order": 3}, "order must be one of 1, 2, got 3"), ({"xi": 1}, "xi must be a number above 1"),
        ({"zeta": float("nan")}, "zeta must be a number above 1"), ({"tol": -1}, "tol must be"),
        ({"max_iter": 0}, "max_iter must be"),
        ({"search": "beam"}, "search must be one of greedy, exhaustive"),
    ],
    models.FastDependencyLDA: [({"n_topics": 0}, "n_topics")],
    models.AuthorTopicLDA: [({"n_topics": 0}, "n_topics")],
    models.SCVBDependency: [
        ({"steps": "fast"}, "steps must be one of paper, program.*got 'fast'"),
        ({"minibatch": 0}, "minibatch must be an integer of 1 or more"), ({"n_topics": 0}, "n_topics"),
        ({"n_documents": 0}, "n_documents must be an integer of 1 or more"), ({"eta_y": 0}, "eta_y"),
        ({"burn_in": -1}, "burn_in must be an integer of 0 or more"),
    ],
    models.BinaryRelevanceSVM: [
        ({"tuning": "weight"}, "tuning must be"), ({"normalize": "l1"}, "normalize must be"), ({"C": 0}, "C must be"),
        ({"tol": -1}, "tol must be"),
        ({"tuning": "C", "candidates": [1, -1]}, "candidates must be"),
        ({"tuning": "C", "candidates": []}, "candidates must list at least one value"),
    ],
    models.BinaryRelevanceRidge: [({"alpha": 0.0, "candidates": None}, "alpha")],
    models.HybridClassifier: [({"estimators": []}, "estimators is empty"), ({"n_folds": 1}, "n_folds")],
    models.FastXML: [({"n_trees": 0}, "n_trees")],
    models.PDSparse: [({"penalty": -1.0}, "penalty")],
    models.PLST: [
        ({"n_dimensions": 0}, "n_dimensions must be an integer of 1 or more"),
        ({"n_dimensions": 8}, "at most the number of labels, 4, got 8"),
        ({"n_dimensions": "best"}, "spectrum, bound, loss"),
        ({"n_dimensions": 2, "regressor": PenalisedRidge(-1)}, "alpha"),
    ],
    models.CompressiveSensing: [({"sparsity": 0}, "sparsity")],
    models.GeneralisedTopicModel: [
        ({"n_topics": 31}, "n_topics=31 is more than there are documents, n_samples = 30")
    ],
}  # fmt: skip


@pytest.mark.parametrize("kind", REFUSED, ids=lambda kind: kind.__name__)
def test_settings_out_of_range_are_named(kind):
    model = next(one for one in ESTIMATORS if type(one) is kind)
    for changes, message in REFUSED[kind]:
        with pytest.raises(ValueError, match=message):
            clone(model).set_params(**changes).fit(*corpus(1))
