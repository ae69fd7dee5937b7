"""The register of claims: verdicts by code, each claim once, with a page or a reason."""

from html import escape

import pandas as pd
import pytest

from polytopic import paths
from polytopic.study import claims, store

REGISTER = claims.register()


def judged(*holds):
    table = pd.DataFrame({"corpus": "toy", "holds": pd.array(holds, "boolean")})
    return claims.cases(table, "case", 1.0, table["holds"])


@pytest.mark.parametrize(
    ("held", "failed", "missing", "extent", "verdict"),
    [
        (2, 0, 0, "all", claims.HOLDS),
        (97, 0, 7, "all", claims.MOSTLY),
        (97, 0, 7, "almost all", claims.HOLDS),
        (44, 8, 0, "a number", claims.MOSTLY),
        (3, 1, 0, "more", claims.HOLDS),
        (7, 5, 0, "most", claims.HOLDS),
        (6, 6, 0, "most", claims.MIXED),
        (2, 1, 0, "all", claims.MOSTLY),
        (1, 0, 1, "all", claims.MIXED),
        (6, 6, 12, "all", claims.MIXED),
        (5, 1, 6, "all", claims.MIXED),
        (1, 2, 0, "all", claims.MIXED),
        (13, 39, 0, "a number", claims.MOSTLY_NOT),
        (1, 7, 0, "almost all", claims.MOSTLY_NOT),
        (0, 1, 1, "all", claims.FAILS),
        (3, 2, 22, "all", claims.UNDECIDED),
        (0, 0, 2, "all", claims.UNDECIDED),
        (0, 0, 0, "all", "not run yet"),
    ],
)
def test_verdicts_are_read_off_the_cases(held, failed, missing, extent, verdict):
    assert claims.verdict(judged(*[True] * held, *[False] * failed, *[pd.NA] * missing), extent) == verdict


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


def test_every_claim_has_a_page_or_a_reason():
    assert set(REGISTER["paper"]) == {*claims.PAPERS, "between"}
    assert REGISTER["paper"].map([*claims.PAPERS, "between"].index).is_monotonic_increasing
    for one in claims.all_claims():
        page = paths.checkout() / "notebooks" / f"{one.notebook}.ipynb"
        assert page.is_file() if one.notebook else one.reason, one.says
        assert one.says and one.where and one.kind in claims.KINDS and bool(one.name) != bool(one.reason)


def test_no_claim_stands_twice():
    words = [(one.paper, one.says, one.evidence) for one in claims.all_claims()]
    names = [(one.paper, one.name, one.evidence) for one in claims.all_claims() if one.name]
    assert not {key for keys in (words, names) for key in keys if keys.count(key) > 1}


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """Return a function that writes the rows of data/reported/toy_claims.csv, in a study of its own."""

    def write(*rows):
        (tmp_path / "data" / "reported").mkdir(parents=True, exist_ok=True)
        lines = ["paper,name,notebook,where,says,reason,why,extent,found", *rows]
        (tmp_path / "data" / "reported" / "toy_claims.csv").write_text("\n".join(lines))

    monkeypatch.setenv(paths.HOME, str(tmp_path))
    monkeypatch.setenv(paths.FIGURES, str(tmp_path / "figures"))
    return write


TESTED, UNTESTED = "toy,A leads,toy/page,p. 1,A leads.,,,all,Yes.", "toy,,,here,Not.,no data,data,all,"


def test_a_page_judges_its_claims_and_the_register_reads_them(toy, monkeypatch):
    toy(TESTED, UNTESTED)
    monkeypatch.setattr(store, "READ", {})
    assert claims.register()["verdict"].tolist() == ["not run yet", "data not available"]
    page = claims.judge("toy/page", {"A leads": judged(True, False)})
    assert repr(page) == "mixed (1 of 2): A leads. Yes."
    assert claims.register()[["verdict", "held", "failed"]].to_numpy().tolist()[0] == ["mixed", 1, 1]
    assert page.so()._repr_markdown_() == f"**So:**\n\n- Yes. (mixed, 1 of 2)\n\n{store.rests_on()}"
    assert all(escape(words) in page._repr_html_() for words in ("A leads.", "Yes."))
    with pytest.raises(ValueError, match="unknown claim 'A lead'; did you mean 'A leads'"):
        page.so("A lead")


