"""The register of claims: verdicts by code, each claim once, with a page or a reason."""

import re

import numpy as np
import pandas as pd
import pytest

from polytopic import paths
from polytopic.command import notebooks
from polytopic.study import claims

REGISTER = claims.register()


def judged(*holds):
    table = pd.DataFrame({"corpus": "toy", "holds": pd.array(holds, "boolean")})
    return claims.cases(table, "case", 1.0, table["holds"])


@pytest.mark.parametrize(
    ("holds", "verdict"),
    [
        ([True, True], claims.STANDS),
        ([True, False], claims.PARTLY),
        ([True, pd.NA], claims.PARTLY),
        ([False, pd.NA], claims.FAILS),
        ([pd.NA, pd.NA], claims.OPEN),
        ([], claims.UNTESTED),
    ],
)
def test_verdicts_are_read_off_the_cases(holds, verdict):
    assert claims.verdict(judged(*holds)) == verdict


def runs(gap, spread=0.1):
    """Six runs of three models: A is ahead of B by about gap, and level with C."""
    noise = [-2, -1, 0, 0, 1, 2]
    values = {
        "A": [gap + spread * n for n in noise],
        "B": [0.0] * 6,
        "C": [gap + spread * n for n in noise[::-1]],
    }
    return pd.DataFrame(
        [("toy", "paper", run, name, "f1", v) for name in values for run, v in enumerate(values[name])],
        columns=["corpus", "scale", "run", "model", "measure", "value"],
    )


def test_beats_asks_for_an_interval_above_zero():
    by = {"by": ["corpus", "measure"], "over": ["run"]}
    assert claims.beats(runs(1.0), "A", "B", **by)["holds"].tolist() == [True]
    assert claims.beats(runs(-1.0), "A", "B", **by)["holds"].tolist() == [False]
    both = claims.beats(runs(1.0), ["A"], ["B", "C"], **by)
    assert both["case"].tolist() == ["A over B f1", "A over C f1"] and both["holds"].isna().tolist() == [
        False,
        True,
    ]
    assert claims.beats(runs(1.0)[:0], "A", "B", **by).empty


def test_every_room_s_claims_are_in_the_register():
    rooms = {path.parent.name for path in (paths.checkout() / "lib/polytopic/study").glob("*/claims*.py")}
    assert {"audit", "burkhardt2018", "ueda2002"} <= rooms
    assert set(REGISTER["paper"]) == {*claims.PAPERS, "between"}
    assert REGISTER["paper"].map(claims.place_of).is_monotonic_increasing


def test_every_claim_has_a_page_or_a_reason():
    for one in claims.CLAIMS:
        page = paths.checkout() / "notebooks" / f"{one.notebook}.ipynb"
        assert page.is_file() if one.notebook else one.reason, one.says
        assert one.says and one.where and one.kind in claims.KINDS


MODULES = sorted((paths.checkout() / "lib/polytopic/study").glob("*/claims*.py"))


@pytest.mark.parametrize("module", MODULES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_page_imports_the_claims_that_it_shows(module):
    """A page judges what has been entered by then: without the import it would lack claims, and nobody miss them."""
    (room,) = re.findall(r'enter\("(\w+)"', module.read_text(encoding="utf-8"))
    rows = pd.read_csv(paths.reported() / f"{room}_claims.csv", keep_default_na=False)
    name = f"polytopic.study.{module.parent.name}.{module.stem}"
    for page in set(rows["notebook"]) - {""} if "notebook" in rows else ():
        path = paths.notebooks() / f"{page}.ipynb"
        assert name in notebooks.Notebook(path, page).imports, page


def test_no_claim_stands_twice():
    words = [(one.paper, one.says, one.evidence) for one in claims.CLAIMS]
    names = [(one.paper, one.name, one.evidence) for one in claims.CLAIMS if one.name]
    assert not {key for keys in (words, names) for key in keys if keys.count(key) > 1}


def test_each_claim_has_a_check_or_a_reason(tmp_path, monkeypatch):
    """A check that has lost its claim would no longer be made, and nobody would miss it."""
    rows = [
        "paper,name,notebook,where,says,reason",
        "toy,tested,toy/page,here,It is.,",
        "toy,,,here,Not.,no data",
    ]
    (tmp_path / "data" / "reported").mkdir(parents=True)
    (tmp_path / "data" / "reported" / "toy_claims.csv").write_text("\n".join(rows))
    monkeypatch.setenv(paths.HOME, str(tmp_path))
    monkeypatch.setattr(claims, "CLAIMS", [])
    for checks in ({}, {"tested": judged, "lost": judged}):
        with pytest.raises(ValueError, match=r"toy_claims\.csv.*\['(tested|lost)'\]"):
            claims.enter("toy", checks)
    assert claims.enter("toy", {"tested": judged})["tested"].check is judged and len(claims.CLAIMS) == 2


def test_no_verdict_is_written_by_hand():
    """A verdict follows from the counts of cases; without any there is a reason."""
    assert set(REGISTER["verdict"]) <= set(claims.VERDICTS) and len(REGISTER) == len(claims.CLAIMS)
    without = REGISTER[["held", "failed", "open"]].sum(axis=1) == 0
    assert (without == (REGISTER["verdict"] == claims.UNTESTED)).all()
    assert (REGISTER.loc[without, "reason"] != "").all() and (REGISTER.loc[~without, "reason"] == "").all()
    stands = REGISTER["verdict"] == claims.STANDS
    assert (REGISTER.loc[stands, ["failed", "open"]] == 0).all(axis=None)


def test_a_page_shows_its_claims():
    page = claims.page("ueda2002/table_01")
    assert list(page) == ["claim", "where", "here", "verdict", "cases", "on"] and len(page) >= 4
    assert claims.page("ueda2002/no_such_page").empty


def test_the_middle_case_is_that_of_the_median():
    found = pd.DataFrame({
        "corpus": ["a", "b", "c", ""], "case": ["A over B", "A over B", "A over B", "no value"],
        "value": [0.3, -0.1, 0.02, np.nan], "low": [0.1, -0.2, 0.01, np.nan], "high": [0.5, 0.1, np.nan, np.nan],
    })  # fmt: skip
    assert claims.middle(found) == "A over B, c: 0.02"
    assert claims.middle(found[:2]) == "A over B, b: -0.1 (-0.2 to 0.1)"
    assert claims.middle(found[3:]) == claims.middle(claims.NO_CASES) == ""


def test_a_verdict_in_part_is_told_case_by_case(monkeypatch):
    table = pd.DataFrame({"corpus": ["debtags", "yahoo_arts_rubin", "debtags", "yeast"]})
    low, high = [0.1, np.nan, -0.1, -0.4], [0.3, np.nan, 0.2, -0.2]
    holds = pd.array([True, pd.NA, pd.NA, False], "boolean")
    cases = claims.cases(table, "A over B", [0.2, 0.15, 0.05, -0.3], holds, low, high)
    one = claims.Claim("a paper", "A leads", "page 1", "A leads.", "a page", lambda: cases)
    monkeypatch.setattr(claims, "CLAIMS", [one])
    assert claims.in_words("a paper", "A leads") == (
        "In 1 of 4 cases the gain is surely above 0; 1 has a single repetition, which gives no interval "
        "(Yahoo! Arts: +0.150 to +0.150); 1 has an interval that holds 0 (debtags: +0.050 to +0.050); "
        "1 has an interval below 0 (yeast: -0.300 to -0.300); 1 means are below 0."
    )
    with pytest.raises(ValueError, match="unknown claim 'A lead'; did you mean 'A leads'"):
        claims.in_words("a paper", "A lead")
