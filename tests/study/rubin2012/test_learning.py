"""What learned settings gain: tables from small results, and the experiments behind them."""

import pandas as pd
import pytest
from test_rubin_results import apart, corpus

from polytopic.study import result_tables, store
from polytopic.study.rubin2012 import learning, results


def measured(values, corpus="abc"):
    """Return results of models "new" and "old" from {(split, cutoff, measure): (new, old)}, by document."""
    rows = [
        (corpus, "small", 0, split, model, "document", cutoff, measure, value)
        for (split, cutoff, measure), pair in values.items()
        for model, value in zip(("new", "old"), pair, strict=True)
    ]
    columns = ["corpus", "scale", "seed", "split", "model", "pivot", "cutoff", "measure", "value"]
    return pd.DataFrame(rows, columns=columns)


@pytest.fixture
def found():
    values = {
        (0, "", "one_error"): (20.0, 25.0),
        (1, "", "one_error"): (26.0, 25.0),
        (0, "", "ranking_loss"): (1.0, 2.0),
        (0, "bep", "macro_f1"): (0.5, 0.6),
        (0, "bep", "macro_precision"): (0.9, 0.1),
        (2, "", "auc_roc"): (0.9, 0.9),
    }
    return result_tables.gains(measured(values), "new", "old")


def test_a_gain_points_to_the_better_side(found):
    """Errors count downwards; ranking loss is AUC-ROC's, and precision is none of the 24 measures."""
    gain = found.set_index("measure")["gain"]
    assert dict(gain.round(6)) == {"one_error": 2.0, "macro_f1": -0.1, "auc_roc": 0.0}
    errors = found.set_index("measure").loc["one_error"]
    assert (errors["first_mean"], errors["second_mean"], errors["n"], errors["ahead"]) == (23, 25, 2, 0)


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    apart(tmp_path, monkeypatch)
    return corpus(n_documents=60, shares=(0.6, 0.5, 0.4, 0.4, 0.3, 0.3))


def test_what_was_learned_is_stored_beside_the_measures(tiny):
    results.measures(tiny, learning.LEARNED, scale="small")
    stored = {one["unit"]["model"]: one for one in results.stored(tiny.name, learning.LEARNED).attrs["made"]}
    assert set(stored) == set(learning.LEARNED)
    assert set(learning.SETTINGS) <= set(stored["Learned Dependency-LDA"]["notes"]["learned"])
    trials = results.stored(tiny.name, learning.LEARNED, table="trials")
    assert set(trials["model"]) == {"Learned Dependency-LDA"} and (trials["tried"] == "weight").any()


def test_forms_of_alpha_hold_each_other(tiny):
    """Even weights are a case of frequencies, and of free ones. Fitted as even, both would be as likely as it."""
    forms = store.collect(learning.forms_of_alpha, tiny).set_index("form")["log_likelihood"]
    assert forms[learning.FORMS["free"]] > forms[learning.FORMS["even"]] + 1e-3
    assert forms[learning.FORMS["frequencies"]] > forms[learning.FORMS["even"]] + 1e-3
    points = store.collect(learning.fixed_points, tiny).set_index("setting")
    assert list(points.index) == list(learning.SETTINGS)
    assert (points["fixed_point"] >= 0).all()
