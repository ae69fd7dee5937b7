"""From the linear models of 2012 to those of today: what is compared with what."""

import pandas as pd
import pytest

from polytopic.models import BinaryRelevanceRidge, BinaryRelevanceSVM
from polytopic.study import corpora
from polytopic.study.rubin2012 import linear, results, systems

VALUES = {"Vanilla SVM": 0.5, "TF-IDF SVM": 0.8, "Vanilla SVM, unit length": 0.6, "Vanilla SVM, TF-IDF": 0.7}


def measures():
    rows = [
        ("toy", split, model, pivot, "", name, value + 0.1 * split)
        for model, value in VALUES.items()
        for split in (0, 1)
        for pivot, name in linear.SHOWN
    ]
    return pd.DataFrame(rows, columns=["corpus", "split", "model", "pivot", "cutoff", "measure", "value"])


def test_systems_stand_in_the_order_of_the_path():
    scores = pd.DataFrame(
        [
            ("toy", 0, label, model, frequency, VALUES[model])
            for model in VALUES
            for label, frequency in enumerate([1, 2, 3, 5, 8, 13, 21, 34, 55, 89])
        ],
        columns=["corpus", "split", "label", "model", "train_frequency", "average_precision"],
    )
    found = linear.systems_table(measures(), scores)
    assert found.index.get_level_values("model").tolist() == [
        name for name in linear.MODELS if name in VALUES
    ]
    assert found.loc[("toy", "TF-IDF SVM")].tolist() == pytest.approx(4 * [0.85] + 5 * [0.8])


def test_one_thing_is_changed_at_a_time():
    settings = {
        name: systems.build(name, "debtags", None).get_params()
        for name in ("Vanilla SVM", *linear.STEPS)
        if systems.SYSTEMS[name].estimator is BinaryRelevanceSVM
    }
    plain = {
        "C",
        "candidates",
        "random_state",
        "memory",
        "n_jobs",
        "verbose",
        "solver",
    }  # one minimum, all solvers
    for name, base in linear.STEPS.items():
        if name in settings:
            changed = {key for key, value in settings[name].items() if value != settings[base][key]} - plain
            assert len(changed) == 1, name


@pytest.mark.parametrize("model", ["TF-IDF SVM", "TF-IDF ridge"])
def test_todays_linear_models_learn_from_a_sample(model):
    sample = corpora.sample("debtags", 60, 30)
    found = results.measures(sample, [model])
    assert found["value"].notna().all() and set(found["pivot"]) == {"document", "label"}
    built = systems.build(model, sample.name, sample)
    assert isinstance(built, BinaryRelevanceSVM | BinaryRelevanceRidge) and built.candidates


def test_the_short_table_takes_all_splits_of_the_systems_that_it_shows():
    """EU titles have one split of all systems and five of these; on the one the fifths were .289 to .351."""
    found = [line.strip("| ").split(" | ") for line in linear.in_short(["eurlex-titles"])[2:]]
    assert [row[1] for row in found] == 5 * ["5"]
    rarest = ["0.268", "0.267", "0.181", "0.324", "0.327"]  # by hand, from the ranks
    assert [row[-1] for row in found] == rarest
    assert found[0][2] == "0.626"  # vanilla SVM; .617 on the one split
