"""The store: computed once, resumed, merged and never replaced by something smaller."""

import subprocess
import sys
import threading
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from joblib import Parallel, delayed
from joblib.externals.loky import get_reusable_executor

from polytopic import paths, source
from polytopic.corpus import Corpus
from polytopic.study import store
from polytopic.study.store import Place, Result

TINY = Corpus(np.eye(4, dtype=np.int32), np.eye(4, dtype=bool), name="tiny")
CALLS = []


@pytest.fixture
def doubling(monkeypatch, tmp_path):
    """An experiment with two axes that notes its calls, in a study and a cache of its own."""
    monkeypatch.setenv(paths.HOME, str(tmp_path))
    monkeypatch.setenv(paths.CACHE, str(tmp_path / "cache"))
    monkeypatch.setattr(store, "EXPERIMENTS", {})
    CALLS.clear()
    return store.experiment(
        "demo2000",
        scales={
            "quick": {"model": ["a"], "number": range(2), "factor": 2},
            "medium": {"model": ["a"], "number": range(1), "factor": 2},
            "paper": {"model": ["a", "b"], "number": range(3), "factor": 10},
        },
        corpora=("tiny",),
        reads=lambda name: TINY,
    )(double)


def double(corpus, *, model, number, factor=2, seed):
    CALLS.append((model, number, factor, seed))
    if (model, number) == ("b", 1) and "stop" in CALLS[0]:
        raise KeyboardInterrupt
    return pd.DataFrame({"cutoff": ["", "bep"], "value": [factor * number / 3, np.nan]})


def test_a_unit_is_computed_once(doubling):
    first = store.collect(doubling, TINY)
    again = store.collect(doubling, TINY)
    assert CALLS == [("a", 0, 2, 0), ("a", 1, 2, 0)]
    pd.testing.assert_frame_equal(first, again)
    assert list(first) == ["corpus", "scale", "seed", "model", "number", "cutoff", "value"]
    assert not (paths.results() / "demo2000").exists()


def test_a_larger_scale_is_stored_and_read_to_the_last_bit(doubling):
    found = store.collect(doubling, TINY, "paper", seed=3)
    pd.testing.assert_frame_equal(store.read(doubling), found, check_dtype=False)
    assert store.read(doubling)["value"].iloc[2] == 10 / 3
    made = store.read(doubling).attrs["made"]
    assert [(one["unit"]["model"], one["unit"]["number"]) for one in made][:2] == [("a", 0), ("a", 1)]
    assert {one["code"] for one in made} == {doubling.code}
    assert made[0]["settings"] == {"factor": 10}
    assert sorted(path.name for path in (paths.results() / "demo2000" / "double").iterdir()) == [
        "tiny-paper-seed3.csv",
        "tiny-paper-seed3.json",
    ]
    CALLS.clear()
    store.collect(doubling, TINY, "paper", seed=3)
    assert not CALLS


def test_units_are_stored_in_the_order_of_their_scale(doubling):
    """Lines ran back and forth where units had been computed in another order."""
    for unit in reversed(doubling.units("paper")):
        store.collect(doubling, TINY, "paper", only=[unit])
    found = store.read(doubling)
    wanted = [(unit["model"], unit["number"]) for unit in doubling.units("paper")]
    assert list(zip(found["model"], found["number"], strict=True))[::2] == wanted
    assert [tuple(one["unit"].values()) for one in found.attrs["made"]] == wanted


def test_a_smaller_run_never_replaces_a_larger_one(doubling):
    """Files were named by kind and corpus alone: a medium run overwrote hours of a paper-scale one."""
    whole = store.collect(doubling, TINY, "paper")
    store.collect(doubling, TINY, "medium")
    store.collect(doubling, TINY, "paper", number=[1], model=["b"])
    pd.testing.assert_frame_equal(store.read(doubling, scale="paper"), whole, check_dtype=False)
    assert len(store.read(doubling, scale="medium")) == 2
    pd.testing.assert_frame_equal(store.read(doubling), whole, check_dtype=False)


def test_other_settings_than_the_scales_are_not_stored(doubling):
    found = store.collect(doubling, TINY, "paper", factor=1)
    assert found["value"].max() == 2 / 3
    assert store.read(doubling).empty


