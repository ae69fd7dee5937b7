"""The command ``results``, on a demonstration of its own."""

import sys

import numpy as np
import pandas as pd
import pytest

from polytopic import paths, source
from polytopic.command import cli, results
from polytopic.corpus import Corpus
from polytopic.datasets import MissingCorpus
from polytopic.study import store
from polytopic.study.store import Place

TINY = Corpus(np.eye(4, dtype=np.int32), np.eye(4, dtype=bool), name="tiny")
CALLS = []


def read(name):
    if name == "tiny":
        return TINY
    raise MissingCorpus(f"{name} is not at hand: put it there")


def doubled(corpus, *, model, number, factor=2, seed):
    CALLS.append((model, number, factor, seed))
    return pd.DataFrame({"value": [factor * number]})


@pytest.fixture
def study(tmp_path, monkeypatch):
    """A study of one experiment with six units, and of one whose corpus is not at hand."""
    monkeypatch.setenv(paths.HOME, str(tmp_path))
    monkeypatch.setenv(paths.CACHE, str(tmp_path / "cache"))
    monkeypatch.setattr(store, "EXPERIMENTS", {})
    monkeypatch.setattr(store, "load", lambda: None)
    (tmp_path / "data").mkdir()
    CALLS.clear()
    scales = {
        "quick": {"model": ["a"], "number": range(2), "factor": 2},
        "paper": {"model": ["a", "b"], "number": range(3), "factor": 10},
    }
    store.experiment("demo2000", scales, corpora=("tiny",), reads=read)(doubled)
    enter = store.experiment("other2001", {"paper": {"number": [1]}}, "lost", ("gone",), reads=read)
    enter(lambda corpus, *, number: pd.DataFrame())
    return tmp_path


def told(capsys, *arguments, status=0):
    """Return what the command prints."""
    assert cli.main(["results", *arguments]) == status
    printed = capsys.readouterr()
    return printed.out + printed.err


def test_without_a_name_it_shows_what_is_stored_and_missing(study, capsys):
    text = told(capsys)
    assert [line.split() for line in text.splitlines()[1:3]] == [
        ["demo2000/doubled", "tiny", "paper", "0", "6", "0", "6", "0", "0", "0"],
        ["other2001/lost", "gone", "paper", "0", "1", "0", "1", "0", "0", "0"],
    ]
    assert "0 units are stored, 7 missing, 0 made by other code" in text
    assert not CALLS


def test_what_a_larger_scale_has_is_not_missing_at_a_smaller_one(study, capsys):
    """Systems at the paper's chains counted as missing at the small ones that they had been computed with before."""
    which = store.EXPERIMENTS["demo2000/doubled"]
    which.scales["small"] = which.scales.pop("paper") | {"factor": 5}
    which.scales["paper"] = which.scales["small"] | {"factor": 10}
    told(capsys, "demo2000", "--scale", "small", "--units", "0-1")
    told(capsys, "demo2000", "--scale", "paper", "--units", "1-4")
    missing = store.overview([which]).set_index("scale")["missing"]
    assert missing.to_dict() == {"small": 1, "paper": 2}


def test_what_code_made_is_told_apart_from_what_nobody_recorded(study, capsys):
    """All converted results counted as made by other code, of which nothing is known."""
    told(capsys, "demo2000")
    head = study / "data" / "results" / "demo2000" / "doubled" / "tiny-paper-seed0.json"
    code = store.EXPERIMENTS["demo2000/doubled"].code
    head.write_text(head.read_text().replace(f'"code": "{code}"', '"code": null', 2))
    text = told(capsys)
    assert "6 units are stored, 1 missing, 0 made by other code than today's, 2 by code that was" in text
    assert "code not recorded then" in told(capsys, "demo2000", "--why", "--dry-run")


def test_it_computes_what_is_missing_and_goes_on_where_it_stopped(study, capsys):
    text = told(capsys, "demo2000/doubled", "--units", "0-1,4")
    assert [call[:3] for call in CALLS] == [("a", 0, 10), ("a", 1, 10), ("b", 1, 10)]
    assert "0 of 3 units are stored, 3 to compute" in text and "0 were there, 0 missing" in text
    CALLS.clear()
    text = told(capsys, "demo2000")
    assert [call[:2] for call in CALLS] == [("a", 2), ("b", 0), ("b", 2)]
    assert "3 of 6 units are stored, 3 to compute" in text and "3 units done" in text
    assert "3 were there, 0 missing" in text
    CALLS.clear()
    assert "0 units done" in told(capsys, "doubled") and not CALLS


