"""The benchmarks' results, read back."""

import numpy as np
import pandas as pd
import pytest

from polytopic import paths
from polytopic.files import write_whole
from polytopic.study import speed

AIMS = """question,quantity,sense,aim
sweep,speed,at least,2
sweep,growth,at most,2
scan,memory,at most,24
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
    text = speed.aims_text(table)
    assert text.endswith("1 of 2 measured aims are met, 3 aims in all.")
    assert [line.split()[-1] for line in text.splitlines()[:3]] == ["MISSED", "met", "measured"]


def test_values_at_other_sizes_have_a_remark(study):
    write_whole(study / "sweep_aims.csv", "# sizes: other\nquantity,value,low,high\nspeed,3,2,4\n")
    first, second, *_ = speed.aims_text(speed.aims()).splitlines()
    assert first.endswith("met, at other sizes") and second.endswith("not measured")


def test_without_any_result_nothing_is_measured(study):
    assert set(speed.aims()["met"]) == {None}
    assert speed.aims_text(speed.aims(questions=[])) == "No aims."


# Laws and what they foretell


def test_laws_find_themselves_again():
    x = np.array([1e3, 4e3, 1.6e4, 6.4e4])
    assert speed.power(x, 80 * x**0.25) == pytest.approx((80, 0.25))
    assert speed.line(x, 5e6 + 24 * x) == pytest.approx((5e6, 24))
    assert speed.power([1, 2], [3, 12]).at(4) == pytest.approx(48)
    assert speed.line([1, 2], [3, 5]).at([3, 4]) == pytest.approx([7, 9])


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
        "labels": 1_000_000,
        "nonzeros": 50_000_000,
        "documents": 3_000_000,
        "tokens": 120_000_000,
        "base_gb": 0.6,
    }
    rows = [
        ("words over labels, a group of chains", 40.0, 0, 6.0),
        ("topics over labels, a chain", 200.0, 0, 7.0),
        ("tables of Flat-LDA", 100.0, 2e9, 8.0),
        ("prediction, Flat-LDA", prediction_ns, 0, 9.0),
    ]
    return pd.DataFrame(rows, columns=["step", "ns", "bytes", "peak_gb"]).assign(**sizes)


def test_growth_foretells_the_large_run():
    time, memory = speed.foretold(growth(), run(), ["Flat-LDA"]).to_dict("records")
    assert time["foretold"] == pytest.approx(10 * 1000) and time["times"] == pytest.approx(1)
    # a line through the smallest and largest alone, or one without its fixed part, would differ by 1e6
    assert memory["foretold"] == pytest.approx(1.001) and memory["times"] == pytest.approx(2 / 1.001)
    text = speed.foretold_text(speed.foretold(growth(), run(20_000.0), ["Flat-LDA"]))
    assert "ns per token: measured 2.00 (Flat-LDA) to 2.00" in text


def test_what_a_document_holds_is_told_from_the_fewest_to_the_most_labels():
    table = growth().assign(held=[5.0, 9.0, 30.0], new_per_token=[0.01, 0.02, 0.25])
    text = speed.traffic_text(table.iloc[::-1], ["Flat-LDA"])
    assert "from 1,000 to 64,000 labels: a document holds 5 to 30 labels" in text
    assert "brings in 0.010 to 0.250 new ones" in text


def test_a_plan_is_in_proportion_to_tokens_chains_and_sweeps():
    table = speed.plan(run(), 10_000_000, 40, 5.0, 48, 100, 10, 500, cores=2)
    words, topics = table.to_dict("records")
    assert words["hours"] == pytest.approx(
        40e-9 * 4e8 * 3 * 100 / 3600 / 2
    )  # 16 times as much chain by chain
    assert topics["hours"] == pytest.approx(200e-9 * 5e7 * 5000 / 3600 / 2)
    assert words["gb"] == pytest.approx(0.6 + 5.4 * 10 / 3)  # 20 if the start were not set apart
    text = speed.plan_text(table, 10_000_000, run(), 24)
    assert "18.6 GB" in text and "24 GB hold 13 million documents" in text


def test_a_missed_aim_is_told_with_what_memory_costs():
    rows = [
        ("prediction", "Flat-LDA: speed over the textbook loop", "at least", 33, 22.0, False),
        ("prediction", "Prior-LDA: speed over the textbook loop", "at least", 25, 12.0, False),
        ("labels_growth", "Flat-LDA: time", "at most", 2, 2.5, False),
        ("threads", "training", "at least", 1.8, 1.9, True),
        ("cgs_p", "time", "at most", 1.3, np.nan, None),
    ]
    aims = pd.DataFrame(rows, columns=["question", "quantity", "sense", "aim", "value", "met"])
    samplers = pd.DataFrame(
        {"name": ["Flat-LDA, sparse", "Prior-LDA, sparse"], "median": [200.0, 200.0], "memory": [80.0, 20.0]}
    )
    lines = speed.missed_text(aims, samplers).splitlines()
    assert len(lines) == 3
    assert lines[0].endswith("40% of its time: without any wait it would be 36.7, enough.")
    assert lines[1].endswith("10% of its time: without any wait it would be 13.3, still too little.")
    assert lines[2].endswith("2.5 instead of at most 2.")
    unknown = speed.missed_text(aims, samplers.assign(memory=np.nan)).splitlines()
    assert unknown[0].endswith("A token takes 200 ns, memory not told apart.")
    assert speed.missed_text(aims[3:], samplers) == "No measured aim is missed."


def test_sizes_are_put_into_words():
    assert "1,000,000 labels, 3,000,000 documents, 120,000,000 tokens: 2 minutes" in speed.run_text(
        run().assign(wall=30.0)
    )
    assert "200 to 200 non-zero counts at the smaller sizes and 50" in speed.density_text(growth(), run())
    protocol = pd.DataFrame({"part": ["a", "b"], "done": [1.0, 0.02], "whole_hours": [0.5, 0.25]})
    protocol.attrs.update(documents="17400", length="850", labels="3993", test_documents="1930", threads="2")
    assert "documents 17,400" in speed.protocol_text(protocol)
    assert speed.protocol_text(protocol).endswith(
        "0.75 hours on 2 cores. Of its parts 2.0% or more ran; the rest is extrapolated."
    )
    assert speed.protocol_text(protocol.assign(done=1.0)).endswith("It ran in full.")


def test_the_largest_part_of_the_time_comes_first():
    samplers = pd.DataFrame(
        {"name": ["a"], speed.MEMORY: [30.0], speed.RANDOM: [10.0], speed.REST: [60.0], "median": [100.0]}
    )
    assert speed.parts_text(samplers) == "a: 60% arithmetic and branches, 30% memory, 10% random numbers"
    unknown = samplers.assign(**{speed.MEMORY: np.nan, speed.REST: 90.0})
    assert speed.parts_text(unknown) == "a: 90% memory, arithmetic and branches, 10% random numbers"


def steps(**others):
    rows = [(speed.SWEEP, 300.0), (speed.HELD, 90.0), (speed.DRAW, 80.0), (speed.OTHERS, 130.0)]
    table = pd.DataFrame(rows, columns=["step", "median"])
    return table.assign(name="Prior-LDA, sparse", held=100.0, loads=40.0, **others)


def test_the_steps_of_a_sweep_are_told_the_longest_first():
    text = speed.steps_text(steps())
    assert text.startswith(
        "Prior-LDA, sparse: 300 ns a token: the rest 130, choosing among the labels held 90"
    )
    assert "Of the 100 labels held" in text and text.endswith("take 40 ns.")


def test_what_an_aim_leaves_for_a_token_stands_beside_what_the_steps_take():
    prediction = pd.DataFrame({"model": ["Prior-LDA"], "name": ["textbook loop"], "median": [5000.0]})
    rows = [("Prior-LDA", 25), ("Flat-LDA", 33)]
    aims = pd.DataFrame(
        [("prediction", f"{model}: speed over the textbook loop", aim) for model, aim in rows],
        columns=["question", "quantity", "aim"],
    )
    (line,) = speed.room_text(steps(), prediction, aims).splitlines()  # Flat-LDA has no steps here
    assert "takes 5000 ns a token, so that 25 times its speed leaves 200" in line
    assert line.endswith("the steps without the rest take 170.")


def test_what_a_chain_alone_may_take_follows_from_the_peer():
    names = {"tomotopy": 12.5, "ours": 0.06, "sparse, exact": 90.0}
    prediction = pd.DataFrame({"model": "Flat-LDA", "name": list(names), "median": list(names.values())})
    prediction.attrs.update(peer_documents="10", length="500", peer_sweeps="100")
    aims = pd.DataFrame({"quantity": ["100 sweeps: speed over tomotopy"], "aim": [250]})
    text = speed.single_text(prediction, aims)
    assert (
        "tomotopy takes 25,000 ns a token, so that 250 times its speed leaves 100; ours takes 120, and 90"
        in text
    )
    assert speed.single_text(prediction[1:], aims) == "tomotopy was not at hand."


def test_what_threads_gain_is_told_as_a_share_of_what_the_machine_gives():
    rows = [("training", 1, 1.6), ("training", 2, 1.6), (speed.ALONE, 1, 2.0), (speed.ALONE, 2, 2.0)]
    threads = pd.DataFrame(rows, columns=["work", "threads", "speed_of_most_threads"])
    text = speed.threads_text(threads)
    assert (
        text == "Random numbers alone run 2.00 times as fast on 2 threads as on one; of that, training 80%."
    )
    assert "not measured" in speed.threads_text(threads[:2])


def test_what_a_load_waits_is_told_from_the_smallest_footprint():
    rows = [(speed.CHASE, 2**22, 149.2), (speed.CHASE, 2**14, 2.866), (speed.TRIAD, 2**14, 0.2)]
    machine = pd.DataFrame(rows, columns=["name", "footprint", "median"])
    assert speed.latency_text(machine).endswith("takes 2.87 ns in 16 KiB, 149 ns in 4 MiB.")


def test_what_an_aim_over_topics_leaves_stands_beside_every_sampler():
    names = {"dense": 150.0, "tree": 220.0, "tomotopy": 176.0, "ours": 220.0, "textbook loop": 300.0}
    table = pd.DataFrame(
        {"items": "words", "topics": 100, "name": list(names), "median": list(names.values())}
    )
    aims = pd.DataFrame({"quantity": ["speed over tomotopy at K = 100"], "aim": [1.1]})
    assert speed.topics_text(table, aims) == (
        "100 topics: tomotopy takes 176 ns a token, so that 1.1 times its speed leaves 160; dense 150, tree 220. "
        "The library takes tree."
    )
    assert speed.topics_text(table[table["name"] != "tomotopy"], aims) == ""
