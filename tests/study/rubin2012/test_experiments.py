"""Stored results: computed once, never half-written, the same after an interruption, shared by processes."""

import json
import multiprocessing
import signal

import numpy as np
import pytest
from scipy import sparse

from polytopic import paths
from polytopic.corpus import Corpus
from polytopic.kernels import labelled
from polytopic.study.printed import reported
from polytopic.study.rubin2012 import experiments

TINY = {
    "train": {"n_chains": 2, "n_sweeps": 3},
    "topics": {"n_topic_chains": 2, "n_topic_sweeps": 3},
    "test": {"n_test_chains": 2, "burn_in": 2, "n_samples": 2, "lag": 1},
}


def corpus(name="tiny", seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.random((50, 5)) < [0.5, 0.4, 0.3, 0.2, 0.1]
    labels[:, 0] |= ~labels.any(axis=1)
    counts = rng.poisson(1 + 2 * labels @ rng.random((5, 12)))
    made = Corpus(sparse.csr_matrix(counts), sparse.csr_matrix(labels), name=name)
    return made.with_splits(n_splits=2, train_fraction=0.5, seed=1)


@pytest.fixture(autouse=True)
def study(tmp_path, monkeypatch):
    """A study of its own, with chains that take no time."""
    (tmp_path / "home").mkdir()
    monkeypatch.setenv(paths.HOME, str(tmp_path / "home"))
    monkeypatch.setenv(paths.CACHE, str(tmp_path / "cache"))
    monkeypatch.setitem(experiments.SCALES, "quick", TINY)
    monkeypatch.setitem(experiments.SCALES, "paper", TINY)


def files(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file() and "results" in path.parts)


def test_every_model_and_measure_comes_out_tidy():
    table = experiments.measures(corpus(), splits=(0, 1), n_jobs=1)
    assert list(table.columns) == experiments.MEASURE_COLUMNS
    assert set(table["model"]) == set(experiments.MODELS)
    assert len(table) == 5 * 2 * 2 * (7 + 3 * 6)
    assert np.isfinite(table["value"]).all()
    both = table[(table["model"] == "Prior-LDA") & (table["pivot"] == "label") & (table["split"] == 1)]
    values = both.set_index(["cutoff", "measure"])["value"]
    assert values["", "ranking_loss"] == pytest.approx(100 * (1 - values["", "auc_roc"]))


def test_models_of_other_papers_come_when_asked_for():
    for model in experiments.OTHERS:
        table = experiments.measures(corpus(), models=model, scale="paper")
        assert set(table["model"]) == {model} and np.isfinite(table["value"]).all()
    assert experiments.stored("tiny").empty
    assert set(experiments.stored("tiny", others=True)["model"]) == set(experiments.OTHERS)
    assert set(experiments.stored_label_scores("tiny", others=True)["model"]) == set(experiments.OTHERS)
    (first,) = {experiments.run(corpus(), "PMM1", scale="paper", seed=0)["key"]}
    assert not experiments.OTHERS["PMM1"].__dict__.get("n_labels_"), "the model of the table stays unfitted"
    assert experiments.run(corpus(), "PMM1", scale="paper", seed=1)["key"] != first


def test_label_scores_average_to_the_measure():
    table = experiments.label_scores(corpus(), models="Flat-LDA", n_jobs=1)
    assert list(table.columns) == experiments.LABEL_COLUMNS
    whole = experiments.measures(corpus(), models="Flat-LDA", n_jobs=1)
    row = whole[(whole["pivot"] == "label") & (whole["measure"] == "average_precision")]
    assert table["average_precision"].mean() == pytest.approx(row["value"].item())
    train, test = corpus().split(0)
    frequency = np.asarray(train.labels.sum(axis=0)).ravel()
    assert table["train_frequency"].tolist() == frequency[table["label"]].tolist()
    assert (table["test_frequency"] > 0).all()


def test_a_result_is_computed_once(monkeypatch):
    first = experiments.run(corpus(), "Prior-LDA", n_jobs=1)
    monkeypatch.setattr(experiments.PriorLDA, "fit", lambda *arguments: pytest.fail("computed again"))
    assert experiments.run(corpus(), "Prior-LDA", n_jobs=2) == first


@pytest.mark.parametrize(
    "change",
    [{"seed": 1}, {"split": 1}, {"scale": "paper"}, {"model": "Flat-LDA"}, {"corpus": corpus(seed=3)}],
)
def test_whatever_changes_the_numbers_changes_the_key(change):
    usual = {"corpus": corpus(), "model": "Prior-LDA", "split": 0, "scale": "quick", "seed": 0, "n_jobs": 1}
    assert experiments.run(**usual)["key"] != experiments.run(**usual | change)["key"]


def test_settings_and_version_are_part_of_the_key(monkeypatch):
    first = experiments.run(corpus(), "Flat-LDA", n_jobs=1)
    monkeypatch.setattr(experiments.polytopic, "__version__", "0.0.0")
    assert experiments.run(corpus(), "Flat-LDA", n_jobs=1)["key"] != first["key"]


def test_quick_results_are_cached_and_paper_results_belong_to_the_study():
    experiments.run(corpus(), "Flat-LDA", n_jobs=1)
    assert experiments.stored("tiny").empty
    assert list(experiments.stored("tiny").columns) == experiments.MEASURE_COLUMNS
    experiments.run(corpus(), "Flat-LDA", scale="paper", n_jobs=1)
    assert len(files(paths.results())) == 1
    held = experiments.stored("tiny")
    assert set(held["scale"]) == {"paper"} and len(held) == 50
    assert len(experiments.stored_label_scores("tiny")) == len(
        experiments.label_scores(corpus(), models="Flat-LDA", scale="paper", n_jobs=1)
    )


def test_the_newest_version_of_a_stored_result_counts(monkeypatch):
    for version in ("0.10.0", "0.9.0"):
        monkeypatch.setattr(experiments.polytopic, "__version__", version)
        result = experiments.run(corpus(), "Flat-LDA", scale="paper", n_jobs=1)
        (path,) = [path for path in files(paths.results()) if result["key"] in path.name]
        changed = result | {"measures": [row | {"value": float(version[2:-2])} for row in result["measures"]]}
        path.write_text(experiments.json.dumps(changed))
    assert len(files(paths.results())) == 2
    assert set(experiments.stored("tiny")["value"]) == {10.0}


def test_an_interrupted_experiment_ends_with_the_same_bits(monkeypatch):
    whole = experiments.run(corpus(), "Dependency-LDA", n_jobs=1)
    for path in files(paths.cache()):
        path.unlink()

    def killed(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(experiments, "_evaluate", killed)
        with pytest.raises(KeyboardInterrupt):
            experiments.run(corpus(), "Dependency-LDA", n_jobs=1)
    assert files(paths.cache()) == []
    assert experiments.run(corpus(), "Dependency-LDA", n_jobs=1) == whole


def test_forcing_computes_again_and_finds_the_same():
    first = experiments.run(corpus(), "Tuned SVM", n_jobs=1)
    assert experiments.run(corpus(), "Tuned SVM", n_jobs=1, force=True) == first


def test_a_broken_result_is_named_with_the_remedy():
    experiments.run(corpus(), "Flat-LDA", n_jobs=1)
    (path,) = files(paths.cache())
    path.write_text(path.read_text()[:-100])
    with pytest.raises(ValueError, match=rf"{path.name}.*delete it"):
        experiments.run(corpus(), "Flat-LDA", n_jobs=1)


def test_a_full_disk_loses_no_result(monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(experiments, "write_whole", full)
    with pytest.warns(UserWarning, match="could not be stored: .*No space left"):
        result = experiments.run(corpus(), "Flat-LDA", n_jobs=1)
    assert result["measures"]
    assert files(paths.cache()) == []


def _in_another_process(home, cache, results):
    import os

    os.environ[paths.HOME], os.environ[paths.CACHE] = home, cache
    experiments.SCALES["quick"] = TINY
    results.put(experiments.run(corpus(), "Dependency-LDA", n_jobs=1))


@pytest.mark.slow
def test_two_processes_share_one_result(tmp_path):
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    arguments = (str(tmp_path / "home"), str(tmp_path / "cache"), results)
    both = [context.Process(target=_in_another_process, args=arguments) for _ in range(2)]
    for process in both:
        process.start()
    first, second = results.get(timeout=120), results.get(timeout=120)
    for process in both:
        process.join()
    assert first == second
    (path,) = files(paths.cache())
    assert json.loads(path.read_text()) == first


FIVE_UNITS = TINY | {"train": {"n_chains": 5 * labelled.LANES, "n_sweeps": 3}}


def _killed_in_the_fourth_unit(home, cache):
    import os

    os.environ[paths.HOME], os.environ[paths.CACHE] = home, cache
    experiments.SCALES["quick"] = FIVE_UNITS
    start, begun = labelled.start, []

    def start_or_die(*arguments):
        begun.append(arguments)
        if len(begun) == 4:
            os.kill(os.getpid(), signal.SIGKILL)
        return start(*arguments)

    labelled.start = start_or_die
    experiments.run(corpus(), "Prior-LDA", n_jobs=1)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the platform has no SIGKILL")
def test_a_killed_process_loses_no_finished_chain(tmp_path, monkeypatch):
    """SIGKILL in the middle of training: the chains finished by then are read back, and the bits are the same."""
    monkeypatch.setitem(experiments.SCALES, "quick", FIVE_UNITS)
    arguments = (str(tmp_path / "home"), str(tmp_path / "cache"))
    process = multiprocessing.get_context("spawn").Process(target=_killed_in_the_fourth_unit, args=arguments)
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL

    def finished():
        return {path: path.stat().st_mtime_ns for path in (tmp_path / "cache" / "chains").rglob("output.pkl")}

    kept = finished()
    assert len(kept) == 3
    assert files(paths.cache()) == []
    resumed = experiments.run(corpus(), "Prior-LDA", n_jobs=1)
    assert {path: written for path, written in finished().items() if path in kept} == kept
    assert len(finished()) > 3
    monkeypatch.setenv(paths.CACHE, str(tmp_path / "other"))
    assert experiments.run(corpus(), "Prior-LDA", n_jobs=1) == resumed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"models": ["Dependancy-LDA"]}, "unknown model 'Dependancy-LDA'; did you mean 'Dependency-LDA'"),
        ({"scale": "papr"}, "unknown scale 'papr'; did you mean 'paper'"),
        ({"splits": (2,)}, "split"),
        ({"corpus": "debtag"}, "did you mean .*debtags"),
    ],
)
def test_unknown_names_get_a_suggestion(arguments, message):
    with pytest.raises((ValueError, KeyError, IndexError), match=message):
        experiments.measures(**{"corpus": corpus(), "n_jobs": 1} | arguments)