def test_a_page_judges_all_of_its_claims_and_no_other(toy):
    toy(TESTED)
    for cases in ({}, {"A leads": judged(True), "lost": judged(True)}):
        with pytest.raises(
            ValueError, match=r"claims of toy/page and the cases given differ in \['(A leads|lost)'\]"
        ):
            claims.judge("toy/page", cases)


def test_words_of_the_files_are_known(toy):
    for row, wrong in (
        ("toy,,,here,Not.,no data,lost,all,", "lost"),
        ("toy,,,here,Not.,no data,data,some,", "some"),
    ):
        toy(row)
        with pytest.raises(ValueError, match=wrong):
            claims.all_claims()


def test_both_readings_are_judged_apart(toy):
    """Cases of the second reading count for its own verdict alone, and are shown with the first's."""
    toy(TESTED)
    both = [judged(False, False).assign(reading=""), judged(True, True).assign(reading="both weights")]
    page = claims.judge("toy/page", {"A leads": both})
    assert (page.table["failed"].item(), page.table["held"].item()) == (2, 0)
    assert "fails as described; holds with both weights (0 of 2; 2 of 2 with both weights)" in repr(page)


def test_no_verdict_is_written_by_hand():
    """A verdict follows from the counts of cases; without any there is a reason."""
    assert set(REGISTER["verdict"]) <= set(claims.VERDICTS) and len(REGISTER) == len(claims.all_claims())
    without = REGISTER[["held", "failed", "open"]].sum(axis=1) == 0
    assert (without == REGISTER["verdict"].isin(claims.UNTESTED.values())).all()
    assert (REGISTER.loc[without, "reason"] != "").all() and (REGISTER.loc[~without, "reason"] == "").all()
    whole = REGISTER[(REGISTER["verdict"] == claims.HOLDS) & (REGISTER["extent"] == "all")]
    assert (whole[["failed", "open"]] == 0).all(axis=None)


def test_what_we_found_was_written_for_the_cases_of_today():
    """A sentence outlives the numbers it tells: read the cases again, write it anew, and set the digest beside it."""
    written = [one for one in claims.all_claims() if one.found or one.judged]
    today = map(claims.digest, claims.stored_cases(written))
    assert {one.name: now for one, now in zip(written, today, strict=True) if now != one.judged} == {}


def test_every_claim_that_is_judged_on_our_results_says_what_we_found():
    ours = REGISTER[(REGISTER["kind"] == claims.CLAIM) & (REGISTER["evidence"] == claims.OURS)]
    tested = ours[ours["reason"] == ""]
    assert (tested["found"].str.len() > 20).all() and (tested["found"].str.len() < 400).all()
    central = ours[ours["central"] != ""]
    for paper, own in central.groupby("paper"):
        assert own["central"].tolist() == [str(n + 1) for n in range(len(own))] and 3 <= len(own) <= 5, paper
    assert set(central["paper"]) == set(claims.PAPERS)


def test_a_digest_changes_with_what_a_sentence_tells():
    """Not with the order of cases, nor with a digit that nobody prints."""
    table = pd.DataFrame({"corpus": ["toy", "debtags"]})
    one = claims.cases(table, "case", [0.123, 0.5], pd.array([True, False], "boolean"))
    assert claims.digest(one) == claims.digest(one[::-1]) == claims.digest(one.assign(value=[0.1234, 0.5]))
    others = one.assign(value=[0.2, 0.5]), one.assign(holds=pd.array([True, pd.NA], "boolean")), one[:1]
    assert len({claims.digest(other) for other in (one, *others)}) == 4
