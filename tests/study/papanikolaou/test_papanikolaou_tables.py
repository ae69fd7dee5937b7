"""Tables about estimators, on made-up results whose answers are known."""

import numpy as np
import pandas as pd
import pytest

from polytopic.study import plots
from polytopic.study.papanikolaou import drawing, tables
from polytopic.study.papanikolaou.experiments import FACTORS
from polytopic.study.printed import reported


def perplexities():
    rows = [
        ("made-up", "quick", topics, run, model, value + run)
        for topics, values in ((10, {"CGS": 100, "CGS_p": 90}), (20, {"CGS": 80, "CGS_p": 85}))
        for model, value in values.items()
        for run in range(3)
    ]
    return pd.DataFrame(rows, columns=["corpus", "scale", "topics", "run", "model", "perplexity"])


def test_ahead_means_lower_for_perplexity_and_higher_for_f1():
    told = tables.standing(perplexities(), [("CGS_p", "CGS")], "perplexity")
    assert told.loc["CGS_p over CGS", "made-up"] == "1/0/1, +2.5"
    scores = perplexities().rename(columns={"perplexity": "value"}).query("topics == 10")
    assert tables.standing(scores, [("CGS_p", "CGS")], "macro_f1").iloc[0, 0] == "0/0/1, -10"
    assert tables.standing(scores, [("CGS_p", "CGS")], "js_divergence").iloc[0, 0] == "1/0/0, +10"


def test_differences_within_the_interval_are_level():
    noisy = perplexities()
    noisy.loc[noisy["model"] == "CGS_p", "perplexity"] += 60 * (noisy["run"] == 0)
    assert tables.standing(noisy, [("CGS_p", "CGS")], "perplexity").iloc[0, 0].startswith("0/2/0")


def test_lowest_perplexities_and_the_rise_from_there():
    found = tables.minima(perplexities()).loc[("made-up", "CGS")]
    assert found.tolist() == [20, 81, 20, 0]
    rising = perplexities().assign(topics=lambda table: 30 - table["topics"])
    assert tables.minima(rising).loc[("made-up", "CGS")].tolist() == [10, 81, 20, pytest.approx(101 / 81 - 1)]


def label_scores():
    """The paper's own numbers as if they were ours."""
    theirs = reported("papanikolaou")
    spread = np.where(theirs["chains"] == "1", 0.001, np.nan)
    theirs = theirs.assign(scale="paper", seed=0, empty="one", sd=spread).astype({"chains": int})
    return theirs[["corpus", "scale", "seed", "model", "chains", "empty", "measure", "value", "sd"]]


def test_the_papers_numbers_agree_with_themselves():
    beside = tables.labels_beside_paper(label_scores())
    assert len(beside) == 80 and (beside["difference"] == 0).all()
    unjudged = beside["agrees"].isna().groupby(beside["chains"]).sum()
    assert unjudged.to_dict() == {"1": 0, "5": 40}


def test_one_chain_in_print_varies_as_a_chain_of_ours():
    """Two standard errors of the difference: our mean over five chains, and one chain of theirs."""
    moved = label_scores().query("model == 'CGS' and chains == 1 and corpus == 'delicious'")
    rows = pd.concat([moved, label_scores().query("chains == 5")])
    inside = 2 * 0.001 * np.sqrt(1 / 5 + 1) + 0.5e-5
    for shift, expected in ((0.999 * inside, True), (1.001 * inside, False)):
        shifted = rows.assign(value=rows["value"] + shift)
        found = tables.labels_beside_paper(shifted).query("chains == '1'")
        assert found["agrees"].tolist() == [expected] * 2


def test_average_ranks_are_those_in_print():
    """Ranks computed from the printed values are the printed ranks, but for two of the twenty."""
    beside = tables.ranks_beside_paper(label_scores())
    difference = (beside["ours"] - beside["paper"]).abs()
    assert difference.notna().all(axis=None)
    assert (difference < 0.01).to_numpy().sum() == 18  # CGS and CVB0 with one chain by Macro-F1 differ


