"""Sentences and tables about estimators, on made-up results whose answers are known."""

import numpy as np
import pandas as pd
import pytest

from polytopic.study import papanikolaou as estimation
from polytopic.study import plots
from polytopic.study.papanikolaou import drawing, estimator_tables
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
    found = estimator_tables.against(perplexities(), "CGS_p", "CGS", value="perplexity")
    assert found["ahead"].tolist() == [1, -1] and found["mean"].tolist() == [-10, 5]
    scores = perplexities().rename(columns={"perplexity": "value"}).assign(measure="macro_f1")
    assert estimator_tables.against(scores, "CGS_p", "CGS")["ahead"].tolist() == [-1, 1]
    divergences = scores.assign(measure="js_divergence")
    assert estimator_tables.against(divergences, "CGS_p", "CGS")["ahead"].tolist() == [1, -1]
    told = estimator_tables.say_against(perplexities(), [("CGS_p", "CGS")], value="perplexity")
    assert "ahead in 1, level in 0, behind in 1 of 2 settings; mean difference -2.5" in told


def test_differences_within_two_standard_errors_are_level():
    noisy = perplexities()
    noisy.loc[noisy["model"] == "CGS_p", "perplexity"] += 60 * (noisy["run"] == 0)
    found = estimator_tables.against(noisy, "CGS_p", "CGS", value="perplexity")
    assert found["ahead"].tolist() == [0, 0]


def test_means_and_spread_over_runs():
    found = estimator_tables.means(perplexities(), ["topics"], "perplexity")
    assert found.loc["CGS_p"].tolist() == [91, 86] and list(found.index) == ["CGS", "CGS_p"]
    assert (estimator_tables.spread(perplexities(), ["topics"], "perplexity") == 1).all(axis=None)


def label_scores():
    """The paper's own numbers as if they were ours."""
    theirs = pd.concat([reported("papanikolaou", item) for item in ("table 5", "table 6")])
    theirs = theirs[theirs["measure"].notna()]
    return pd.DataFrame(
        {
            "corpus": theirs["corpus"],
            "scale": "paper",
            "model": theirs["model"],
            "chains": theirs["chains"].astype(int),
            "empty": "one",
            "measure": theirs["measure"],
            "value": theirs["value"],
            "sd": 0.0,
        }
    )


def test_the_papers_numbers_agree_with_themselves():
    beside = estimator_tables.labels_beside_paper(label_scores())
    assert len(beside) == 80 and (beside["difference"] == 0).all()
    assert "Kendall's tau 1.00" in estimator_tables.say_labels(beside)


def test_average_ranks_are_those_in_print():
    """Ranks computed from the printed values are the printed ranks, but for two of the twenty."""
    beside = estimator_tables.ranks_beside_paper(label_scores())
    difference = (beside["ours"] - beside["paper"]).abs()
    assert difference.notna().all(axis=None)
    assert (difference < 0.01).to_numpy().sum() == 18  # CGS and CVB0 with one chain by Macro-F1 differ


def parts_table():
    values = {"cgs": 1.0, "cgs_z": 1.1, "cgs_rb": 1.2, "cgs_rb_z": 1.6, "cgs_p_prior": 1.3, "cgs_p": 2.0}
    rows = [
        ("made-up", "quick", name, *estimation.FACTORS[name], samples, run, "micro_f1", value / samples)
        for name, value in values.items()
        for samples in (1, 2)
        for run in range(2)
    ]
    return pd.DataFrame(rows, columns=estimation.LEAD_COLUMNS)


def test_the_parts_of_the_lead_add_up():
    parts = estimator_tables.parts_of_the_lead(parts_table())
    one = parts.xs(1, level="samples").iloc[0]
    np.testing.assert_allclose(one[["variance", "own count", "prior", "whole"]], [0.2, 0.1, 0.7, 1.0])
    np.testing.assert_allclose(parts[["variance", "own count", "prior"]].sum(axis=1), parts["whole"])
    told = estimator_tables.say_parts(parts)
    assert "1 sample: CGS_p is ahead of CGS by 1 (variance +0.2, own count +0.1, prior +0.7)" in told
    table = estimator_tables.factor_table(parts_table())
    assert table.loc[("own count kept", "dropped")].iloc[0] == pytest.approx(2.0)


def curves(runs=1):
    rows = [
        ("made-up", "quick", 5, run, model, sweep, value * sweep + run / 10 * (model == "CVB0 after 2"))
        for model, value in (("CGS", 1.0), ("CGS_p", 1.2), ("CVB0", 0.9), ("CVB0 after 2", 1.1))
        for run in range(runs)
        for sweep in range(1, 4)
    ]
    columns = ["corpus", "scale", "topics", "run", "model", "sweep", "value"]
    return pd.DataFrame(rows, columns=columns)


def test_sentences_about_curves():
    told = estimator_tables.say_convergence(curves())
    assert "CGS_p ends highest; CVB0 is above CGS in 0% of the sweeps and ends -0.3000 from it" in told
    told = estimator_tables.say_blending(curves())
    assert "switch at 2: CGS stood below CVB0's final value; the first sweep ends +1.3000 nats" in told
    assert "from CGS, +0.9000 from CGS_p; the last ends +0.6000 from CVB0 alone" in told
    assert "no switch was late" in told and "0 of 1 early switches end below CVB0 alone" in told
    assert estimator_tables.last_sweep(curves()).loc["CVB0"].iloc[0] == pytest.approx(2.7)