def test_a_dry_run_computes_nothing(study, capsys):
    assert "7 units to compute" in told(capsys, "--scale", "paper", "--dry-run")
    assert not CALLS and not list((study / "data").iterdir())


def test_why_says_what_made_each_unit_otherwise(study, capsys, monkeypatch):
    """Two different results lay under one key, and nothing told them apart."""
    told(capsys, "demo2000", "--units", "0,1")
    text = told(capsys, "demo2000", "--why", "--dry-run")
    assert "model='a', number=0: stored, made by this code" in text
    assert "model='b', number=2: not stored" in text
    before = store.EXPERIMENTS["demo2000/doubled"].code
    monkeypatch.setattr(source, "digest", lambda *behind, apart: "another")
    monkeypatch.setattr("polytopic.__version__", "9.9")
    store.EXPERIMENTS["demo2000/doubled"].scales["paper"]["factor"] = 11
    text = told(capsys, "demo2000", "--why", "--dry-run")
    assert "factor 10 then, 11 now; version" in text and "9.9 now" in text
    assert f"code {before} then, another now" in text
    assert "2 made by other code" in told(capsys)


def test_what_a_unit_takes_is_what_those_most_like_it_took(study, monkeypatch):
    """The mean of small corpora stood for a large one, that of all models for an SVM: minutes for hours."""
    which = store.EXPERIMENTS["demo2000/doubled"]
    monkeypatch.setattr(results.catalogue, "facts", lambda: {"tiny": {"tokens": 4}, "large": {"tokens": 100}})
    costs = {"tiny": {0: [2.0, 4.0, None], 1: [5.0]}, "large": {1: [80.0, 40.0]}}  # by number: the kind
    monkeypatch.setattr(results.store, "places", lambda of: [Place(of, name, "paper", 0) for name in costs])
    units = {
        name: [{"unit": {"model": "a", "number": n}, "seconds": one} for n in of for one in of[n]]
        for name, of in costs.items()
    }
    monkeypatch.setattr(Place, "keys", property(lambda place: dict(enumerate(units.get(place.corpus, [])))))
    batches = {name: results.Batch(Place(which, name, "paper", 0)) for name in ("tiny", "large", "unknown")}
    of_kind = {n: [one.cost({"model": "b", "number": n}) for one in batches.values()] for n in range(3)}
    assert of_kind[0] == [3, 75, 3]  # the mean; 100 tokens for 4; the mean where the tokens aren't known
    assert of_kind[1] == [5, 60, pytest.approx(125 / 3)]
    assert of_kind[2] == [pytest.approx(11 / 3), 60, pytest.approx(131 / 5)]  # nothing of its kind


def test_force_replaces_and_says_what_goes_before_it_computes(study, capsys):
    told(capsys, "demo2000", "--units", "0-2")
    CALLS.clear()
    text = told(capsys, "demo2000", "--units", "1,3", "--force", "--dry-run")
    assert "to be replaced: model='a', number=1\n" in text and not CALLS
    told(capsys, "demo2000", "--units", "1,3", "--force")
    assert [call[:2] for call in CALLS] == [("a", 1), ("b", 0)]
    assert len(store.read(store.EXPERIMENTS["demo2000/doubled"])) == 4


def test_all_computes_what_is_missing_and_what_other_code_made(study, capsys, monkeypatch):
    """None of 3,849 stored results was of the code beside them, and no command made them anew."""
    which = store.EXPERIMENTS["demo2000/doubled"]
    store.collect(which, TINY, "paper", model=["b", "c"], number=[7])  # beyond the scale's own
    told(capsys, "demo2000", "--units", "0-1")
    text = told(capsys, "demo2000", "--all", "--dry-run")
    assert "4 of 8 units are stored, 4 to compute, " in text and "s of one core" in text
    monkeypatch.setattr(source, "digest", lambda *behind, apart: "another")
    CALLS.clear()
    text = told(capsys, "--all", status=1)
    assert "to be replaced: 4 that other code made" in text and "gone is not at hand" in text
    assert len(CALLS) == 8 and ("c", 7, 10, 0) in CALLS
    assert {made["code"] for made in Place(which, "tiny", "paper", 0).keys.values()} == {"another"}
    CALLS.clear()
    assert "0 to compute" in told(capsys, "demo2000", "--all") and not CALLS


