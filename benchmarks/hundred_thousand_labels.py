"""What do a hundred thousand labels and a million documents ask for, with the settings that models have by default?

A synthetic corpus, trained and predicted through the estimators as anybody would use them, each in a process of its
own: CPU and wall time of fit, of a first prediction, which makes the tables, and of another one of as many documents,
the peak memory of the process with the corpus and without, and the bytes of the fitted model. About half an hour on
two cores.
"""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import _harness as harness
import _unseen
import numpy as np
import pandas as pd
from scipy import sparse

from polytopic.models import DependencyLDA, FlatLDA
from polytopic.study import synthetic

MODELS = {
    "Flat-LDA": FlatLDA,
    "Dependency-LDA": DependencyLDA,
    "Dependency-LDA, mean field": lambda **given: DependencyLDA(inference="mean_field", **given),
}
STEPS = ["fit", "first prediction", "prediction"]


def main():
    options = harness.arguments(
        __doc__,
        quick={"labels": 300, "words": 500, "documents": 400, "length": 20, "test_documents": 10},
        labels=110_000, words=100_000, documents=1_000_000, length=100, test_documents=1_000, threads=2,
    )  # fmt: skip
    context = multiprocessing.get_context("spawn")
    rows = []
    for name in MODELS:
        with ProcessPoolExecutor(1, context) as process:
            rows += process.submit(_steps, name, options).result()
    table = pd.DataFrame(rows)
    values = [
        harness.measured(f"{name}: peak memory in GB", dict.fromkeys(harness.QUARTILES, peak))
        for name, peak in table.groupby("model", sort=False)["peak_gb"].max().items()
    ]
    harness.save("hundred_thousand_labels", table, _draw(table), options, values)


def _steps(name, options):
    """Return a row for every step of one model; run in a process of its own."""
    truth = synthetic.truth(options.labels, options.words, seed=options.seed)
    X, Y = synthetic.corpus(truth, options.documents, options.length)
    Y = sparse.csr_matrix(Y[:, np.flatnonzero(np.asarray(Y.sum(axis=0)).ravel())])
    test, _ = synthetic.corpus(truth, 2 * options.test_documents, options.length, purpose="test")
    corpus_gb = harness.peak_memory() / 1e9
    model = MODELS[name](random_state=options.seed, n_jobs=options.threads)
    model.fit(X[:100], Y[:100]).decision_function(test[:1])  # compiles what is not on the disk
    first, second = test[: options.test_documents], test[options.test_documents :]
    calls = (
        lambda: model.fit(X, Y),
        lambda: model.decision_function(first),
        lambda: model.decision_function(second),
    )
    rows = []
    for step, call in zip(STEPS, calls, strict=True):
        cpu, wall = harness.timed(call)
        rows.append(
            {
                "model": name,
                "step": step,
                "documents": X.shape[0] if step == STEPS[0] else options.test_documents,
                "labels": Y.shape[1],
                "cpu": cpu,
                "wall": wall,
                "peak_gb": harness.peak_memory() / 1e9,
                "corpus_gb": corpus_gb,
                "model_gb": _unseen.n_bytes(vars(model)) / 1e9,
            }
        )
        print(f"  {name}, {step}: {cpu:.0f} CPU s, {wall:.0f} s, {rows[-1]['peak_gb']:.2f} GB", flush=True)
    return rows


def _draw(table):
    axes = harness.new_axes(across=2, width=5.2, height=3.2)
    rows = table.iloc[::-1]
    names = rows["model"] + ", " + rows["step"]
    axes[0].barh(names, rows["cpu"], color="#56B4E9")
    axes[0].set(xlabel="Seconds of CPU time", xscale="log")
    axes[1].barh(names, rows["peak_gb"], color="#E69F00", label="peak so far")
    axes[1].barh(names, rows["corpus_gb"], color="#0072B2", height=0.4, label="making the corpus")
    axes[1].set(xlabel="Gigabytes", yticklabels=[])
    axes[1].legend()
    return axes


if __name__ == "__main__":
    main()
