"""PD-Sparse by its own objective."""

from polytopic.study import store
from polytopic.study.today import separation


def test_the_model_of_zeros_costs_one_a_document():
    rows = store.collect(separation.passes, "debtags", "quick", passes=[1, 20], documents=100)
    table = rows.pivot(index="passes", columns="measure", values="value")
    assert (table["objective of zeros"] == 100).all()
    assert (table["dual objective"] <= table["objective"]).all()
    # twenty passes come nearer to the solution than one: the gap of an untrained model would not shrink
    gap = table["objective"] - table["dual objective"]
    assert gap.loc[20] < gap.loc[1]