def test_other_code_computes_anew_what_is_kept_and_flags_what_is_stored(doubling, monkeypatch):
    """One key held two different results, because the code was no part of it."""
    store.collect(doubling, TINY)
    store.collect(doubling, TINY, "paper")
    assert store.overview()["other_code"].tolist() == [0]
    CALLS.clear()
    monkeypatch.setattr(source, "digest", lambda *behind, apart: "another")
    store.collect(doubling, TINY)
    assert len(CALLS) == 2
    store.collect(doubling, TINY, "paper")
    assert len(CALLS) == 2
    assert store.overview()["other_code"].tolist() == [6]


@pytest.mark.parametrize(
    "name", ["burkhardt2018/statistics", "burkhardt2018/layers", "papanikolaou/gibbs1", "tai2012/ridge"]
)
def test_all_that_runs_in_a_unit_is_behind_its_digest(name, monkeypatch, tmp_path):
    """Otherwise a change of it would leave the digest, and two results would lie under one key.

    Of all that the package's Python runs, but for what reads and stores, and what these call.
    """
    monkeypatch.setenv(paths.CACHE, str(tmp_path))
    store.load()
    which, ran = store.EXPERIMENTS[name], set()
    apart = store.__name__, *store.APART

    def note(frame, event, _):
        code, own = frame.f_code, set()
        if event != "call" or not code.co_filename.startswith(f"{source.ROOT}/"):
            return
        while frame and frame.f_code is not unit.__code__:
            own.add(frame.f_globals.get("__name__") or "")
            frame = frame.f_back
        if not any(f"{one}.".startswith(f"{two}.") for one in own for two in apart):
            path = code.co_filename.removeprefix(f"{source.ROOT.parent}/").removesuffix(".py")
            module = path.replace("/", ".").removesuffix(".__init__")
            ran.update((module, name) for name in code.co_qualname.partition(".<")[0].split("."))

    def unit():
        seeded = {"seed": 0} if "seed" in which.function.__code__.co_varnames else {}
        which.function(corpus, **which.units("quick")[0], **seeded)

    corpus = which.reads("debtags")
    unit()  # so that what is compiled is compiled
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        unit()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    code = source.reached(*which.behind, apart=apart)
    missing = [one for one in ran if f"Def(name='{one[1]}'" not in code.get(one[0], "") and one[1][0] != "<"]
    assert not missing and len(ran) > 1


def test_a_page_says_on_what_it_rests(doubling, monkeypatch):
    """None of 3,849 stored results was made by the code beside them, and no page said so."""
    monkeypatch.setattr(store, "READ", {})
    doubling = replace(doubling, corpora=("tiny",))
    assert "reads nothing from the stored results" in store.rests_on()
    store.collect(doubling, TINY)
    assert "reads nothing from the stored results" in store.rests_on()
    store.collect(doubling, TINY, "paper", only=doubling.units("paper")[:4])
    store.read(doubling)
    assert store.rests_on().endswith(f" Not computed yet: 2 of 6 of {doubling.full_name} on tiny.")
    store.collect(doubling, TINY, "paper")
    month = time.strftime("%Y-%m", time.gmtime())
    assert store.rests_on() == f"This page rests on 6 stored results, of which this code made 6, in {month}."
    monkeypatch.setattr(source, "digest", lambda *behind, apart: "another")
    store.collect(doubling, TINY, "paper", force=True, only=doubling.units("paper")[:2])
    monkeypatch.setattr("polytopic.__version__", "9.9")
    text = store.rests_on()
    assert (
        "6 stored results, of which this code made 2, in" in text and "by earlier code of version 1" in text
    )


def test_a_stored_unit_stays_unless_forced(doubling):
    """Two processes may finish the same unit: what the first has stored is what others have read."""
    place, unit = Place(doubling, "tiny", "paper", 0), doubling.units("paper")[0]
    for value, force, expected in [(1.0, False, 1.0), (2.0, False, 1.0), (3.0, True, 3.0)]:
        place.add(unit, Result(pd.DataFrame({"cutoff": [""], "value": [value]})), TINY.digest, force)
        assert store.read(doubling)["value"].tolist() == [expected]