def test_all_has_what_is_stored_at_a_smaller_scale_at_the_largest(study, capsys):
    which = store.EXPERIMENTS["demo2000/doubled"]
    which.scales["medium"] = which.scales["quick"]
    which.scales["paper"] = which.scales.pop("paper")
    store.collect(which, TINY, "medium", model=["d"])
    assert "0 of 8 units are stored, 8 to compute" in told(capsys, "demo2000", "--all", "--dry-run")


def test_an_audit_computes_one_in_ten_again_that_stay_the_same_ones(study, capsys, monkeypatch):
    """What nobody computes again was either left with other code's results, or all of it was due."""
    which = store.EXPERIMENTS["demo2000/doubled"]
    store.collect(which, TINY, "paper", number=range(1, 13))  # of two models: 24
    assert "0 units to compute" in told(capsys, "--audit", "--dry-run")
    monkeypatch.setattr(source, "digest", lambda *behind, apart: "another")
    assert "24 made by other code than today's" in (text := told(capsys)) and "0 are audited" in text
    CALLS.clear()
    assert "3 that other code made" in told(capsys, "--audit") and len(CALLS) == 3
    assert "21 made by other code than today's" in (text := told(capsys)) and "21 are audited" in text
    assert "0 to compute" in told(capsys, "--audit", "--dry-run")
    drawn = {call[:2] for call in CALLS}
    monkeypatch.setattr(source, "digest", lambda *behind, apart: "a third")
    which.scales["paper"]["factor"] = 11
    told(capsys, "demo2000", "--audit", "--corpus", "tiny", "--scale", "paper")
    assert {call[:2] for call in CALLS[3:]} == drawn
    assert "0 are audited" in told(capsys)


def test_a_missing_corpus_is_told_and_the_others_go_on(study, capsys):
    text = told(capsys, "--scale", "paper", status=1)
    assert "other2001/lost, gone, paper, seed 0: gone is not at hand: put it there" in text
    assert len(CALLS) == 6 and "6 units done" in text and "1 missing" in text


def test_a_missing_program_is_told_and_the_others_go_on(study, capsys):
    """The command ended in AttributeError: a message of the library's own names no module to Python."""

    def of_others(corpus, *, number):
        raise ModuleNotFoundError("napkinxc is not installed: pip install napkinxc")

    later = dict(store.EXPERIMENTS)
    store.EXPERIMENTS.clear()
    store.experiment("a1999", {"paper": {"number": [1]}}, "peers", ("tiny",), reads=read)(of_others)
    store.EXPERIMENTS.update(later)
    text = told(capsys, "--scale", "paper", status=1)
    assert "a1999/peers, tiny, paper, seed 0: napkinxc is not installed: pip install napkinxc" in text
    assert len(CALLS) == 6 and "6 units done" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["demo2000/doubbled"], "did you mean demo2000/doubled? There are: demo2000/doubled\n"),
        (["demo2001"], "did you mean demo2000"),
        (["demo2000", "--scale", "papre"], "did you mean paper"),
        (["demo2000", "--corpus", "delicous"], "did you mean delicious"),
        (["demo2000", "--units", "4-6"], "units 0 to 5 at paper scale, no 6"),
        (["--force"], "name an experiment"),
        (["--audit", "--units", "1"], "draws its units itself"),
        (["demo2000", "--minuts", "3"], "did you mean --minutes"),
    ],
)
def test_what_is_not_known_is_refused(study, capsys, arguments, message):
    assert message in told(capsys, *arguments, status=2).replace("'", "")
    assert not CALLS


def test_every_module_of_the_study_is_imported():
    store.load()
    rooms = {path.parent.name for path in (source.ROOT / "study").glob("*/*.py")}
    assert {f"polytopic.study.{room}" for room in rooms} <= set(sys.modules)


def test_what_a_corpus_cannot_give_is_neither_missing_nor_computed(study, capsys):
    """Topic models want counts: on a corpus of real values theirs were missing for ever."""
    scales = {"paper": {"number": range(3)}}
    fits = {"fits": lambda corpus, number: number < 2, "reads": read}
    enter = store.experiment("demo2000", scales, "counted", ("tiny",), **fits)
    enter(lambda corpus, *, number: pd.DataFrame({"value": [number]}))
    assert "2 units done" in told(capsys, "counted")
    assert "2 units are stored, 7 missing" in told(capsys)


def test_no_unit_is_begun_after_the_minutes(study, capsys, monkeypatch):
    monkeypatch.setattr(results.time, "monotonic", iter(range(0, 100_000, 1000)).__next__)
    assert "6 missing" in told(capsys, "demo2000", "--minutes", "0.01")
    assert not CALLS
