"""The tables of findings: what is counted, what is shown, and that the README says what the register says."""

import pandas as pd
import pytest

from polytopic import paths
from polytopic.study import claims, findings


@pytest.fixture(scope="module")
def judged():
    return findings.judged()


def test_every_claim_is_counted_once(judged):
    counts = findings.counts(judged)
    assert counts.loc["all", "claims"] == len(judged) == len(claims.register(kind=claims.CLAIM))
    assert (counts[[*claims.VERDICTS]].sum(axis=1) == counts["claims"]).all()
    assert len(counts) == len(claims.PAPERS) + 1


def test_pages_show_every_claim_of_a_paper(judged):
    shown = [
        findings.of_paper(judged, paper, how)
        for paper in claims.PAPERS
        for how in (claims.OURS, claims.PRINTED)
    ]
    assert sum(map(len, shown)) == len(judged)
    table = pd.concat(shown)
    untested = table["verdict"] == claims.UNTESTED
    assert (table.loc[untested, "on"] != "").all(), "what can't be tested needs a reason"
    assert (table["cases"] != "").sum() == (~untested).sum()
    assert ((table["page"] == "") <= untested).all()
    for page in table.loc[table["page"] != "", "page"]:
        assert (paths.notebooks() / page.partition("(")[2].rstrip(")")).is_file()


def test_tables_survive_bars_in_names():
    text = findings.as_markdown(pd.DataFrame({"a": ["CGS_p|z"], "b": [1]}))
    assert text.splitlines() == ["| a | b |", "| --- | --- |", "| CGS_p\\|z | 1 |"]


def test_the_readme_counts_what_the_register_holds(judged):
    readme = (paths.checkout() / "README.md").read_text(encoding="utf-8")
    assert findings.in_short(judged) in readme