def factors():
    values = {"cgs": 1.0, "cgs_z": 1.1, "cgs_rb": 1.2, "cgs_rb_z": 1.6, "cgs_p_prior": 1.3, "cgs_p": 2.0}
    rows = [
        ("made-up", "quick", name, *FACTORS[name], samples, run, "micro_f1", value / samples)
        for name, value in values.items()
        for samples in (1, 2, 4)
        for run in range(2)
    ]
    columns = ["corpus", "scale", "estimator", "summed", "prior", "samples", "run", "measure", "value"]
    return pd.DataFrame(rows, columns=columns)


def test_the_parts_of_the_lead_add_up():
    parts = tables.parts_of_the_lead(factors())
    one = parts.xs(1, level="samples").iloc[0]
    np.testing.assert_allclose(one[["variance", "own count", "prior", "whole"]], [0.2, 0.1, 0.7, 1.0])
    np.testing.assert_allclose(parts[["variance", "own count", "prior"]].sum(axis=1), parts["whole"])
    lower = tables.parts_of_the_lead(factors().assign(measure="perplexity"))
    assert (lower.to_numpy() == -parts.to_numpy()).all()  # a higher perplexity is a loss


def curves(runs=1):
    rows = [
        ("made-up", "quick", 5, run, model, sweep, value * sweep + run / 10 * (model == "CVB0 after 2"))
        for model, value in (("CGS", 1.0), ("CGS_p", 1.2), ("CVB0", 0.9), ("CVB0 after 2", 1.1))
        for run in range(runs)
        for sweep in range(1 + 2 * (model == "CVB0 after 2"), 4)
    ]
    return pd.DataFrame(rows, columns=["corpus", "scale", "topics", "run", "model", "sweep", "value"])


def test_where_curves_end():
    found = tables.ends(curves(runs=3)).iloc[0]
    assert found["CVB0"] == pytest.approx(2.7) and found["CVB0 above CGS"] == 0


def test_switches_are_compared_run_by_run():
    found = tables.switches(curves()).iloc[0]
    assert found["late"] == 0
    np.testing.assert_allclose(
        found[["first_over_cgs", "first_over_cgs_p", "last_over_cvb0"]], [1.3, 0.9, 0.6]
    )
    shifted = curves(runs=3)
    below = (shifted["model"] == "CVB0") & (shifted["run"] < 2)
    shifted.loc[below, "value"] -= 1  # 1.7 at the end: CGS is above
    found = tables.switches(shifted).iloc[0]
    assert found["late"] == pytest.approx(2 / 3)
    assert found["last_over_cvb0"] == pytest.approx((1.6 + 1.7 + 0.8) / 3)
    assert tables.switched(shifted)["late"].tolist() == [True, True, False]


def test_words_that_two_models_share():
    rows = pd.DataFrame({"topic": [3, 3], "place": [1, 2], "word_i": ["a", "b"], "word_f": ["b", "c"]})
    assert tables.shared_words(rows).to_numpy().tolist() == [[3, 1, 2]]
    wide = tables.aligned(rows.assign(p_i=0.5, p_f=0.25))
    assert wide.loc[2, (3, "word_f")] == "c" and wide.shape == (2, 4)


def test_figures_of_estimators_are_drawn():
    (ax,) = plots.plot_estimators(perplexities(), "topics", "perplexity", log=True)
    assert ax.get_xscale() == "log"
    (ax,) = drawing.plot_parts(tables.parts_of_the_lead(factors()))
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["1", "2", "4"]
    assert len(drawing.plot_estimator_scores(label_scores())) == 8
    shown = pd.DataFrame({"estimator": ["cgs", "cgs_p"], "loss_1": [0.2, 0.1], "loss_inf": [0.0, 0.05]})
    assert len(drawing.plot_exact(shown, shown)) == 2
