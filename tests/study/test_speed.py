"""The benchmarks' results, read back."""

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
