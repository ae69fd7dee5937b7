"""The benchmarks' results, read back."""

import numpy as np
import pandas as pd
import pytest

from polytopic import paths
from polytopic.files import write_whole
from polytopic.study import speed

AIMS = """question,quantity,sense,aim,sampler,model,peer
sweep,speed,at least,2,training,,textbook loop
sweep,growth,at most,2,,,
scan,memory,at most,24,,,
"""


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.setenv(paths.HOME, str(tmp_path))
    write_whole(tmp_path / "benchmarks" / "aims.csv", AIMS)
    return tmp_path / "benchmarks" / "results"


def test_a_table_comes_with_its_machine(study):
    write_whole(
        study / "sweep.csv", "# cpu: a fast one\n# repeats: 5\nname,ns\n# 1,2.5\n".replace("# 1", "#1")
    )
    table = speed.read("sweep")
    assert table.attrs == {"cpu": "a fast one", "repeats": "5"}
    assert table.to_dict("list") == {"name": ["#1"], "ns": [2.5]}
    with pytest.raises(ValueError, match="polytopic bench scan"):
        speed.read("scan_aims")


def test_aims_are_met_missed_or_not_measured(study):
    write_whole(
        study / "sweep_aims.csv", "# cpu: x\nquantity,value,low,high\nspeed,1.9,1.8,2.1\ngrowth,2,,\n"
    )
    table = speed.aims()
    assert list(table["met"]) == [False, True, None]
    assert list(speed.aims(questions=["scan"])["quantity"]) == ["memory"]
    assert speed.aims_table(table)["met"].tolist() == ["MISSED", "met", "not measured"]
    assert speed.aims_text(table).endswith("1 of 2 measured aims are met, 3 aims in all.")


def test_values_at_other_sizes_have_a_remark(study):
    write_whole(study / "sweep_aims.csv", "# sizes: other\nquantity,value,low,high\nspeed,3,2,4\n")
    assert speed.aims_table(speed.aims())["met"].tolist()[:2] == ["met, at other sizes", "not measured"]


def test_other_machines_stand_beside_ours(study):
    """Each aim that they measured and no other: missed here and met there, and the other way round."""
    write_whole(study / "sweep_aims.csv", "# cpu: x\nquantity,value,low,high\nspeed,1.9,,\ngrowth,2,,\n")
    assert speed.elsewhere(speed.aims()).empty
    there = study.parent / "elsewhere" / "big"
    write_whole(there / "sweep_aims.csv", "# cpu: y\nquantity,value,low,high\nspeed,2.5,2,3\n")
    write_whole(
        study.parent / "elsewhere" / "old" / "scan_aims.csv",
        "# cpu: z\nquantity,value,low,high\nmemory,30,,\n",
    )
    found = speed.elsewhere(speed.aims())
    assert found[["cpu", "quantity", "here", "met_here", "value", "met"]].fillna(0).values.tolist() == [
        ["y", "speed", 1.9, "MISSED", 2.5, "met"],
        ["z", "memory", 0, "not measured", 30, "MISSED"],
    ]


def test_without_any_result_nothing_is_measured(study):
    assert set(speed.aims()["met"]) == {None}
    assert speed.aims_text(speed.aims(questions=[])) == "No aims."


# Laws and what they predict


def growth():
    labels = np.array([1_000, 4_000, 64_000])
    return pd.DataFrame(
        {
            "name": "Flat-LDA", "against": "labels", "labels": labels, "median": 10 * labels**0.5,
            "nonzeros": 200 * labels, "bytes": 1e6 + 20 * 200 * labels,
        }
    )  # fmt: skip


def run(prediction_ns=10_000.0):
    sizes = {
        "labels": 10**6,
        "nonzeros": 5 * 10**7,
        "documents": 3 * 10**6,
        "tokens": 12 * 10**7,
        "base_gb": 0.6,
    }
    rows = [
        ("words over labels, a group of chains", 40.0, 0, 6.0),
        ("topics over labels, a chain", 200.0, 0, 7.0),
        ("tables of Flat-LDA", 100.0, 2e9, 8.0),
        ("prediction, Flat-LDA", prediction_ns, 0, 9.0),
    ]
    return pd.DataFrame(rows, columns=["step", "ns", "bytes", "peak_gb"]).assign(**sizes)