def test_priors_follow_the_stated_rule():
    train, _ = corpus().split(0)
    settings = experiments.prior_settings("tiny", train)
    dependency, prior, flat = (settings[name] for name in ("Dependency-LDA", "Prior-LDA", "Flat-LDA"))
    tokens = train.labels.sum()
    assert dependency["n_topics"] * 5 * dependency["beta_c"] == pytest.approx(tokens / 10)
    assert 5 * prior["beta_c"] == pytest.approx(tokens / 10)
    weight = train.counts.sum() / train.n_documents / 2
    assert flat["alpha_sum"] == pytest.approx(weight)
    assert prior["eta"] + prior["alpha_sum"] == pytest.approx(weight)
    assert experiments.prior_settings("yahoo_arts_rubin", train)["Dependency-LDA"]["n_topics"] == 20


def test_yahoo_settings_are_those_of_table_6(monkeypatch):
    monkeypatch.delenv(paths.HOME)
    printed = reported("rubin2012", "table 6")
    names = {
        ("topics", "n_topics"),
        ("topics", "beta_c"),
        ("test", "gamma_sum"),
        ("test", "eta"),
        ("test", "alpha_sum"),
    }
    for corpus_name, models in experiments.PRIORS.items():
        for model, settings in models.items():
            rows = printed[(printed["corpus"] == corpus_name) & (printed["model"] == model)]
            table = {
                row["parameter"]: row["value"]
                for _, row in rows.iterrows()
                if (row["phase"], row["parameter"]) in names
                and not (model == "Prior-LDA" and row["parameter"] == "n_topics")
            }
            assert settings == table