def test_curves_of_several_runs_are_compared_run_by_run():
    told = estimator_tables.say_blending(curves(runs=3))
    assert "the last ends +0.7000 (sd 0.1000) from CVB0 alone" in told
    assert "0 of 3 early switches end below CVB0 alone" in told
    shifted = curves(runs=3)
    shifted.loc[(shifted["model"] == "CVB0") & (shifted["run"] < 2), "value"] -= (
        1  # 1.7 at the end: CGS is above
    )
    told = estimator_tables.say_blending(shifted)
    assert "CGS stood above CVB0's final value in 2 of 3 runs;" in told
    assert "2 of 2 late switches end above CVB0 alone" in told and "0 of 1 early switches end below" in told


def test_where_a_model_is_ahead_is_named_when_it_is_not_everywhere():
    told = estimator_tables.say_against(perplexities(), [("CGS_p", "CGS")], value="perplexity")
    assert told.endswith("Ahead at 10; behind at 20 topics.")
    everywhere = perplexities().query("topics == 10")
    told = estimator_tables.say_against(everywhere, [("CGS_p", "CGS")], value="perplexity")
    assert told.endswith("mean difference -10.")


def test_lowest_perplexities_and_what_most_methods_reach():
    told = estimator_tables.say_minima(perplexities())
    assert "CGS: lowest at 20 topics, the most there are (81.0)." in told
    rising = perplexities().query("model == 'CGS'").assign(topics=lambda table: 30 - table["topics"])
    assert "CGS: lowest at 10 topics (81.0), 24.7% above that at 20." in estimator_tables.say_minima(rising)
    values = {"CGS": (9, 9), "CGS_z": (8, 8), "CGS_p": (7, 12), "CGS_p|z": (11, 11), "CVB0": (10, 10)}
    rows = [("made-up", t, 0, m, v[k]) for m, v in values.items() for k, t in enumerate((10, 20))]
    table = pd.DataFrame(rows, columns=["corpus", "topics", "run", "model", "perplexity"])
    told = estimator_tables.say_most_methods(table)
    assert told.endswith("in 1 of 2 settings (10 topics).")


def test_the_papers_own_claims_agree_with_themselves():
    claims = estimator_tables.label_claims(label_scores())
    assert (claims["ours"] == claims["paper"]).all(axis=None)
    assert claims.loc["1 chain: CGS_p best of the five", "ours"].tolist() == ["3 of 4", "3 of 4"]
    told = estimator_tables.say_label_claims(claims)
    n = told.split()[2]
    assert f"Of the {n} comparisons" in told and f", {n} go the same way" in told and "Not so" not in told
    turned = label_scores().assign(value=lambda table: -table["value"])
    assert (
        "Not so here: 1 chain: CGS_p best of the five, micro-f1: 0 of 4"
        in estimator_tables.say_label_claims(estimator_tables.label_claims(turned))
    )


def test_gains_by_more_chains():
    table = label_scores()
    table.loc[:, "value"] = 0.5 + 0.1 * (table["chains"] == 5) * (table["model"] == "CGS")
    told = estimator_tables.say_chains(table)
    assert "CGS +0.1000, CGS_z +0.0000" in told and "CVB0 +0.0000" in told


def test_figures_of_estimators_are_drawn():
    (ax,) = plots.plot_estimators(perplexities(), "topics", "perplexity", log=True)
    assert ax.get_xscale() == "log"
    (ax,) = drawing.plot_parts(estimator_tables.parts_of_the_lead(parts_table()))
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["1", "2"]
    drawn = drawing.plot_estimator_scores(label_scores())
    assert len(drawn) == 8
    shown = pd.DataFrame({"estimator": ["cgs", "cgs_p"], "loss_1": [0.2, 0.1], "loss_inf": [0.0, 0.05]})
    assert len(drawing.plot_exact(shown, shown)) == 2
    plots.plt.close("all")


def test_sentences_about_exact_losses_and_aligned_topics():
    columns = ["estimator", "bias", "variance", "loss_1", "loss_inf"]
    rows = [("cgs", 0, 0.1, 0.05, 0.0), ("cgs_p", 0.01, 0.1, 0.03, 0.002), ("cgs_rb", 0, 0.05, 0.02, 0.0)]
    exact = pd.DataFrame(rows, columns=columns)
    told = estimator_tables.say_exact(exact, exact)
    assert "cgs_rb loses least (0.02 nats); CGS_p's gain over CGS is +0.02" in told
    beside = pd.DataFrame({"topic": [3, 3], "word_i": ["a", "b"], "word_f": ["b", "c"]})
    assert "Topic 3: 1 of the 2 top words" in estimator_tables.say_aligned(beside)


def test_what_is_stored_counts_before_what_is_computed():
    stored = pd.DataFrame({"corpus": ["a", "a"], "value": [1, 2]})
    computed = pd.DataFrame({"corpus": ["a", "b"], "value": [3, 4]})
    found = estimator_tables.together(stored, computed)
    assert found["corpus"].tolist() == ["a", "a", "b"] and found["value"].tolist() == [1, 2, 4]
