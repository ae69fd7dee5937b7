"""Comparisons of estimators, on made-up results whose answers are known."""

import numpy as np
import pandas as pd

from polytopic.study.papanikolaou import tables
from polytopic.study.printed import reported


def test_one_chain_is_judged_by_a_mean_and_several_by_a_single_run():
    """The paper's tables 5 and 6 as if they were ours, with a spread of one unit of the third digit."""
    theirs = reported("papanikolaou")
    spread = np.where(theirs["chains"] == "1", 0.001, np.nan)
    scores = theirs.assign(chains=theirs["chains"].astype(int), scale="paper", empty="one", sd=spread)
    one, five = (
        tables.f1_leads(scores, ["CGS_p"], ["CGS"], [n]).query("corpus == 'delicious'") for n in (1, 5)
    )
    width = 2.776  # of t with four degrees of freedom
    np.testing.assert_allclose(one["high"] - one["value"], width * 0.001 * np.sqrt(2 / 5), rtol=1e-3)
    np.testing.assert_allclose(five["high"] - five["value"], width * 0.001 * np.sqrt(2), rtol=1e-3)


def test_the_best_of_several_is_one_case_that_the_nearest_rival_decides():
    """As cases of pairs, CGS_p's divergence, always above CGS's and below two others', was mostly the lowest."""
    gains = {"CGS 20": (0.3, 0.5), "CGS_z 20": (0.1, 0.2), "CGS 50": (0.3, 0.5), "CGS_z 50": (-0.1, 0.2)}
    gains |= {"CGS 99": (-0.2, -0.1), "CGS_z 99": (0.1, 0.2)}
    table = pd.DataFrame({"corpus": "a", "scale": "paper", "case": "CGS_p over " + pd.Series(gains.keys())})
    table[["low", "high"]] = list(gains.values())
    found = tables.worst_cases(table.assign(value=table["low"], holds=pd.NA))
    assert found["case"].tolist() == ["CGS_p 20", "CGS_p 50", "CGS_p 99"]
    assert found["holds"].tolist() == [True, pd.NA, False]