def test_a_unit_computed_again_says_how_far_it_moved(doubling, monkeypatch):
    """What other code had made is compared with it, times left out; the same code's second run changes nothing."""
    place, unit = Place(doubling, "tiny", "paper", 0), doubling.units("paper")[0]
    rows = pd.DataFrame(
        {"measure": ["f1", "auc", "fit_seconds"], "value": [0.5, np.nan, 3.0], "seconds": 1.0}
    )
    first, second = (
        {"code": "old", "equal": 1.0, "moved": None},
        {"code": "new", "equal": 0.5, "moved": 0.375},
    )
    for code, moved, expected in [
        ("old", 1.0, []),
        ("new", 1 + 1e-8, [first]),
        ("new", 2.0, [first]),
        ("newer", 1.25, [first, second]),
    ]:
        monkeypatch.setattr(store.Experiment, "code", code)
        place.add(
            unit, Result(rows.assign(value=rows["value"] * moved, seconds=moved)), TINY.digest, force=True
        )
        (made,) = place.keys.values()
        assert [{name: one[name] for name in first} for one in made["again"]] == expected


@pytest.mark.parametrize(
    ("after", "equal", "moved"),
    [
        ({"m": ["a", "b", "c"], "v": [1.0, 2.0, 9.0]}, 1.0, None),  # a new row
        ({"m": ["a", "b"], "v": [1.0, 2.0], "w": [0.0, 0.0]}, 1.0, None),  # a new column
        ({"m": ["b", "a"], "v": [2.0, 1.0]}, 1.0, None),
        ({"m": ["a"], "v": [1.0]}, 0.5, None),
        ({"m": ["a", "b"], "v": [1.0, 4.0]}, 0.5, 0.5),
        ({"m": ["a", "b"]}, 0.0, None),
    ],
)
def test_what_is_new_is_no_move_and_what_is_lost_is(after, equal, moved):
    """A column of own thresholds made every measure of 200 results count as moved."""
    found = store.compared(pd.DataFrame({"m": ["a", "b"], "v": [1.0, 2.0]}), pd.DataFrame(after))
    assert found == {"equal": equal, "moved": moved}
    texts = pd.DataFrame({"word": ["a", "b"]})
    assert store.compared(texts, texts[:1])["equal"] == 0.5


def test_a_unit_of_tables_alone_is_computed_again(doubling, monkeypatch):
    place, unit = Place(doubling, "tiny", "paper", 0), doubling.units("paper")[0]
    for code in ("old", "new"):
        monkeypatch.setattr(store.Experiment, "code", code)
        only = Result(pd.DataFrame(), {"words": pd.DataFrame({"word": ["a"]})})
        place.add(unit, only, TINY.digest, force=True)
    assert [one["equal"] for made in place.keys.values() for one in made["again"]] == [1.0]


def test_an_interrupted_run_keeps_its_finished_units(doubling):
    CALLS.append(("stop",))
    with pytest.raises(KeyboardInterrupt):
        store.collect(doubling, TINY, "paper")
    assert len(store.read(doubling)) == 8
    CALLS.clear()
    store.collect(doubling, TINY, "paper")
    assert CALLS == [("b", 1, 10, 0), ("b", 2, 10, 0)]


def test_tables_arrays_and_notes_come_back(doubling, monkeypatch):
    def ranked(corpus, *, number, seed):
        labels = pd.DataFrame({"label": ["x,y", 'a"b'], "value": [number, 0.1]})
        return Result(
            pd.DataFrame({"value": [1.0]}), {"labels": labels}, {"ranks": np.arange(3)}, {"C": {"a": [1, 2]}}
        )

    made = store.experiment("demo2000", {"paper": {"number": range(2)}}, reads=lambda name: TINY)(ranked)
    store.collect(made, TINY, "paper")
    assert store.read(made, table="labels")["label"].tolist() == ["x,y", 'a"b'] * 2
    found = store.units(made, TINY, "paper")
    assert [kept.notes for _, kept in found] == [{"C": {"a": [1, 2]}}] * 2
    np.testing.assert_array_equal(found[1][1].arrays["ranks"], np.arange(3))


def test_results_of_another_corpus_of_that_name_are_refused(doubling):
    store.collect(doubling, TINY, "paper")
    other = Corpus(2 * np.eye(4, dtype=np.int32), np.eye(4, dtype=bool), name="tiny")
    with pytest.raises(ValueError, match="another content of tiny"):
        store.collect(doubling, other, "paper")


def test_units_by_other_axes_are_named(doubling):
    """An experiment that had gained an axis once ended in a KeyError, and lost what it had computed."""
    store.collect(doubling, TINY, "paper")
    path = paths.results() / "demo2000" / "double" / "tiny-paper-seed0.json"
    path.write_text(path.read_text().replace('"unit": {', '"unit": {"colour": "red", ', 1))
    with pytest.raises(ValueError, match="holds units by .*colour.* delete it"):
        store.collect(doubling, TINY, "paper")


