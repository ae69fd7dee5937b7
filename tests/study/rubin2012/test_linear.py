"""From the linear models of 2012 to those of today: what is compared with what."""

import pytest

from polytopic.models import BinaryRelevanceRidge, BinaryRelevanceSVM
from polytopic.study import corpora
from polytopic.study.rubin2012 import linear, results, systems


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