def test_growth_predicts_the_large_run():
    time, memory = speed.predicted(growth(), run(), ["Flat-LDA"]).to_dict("records")
    assert time["predicted"] == pytest.approx(10 * 1000) and time["times"] == pytest.approx(1)
    # a line through the smallest and largest alone, or one without its fixed part, would differ by 1e6
    assert memory["predicted"] == pytest.approx(1.001) and memory["times"] == pytest.approx(2 / 1.001)
    assert speed.predicted(growth(), run(20_000.0), ["Flat-LDA"])["times"][0] == pytest.approx(2)
    counts = speed.counts_per_label(growth(), run())
    assert counts["counts"].tolist() == [200, 200, 200, 50]


def test_what_grows_is_counted_in_waits_for_memory():
    rows = [
        ("Flat-LDA", 64_000, 70.0, 0.06, "labels"),
        (speed.CHASE, 1_000, 10.0, np.nan, "labels"),
        ("Flat-LDA", 1_000, 40.0, 0.04, "labels"),
        (speed.CHASE, 64_000, 120.0, np.nan, "labels"),
        ("Flat-LDA", 4_000, 999.0, 9.0, "topics"),
        ("Prior-LDA", 64_000, 90.0, 0.1, "labels"),
    ]
    table = pd.DataFrame(rows, columns=["name", "labels", "median", "new_per_token", "against"])
    waits = speed.waits(table, ["Flat-LDA"])
    assert waits["labels"].tolist() == [1_000, 64_000] and set(waits["model"]) == {"Flat-LDA"}
    assert waits["waits"].tolist() == [0, (70 - 40) / 120]  # 3 if the load were that among the fewest labels
    assert waits["load"].tolist() == [10, 120] and waits["new"].tolist() == [0.04, 0.06]


def test_what_a_further_sweep_takes_is_compared_between_the_fewest_and_the_most_labels():
    rows = [
        ("Flat-LDA", labels, after, sweeps, ns * (3 if labels == 64_000 else 1), "sweeps")
        for labels in (64_000, 1_000)
        for after, sweeps, ns in ((0.0, 1.0, 90.0), (1.0, 3.0, 40.0))
    ]
    rows += [
        ("Flat-LDA", 1_000, np.nan, np.nan, 7.0, "labels"),
        ("Prior-LDA", 1_000, 0.0, 1.0, 8.0, "sweeps"),
    ]
    table = pd.DataFrame(rows, columns=["name", "labels", "after", "sweeps", "median", "against"])
    settling = speed.settling(table, ["Flat-LDA"])
    assert settling[["from", "to"]].to_numpy().tolist() == [[1, 1], [2, 3]]
    assert settling["ns, 1,000 labels"].tolist() == [90, 40] and settling["times"].tolist() == [3, 3]


def test_a_plan_is_in_proportion_to_tokens_chains_and_sweeps():
    table = speed.plan(run(), 10_000_000, 40, 5.0, 48, 100, 10, 500, cores=2)
    words, topics = table.to_dict("records")
    assert words["hours"] == pytest.approx(
        40e-9 * 4e8 * 3 * 100 / 3600 / 2
    )  # 16 times as much chain by chain
    assert topics["hours"] == pytest.approx(200e-9 * 5e7 * 5000 / 3600 / 2)
    assert words["gb"] == pytest.approx(0.6 + 5.4 * 10 / 3)  # 20 if the start were not set apart
    assert speed.documents_that_fit(table, run(), 10_000_000, 24) == pytest.approx(1e7 * 23.4 / 18)


def test_what_was_tried_and_left_out_is_told_with_its_figures():
    tried = pd.read_csv(paths.root() / "benchmarks" / "tried.csv")
    assert tried.notna().all(axis=None) and set(tried["model"]) <= {"Flat-LDA", "Prior-LDA", "Dependency-LDA"}
    slower = tried["with_it"] > tried["before"]
    assert slower.any() and (~slower).any()


