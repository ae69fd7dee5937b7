"""Models on a cluster: the same bits."""

import contextlib
import importlib.util
import io
import re

import joblib
import numpy as np
import pytest
from joblib import parallel_config
from scipy import sparse

from polytopic import load_corpus, paths
from polytopic.models import DependencyLDA, FastDependencyLDA, FastXML, SCVBDependency

HAS_DASK = importlib.util.find_spec("distributed") is not None
needs_dask = pytest.mark.skipif(
    not HAS_DASK, reason="Dask is not installed: pip install 'polytopic[cluster]'"
)
SMALL = {
    "n_chains": 80, "n_sweeps": 5, "n_topic_chains": 6, "n_topic_sweeps": 10, "n_test_chains": 2, "burn_in": 2,
    "n_samples": 2, "random_state": 0,
}  # fmt: skip
PAGE = paths.checkout() / "docs" / "clusters.md"
MODELS = {
    "sampling": DependencyLDA(5, **SMALL),
    "mean field": DependencyLDA(5, **SMALL | {"inference": "mean_field"}),
    "layers": FastDependencyLDA(5, n_chains=2, n_sweeps=3, n_test_chains=2, random_state=0),
    "trees": FastXML(4, random_state=0),
    "stream": SCVBDependency(5, n_passes=1, random_state=0),
}


@pytest.fixture(scope="module")
def corpus():
    train, _ = load_corpus("debtags").split(0)
    return train.select(np.arange(0, train.n_documents, 10))


@pytest.fixture(scope="module")
def client():
    from distributed import Client, LocalCluster

    how = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "host": "127.0.0.1"}
    with LocalCluster(**how) as cluster, Client(cluster) as client:
        yield client


def learned(model):
    """Return a digest of all that a fitted model holds, whatever its matrices note of themselves."""
    return joblib.hash([_plain(one) for name, one in sorted(vars(model).items()) if name.endswith("_")])


def _plain(value):
    if sparse.issparse(value):
        return [value.shape, value.data, value.indices, value.indptr]
    return [_plain(one) for one in value] if isinstance(value, (list, tuple)) else value


@pytest.mark.slow
@needs_dask
@pytest.mark.parametrize("name", MODELS)
def test_a_cluster_gives_the_same_bits(client, corpus, name):
    model = MODELS[name]
    X, Y = corpus.counts, corpus.labels
    expected = model.fit(X, Y).decision_function(X)
    serial = learned(model)

    with parallel_config("dask"):
        scores = model.fit(X, Y).decision_function(X)
    assert learned(model) == serial
    np.testing.assert_array_equal(scores, expected)


def test_slurm_is_asked_for_workers(tmp_path):
    """The example of the page: its script starts eight workers that find the scheduler."""
    pytest.importorskip("dask_jobqueue")
    code = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[1]
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        exec(compile(code, PAGE.name, "exec"), {"__name__": "__main__"})
    script = told.getvalue().splitlines()
    assert script[0].startswith("#!") and "#SBATCH -p short" in script and "#SBATCH -t 02:00:00" in script
    assert "export OMP_NUM_THREADS=1" in script
    (worker,) = [line for line in script if "dask_worker" in line]
    assert "--nworkers 8" in worker and "tcp://" in worker