def test_results_of_a_scale_that_is_gone_are_named(doubling):
    """The table of all results once ended in "unknown scale", and said neither where nor what to do."""
    store.collect(doubling, TINY, "paper")
    del doubling.scales["paper"]
    for look in (store.overview, lambda: store.read(doubling)):
        with pytest.raises(
            ValueError, match="tiny-paper-seed0.json holds results of a scale .* it has quick and medium"
        ):
            look()


def test_a_damaged_file_is_named(doubling):
    store.collect(doubling, TINY, "paper")
    path = paths.results() / "demo2000" / "double" / "tiny-paper-seed0.json"
    path.write_text(path.read_text()[:-20])
    with pytest.raises(ValueError, match="tiny-paper-seed0.json is not whole"):
        store.read(doubling)


def test_a_full_disk_loses_no_result(doubling, monkeypatch):
    def full(path, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("polytopic.study.store.write_whole", full)
    with pytest.warns(UserWarning, match="could not be stored"):
        found = store.collect(doubling, TINY, "paper", number=[1], model=["a"])
    assert found["value"].iloc[0] == 10 / 3
    monkeypatch.undo()


def test_the_seconds_of_a_unit_count_those_of_its_workers():
    """Of two that wait for more work and of one that has ended: without the two it would be .5, without all 0."""

    def spin():
        began = time.process_time()
        while time.process_time() - began < 0.5:
            pass

    def work(corpus):
        Parallel(n_jobs=2)(delayed(spin)() for _ in range(2))
        subprocess.run(
            [sys.executable, "-c", "import time\nwhile time.process_time() < 0.5: pass"], check=True
        )
        return pd.DataFrame()

    get_reusable_executor().shutdown()  # new workers, which have not worked yet
    assert 1.4 < store._unit("demo", {}, "", "", work, TINY).seconds < 60


def test_times_are_never_kept(doubling):
    timed = store.experiment("demo2000", doubling.scales, name="times", timed=True, reads=lambda name: TINY)(
        double
    )
    store.collect(timed, TINY)
    store.collect(timed, TINY)
    assert len(CALLS) == 4


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"scale": "papre"}, "did you mean 'paper'"),
        ({"scale": 3}, "scale"),
        ({"nummer": [1]}, "did you mean 'number'"),
        ({"number": []}, "number of demo2000/double has no value"),
        ({"seed": -1}, "seed"),
        ({"corpus": 3}, "a corpus is named by a text, got 3"),
    ],
)
def test_unknown_names_are_told(doubling, how, message):
    with pytest.raises(ValueError, match=message):
        store.collect(doubling, **{"corpus": TINY} | how)


def test_a_cluster_computes_the_same_units(doubling, monkeypatch):
    """--dask sets POLYTOPIC_DASK."""
    distributed = pytest.importorskip("distributed")
    expected = store.collect(doubling, TINY, "paper")
    how = {"processes": False, "host": "127.0.0.1", "protocol": "tcp://", "dashboard_address": ":0"}
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, **how) as cluster:
        monkeypatch.setenv(store.DASK, cluster.scheduler_address)
        CALLS.clear()
        found = store.collect(doubling, TINY, "paper", force=True)
    assert len(CALLS) == 6  # the worker is a thread of this process
    pd.testing.assert_frame_equal(found, expected)


def test_rows_of_a_unit_that_was_not_finished_count_for_nothing(doubling):
    """A process killed between the rows and the head leaves rows that the head does not name; the rest stays."""
    store.units(doubling, TINY, "paper", only=doubling.units("paper")[:2])
    place = Place(doubling, "tiny", "paper", 0)
    head = place._path(".json").read_bytes()
    store.units(doubling, TINY, "paper", only=doubling.units("paper")[2:3])
    place._path(".json").write_bytes(head)
    found = place.units(TINY.digest)
    assert len(found) == 2 and all(len(kept.rows) for kept in found.values())
    store.units(doubling, TINY, "paper")
    whole = store.read(doubling)
    assert len(whole) == 12 and not whole[["model", "number", "cutoff"]].duplicated().any()


def test_a_table_that_no_unit_has_has_the_columns_of_place_and_axes(doubling):
    """A notebook that leaves out the split failed on a corpus without rare labels, for want of such a column."""
    found = store.collect(doubling, TINY, table="further")
    assert found.empty and list(found) == ["corpus", "scale", "seed", "model", "number"]