def test_a_missed_aim_stands_beside_what_memory_costs():
    rows = [
        ("prediction", "Flat-LDA", "Flat-LDA, sparse", 33, 22.0, False),
        ("prediction", "Prior-LDA", "Prior-LDA, sparse", 25, 12.0, False),
        ("labels_growth", "Flat-LDA", None, 2, 2.5, False),
        ("threads", "training", None, 1.8, 1.9, True),
        ("cgs_p", "time", None, 1.3, np.nan, None),
    ]
    aims = pd.DataFrame(rows, columns=["question", "quantity", "sampler", "aim", "value", "met"])
    samplers = pd.DataFrame(
        {"name": ["Flat-LDA, sparse", "Prior-LDA, sparse"], "median": [200.0, 200.0], "memory": [80.0, 20.0]}
    )
    found = speed.missed(aims, samplers)
    assert found["without_memory"].tolist()[:2] == pytest.approx([22 / 0.6, 12 / 0.9])
    assert found["enough"].tolist() == [True, False, ""] and found["memory"].isna().tolist() == [
        False,
        False,
        True,
    ]
    unknown = speed.missed(aims, samplers.assign(memory=np.nan))
    assert unknown["ns"].tolist()[:2] == [200, 200] and unknown["enough"].tolist() == ["", "", ""]
    assert speed.missed(aims[3:], samplers).empty


def test_the_steps_of_a_sweep_stand_beside_each_other():
    rows = [(speed.SWEEP, 300.0), (speed.HELD, 90.0), (speed.DRAW, 80.0), (speed.OTHERS, 130.0)]
    table = pd.DataFrame(rows, columns=["step", "median"])
    table = table.assign(
        name="Prior-LDA, sparse",
        part="steps",
        held=100.0,
        outside=60.0,
        looked=20.0,
        loads=np.where(table["step"] == speed.HELD, 40, np.nan),
    )
    (row,) = speed.steps(table).to_dict("records")
    assert [row[name] for name in ("held", "outside", "looked", "loads")] == [100, 60, 20, 40]
    assert (row[speed.SWEEP], row[speed.HELD]) == (300, 90)


def test_what_an_aim_leaves_stands_beside_what_ours_takes():
    rows = [
        ("Flat-LDA", "textbook loop", "ns", 5000.0), ("Flat-LDA", "sparse, exact", "ns", 90.0),
        ("Flat-LDA", "ours", "s", 0.06), ("Flat-LDA", "tomotopy", "s", 12.5),
    ]  # fmt: skip
    measured = pd.DataFrame(rows, columns=["model", "name", "unit", "median"])
    aims = pd.DataFrame(
        [("Flat-LDA", "textbook loop", 25), ("Flat-LDA", "tomotopy", 250), ("Flat-LDA", "MALLET", 2)],
        columns=["model", "peer", "aim"],
    ).assign(question="prediction")
    found = speed.room(aims, "prediction", measured)
    assert found[["left", "ours"]].to_numpy().tolist() == [[200, 90], [0.05, 0.06]]
    assert speed.room(aims, "threads", measured).empty


def test_every_aim_of_a_sampler_names_one_that_the_roofline_times():
    """What a missed aim would need was once found by taking its words apart."""
    aims, roofline = speed.aims(), speed.read("roofline")
    named = set(aims["sampler"].dropna())
    assert len(named) == 4 and named <= set(roofline.loc[roofline["part"] == "samplers", "name"])
    peers = aims[aims["quantity"].str.contains("tomotopy|MALLET|textbook")]
    assert all(row.peer.removeprefix("the ") in row.quantity for row in peers.itertuples())
    assert not speed.room(aims, "prediction", speed.read("prediction")).empty


def test_what_one_document_takes_is_told_with_what_misses_its_aim(study):
    head = "# cpu: a fast one\n# length: 40\nmodel,labels,ms,ms_95,documents,naive_ms,times_faster,aim_ms\n"
    write_whole(
        study / "latency.csv", head + "slow,600,42.2,46,30,72,1.7,20\nquick,5000,99.6,120,30,200,2,100\n"
    )
    text = speed.latency_text()
    assert "a document of 40 words" in text and "is missed by 1 of 2.\n" in text
    assert "| slow | 600 | 42 | 46 | 72 | missed |" in text
    assert "| quick | 5,000 | 100 | 120 | 200 | met |" in text
