"""Models on a cluster: the same bits, what units share sent once, and a killed worker that costs only time."""

import contextlib
import importlib.util
import io
import os
import re
import signal
import sys
import threading
import time
from pathlib import Path

import joblib
import numpy as np
import pytest
from joblib import Parallel, delayed, parallel_config
from scipy import sparse

from polytopic import load_corpus, paths
from polytopic.models import DependencyLDA, FastDependencyLDA, FastXML, SCVBDependency, sharing

HAS_DASK = importlib.util.find_spec("distributed") is not None
needs_dask = pytest.mark.skipif(
    not HAS_DASK, reason="Dask is not installed: pip install 'polytopic[cluster]'"
)
SMALL = {
    "n_chains": 80, "n_sweeps": 5, "n_topic_chains": 6, "n_topic_sweeps": 10, "n_test_chains": 2, "burn_in": 2,
    "n_samples": 2, "random_state": 0,
}  # fmt: skip
UNITS = 5 + 6  # of training: groups of sixteen chains over words, and chains over topics
SECONDS = 120
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


def test_sizes_are_those_of_the_arrays():
    shared = sharing.Shared((np.zeros(1000), "a"))
    assert 8000 < sys.getsizeof(shared) < 9000  # sys.getsizeof of the tuple is about 56


def test_shared_values_are_opened_where_units_run():
    calls = (delayed(np.add)(sharing.share(np.arange(3)), number) for number in range(4))
    found = Parallel(n_jobs=2)(sharing.as_units(calls))
    np.testing.assert_array_equal(found, np.arange(3) + np.arange(4)[:, None])


@pytest.mark.slow
@needs_dask
@pytest.mark.parametrize("name", MODELS)
def test_a_cluster_gives_the_same_bits_and_is_sent_data_once(client, corpus, name, monkeypatch):
    """By joblib alone the tables of prediction went with every unit: gigabytes for some hundred documents."""
    model, sent = MODELS[name], []
    X, Y = corpus.counts, corpus.labels
    expected = model.fit(X, Y).decision_function(X)
    serial = learned(model)

    def state(self):
        sent.append(self.value)
        return self.__dict__

    monkeypatch.setattr(sharing.Shared, "__getstate__", state)
    with parallel_config("dask"):
        scores = model.fit(X, Y).decision_function(X)
    assert learned(model) == serial
    np.testing.assert_array_equal(scores, expected)
    assert len(sent) == len({id(value) for value in sent})
    assert sent


@pytest.mark.slow
@needs_dask
def test_a_killed_worker_costs_only_time(client, corpus, tmp_path):
    """Killed when two units were finished: these are not computed again, and the rest comes out the same."""
    model = DependencyLDA(20, **SMALL | {"n_sweeps": 60, "n_topic_sweeps": 60})
    X, Y = corpus.counts, corpus.labels
    model.fit(X, Y)
    serial, kept = learned(model), {}

    def finished():
        return {path: path.stat().st_mtime_ns for path in Path(tmp_path).rglob("output.pkl")}

    def kill():
        end = time.monotonic() + SECONDS
        while len(finished()) < 2 and time.monotonic() < end:
            time.sleep(0.01)
        kept.update(finished())
        os.kill(victim, signal.SIGKILL)

    victim = next(iter(client.run(os.getpid).values()))
    killer = threading.Thread(target=kill)
    killer.start()
    with parallel_config("dask"):
        model.set_params(memory=str(tmp_path)).fit(X, Y)
    killer.join()
    assert learned(model) == serial
    after = finished()
    assert 2 <= len(kept) < len(after) == UNITS
    assert kept.items() <= after.items()
    client.wait_for_workers(2, timeout=SECONDS)
    assert victim not in client.run(os.getpid).values()


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


@pytest.mark.slow
def test_ray_gives_the_same_bits(corpus, monkeypatch):
    ray = pytest.importorskip("ray")
    from ray.util.joblib import register_ray

    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    model, given = MODELS["sampling"], (corpus.counts, corpus.labels)
    serial, few = learned(model.fit(*given)), corpus.counts[:20]
    scores = model.decision_function(few)
    register_ray()
    ray.init(num_cpus=2, include_dashboard=False, configure_logging=False)
    try:
        with parallel_config("ray", n_jobs=2):
            model.fit(*given)
            found = model.decision_function(few)
    finally:
        ray.shutdown()
    assert learned(model) == serial
    assert found.tobytes() == scores.tobytes()
