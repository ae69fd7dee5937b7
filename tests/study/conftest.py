"""What the tests of the study share: figures are closed after each, for pyplot warns of many that are open."""

import matplotlib.pyplot as plt
import pytest


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")
