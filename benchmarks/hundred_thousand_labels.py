"""What do a hundred thousand labels and a million documents ask for, with the settings that a model has by default?

Dependency-LDA on a synthetic corpus, through the estimator as anybody would use it: CPU and wall time of fit, and by
sampling and by mean field of a first prediction, which makes the tables, and of another one of as many documents; the
memory of the process after each step and its peak so far. The first step makes the corpus. Half an hour.
"""

import _harness as harness
import _synthetic as synthetic
import _unseen
import numpy as np
import pandas as pd
import psutil
from scipy import sparse

from polytopic.models import DependencyLDA

SAMPLING, MEAN_FIELD = "fast", "mean_field"


def main():
    options = harness.arguments(
        __doc__,
        quick={"labels": 300, "words": 500, "documents": 400, "length": 20, "test_documents": 10},
        labels=110_000, words=100_000, documents=1_000_000, length=100, test_documents=1_000, threads=2,
    )  # fmt: skip
    truth = synthetic.truth(options.labels, options.words, seed=options.seed)
    rows, made = [], []

    def take(step, call, n):
        cpu, wall = harness.timed(call)
        memory = {"rss_gb": psutil.Process().memory_info().rss / 1e9, "peak_gb": harness.peak_memory() / 1e9}
        rows.append({"step": step, "documents": n, "cpu": cpu, "wall": wall, **memory})
        print(f"  {step}: {cpu:.0f} CPU s, {wall:.0f} s, {memory['peak_gb']:.2f} GB", flush=True)

    take("making the corpus", lambda: made.extend(_corpus(truth, options)), options.documents)
    X, Y = made
    model = DependencyLDA(random_state=options.seed, n_jobs=options.threads)
    take("fit", lambda: model.fit(X, Y), options.documents)
    test, _ = synthetic.corpus(truth, 2 * options.test_documents, options.length, purpose="test")
    halves = {
        "first prediction": test[: options.test_documents],
        "prediction": test[options.test_documents :],
    }
    for inference in (SAMPLING, MEAN_FIELD):
        model.set_params(inference=inference)
        for step, documents in halves.items():
            take(f"{step}, {inference}", lambda of=documents: model.decision_function(of), documents.shape[0])
    table = pd.DataFrame(rows).assign(labels=Y.shape[1], model_gb=_unseen.n_bytes(vars(model)) / 1e9)
    harness.save("hundred_thousand_labels", table, _draw(table), options)


def _corpus(truth, options):
    """Return counts and labels, without the labels that no document has."""
    X, Y = synthetic.corpus(truth, options.documents, options.length)
    return X, sparse.csr_matrix(Y[:, np.flatnonzero(np.asarray(Y.sum(axis=0)).ravel())])


def _draw(table):
    axes = harness.new_axes(across=2, width=5.2, height=3.2)
    rows = table.iloc[::-1]
    axes[0].barh(rows["step"], rows["cpu"], color="#56B4E9")
    axes[0].set(xlabel="Seconds of CPU time", xscale="log")
    axes[1].barh(rows["step"], rows["peak_gb"], color="#E69F00", label="peak so far")
    axes[1].barh(rows["step"], rows["rss_gb"], color="#0072B2", height=0.4, label="after the step")
    axes[1].set(xlabel="Gigabytes", yticklabels=[])
    axes[1].legend()
    return axes


if __name__ == "__main__":
    main()
