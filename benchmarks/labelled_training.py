"""How fast is training with labels, beside a textbook loop, tomotopy and MALLET?

One sweep over a corpus from the model's own process, once the chains have settled down: ours in sixteen chains side
by side, the textbook's loop in one, PLDAModel of tomotopy and LabeledLDA of MALLET in one, all on a single thread.
Time is per token, sweep and chain. MALLET's is the
wall time that it reports for its own sweeps, without its start.
"""

import re
import subprocess
import tempfile
from pathlib import Path

import _harness as harness
import _synthetic as synthetic
import _textbook_training as textbook
import numpy as np

from polytopic.kernels import generator, labelled
from polytopic.models import chains

OURS, TEXTBOOK, TOMOTOPY, MALLET = "ours", "the textbook loop", "tomotopy PLDA", "MALLET LabeledLDA"
ETA, BETA = 50.0, 0.01  # a training document's prior weight and the smoothing per word of Rubin et al.


def main():
    options = harness.arguments(
        __doc__,
        quick={"labels": 200, "documents": 200, "length": 50, "settle": 2, "mallet_sweeps": 4},
        labels=4000, documents=15_000, length=500, settle=10, mallet_sweeps=20,
    )  # fmt: skip
    X, Y = synthetic.corpus(
        synthetic.truth(options.labels, seed=options.seed), options.documents, options.length
    )
    calls = {
        OURS: _ours(X, Y, options),
        TEXTBOOK: _by_the_textbook(X, Y, options),
    }
    own_times = []  # MALLET's, in ns per token and sweep
    with tempfile.TemporaryDirectory() as folder:
        calls |= _tomotopy(X, Y) | _mallet(X, Y, Path(folder), options.mallet_sweeps, own_times)
        n_tokens = int(X.sum())
        units = dict.fromkeys(calls, n_tokens) | {OURS: n_tokens * labelled.LANES}
        times = harness.interleave(calls, options.repeats, units)
    times.loc[times["name"] == MALLET, "ns"] = own_times[1:]
    speeds = harness.ratios(times, OURS)
    values = [
        harness.measured(f"speed over {row['name']}", row)
        for row in speeds.to_dict("records")
        if row["name"] != OURS
    ]
    table = harness.quartiles(times).assign(unit="ns per token, sweep and chain")
    table["ours_is_times_faster"] = table["name"].map(speeds.set_index("name")["median"])
    axes = harness.plot_bars(harness.new_axes(height=2.4), table)
    axes.set_xlabel("Nanoseconds per token, sweep and chain")
    harness.save("labelled_training", table, axes, options, values)


def _ours(X, Y, options):
    tokens, random = chains.labelled_tokens(X, Y), _random(labelled.LANES)
    state = labelled.start(tokens, random)

    def sweep():
        labelled.sweep(tokens, state, ETA, BETA, random)

    return _settled(sweep, options.settle)


def _by_the_textbook(X, Y, options):
    random, cumulative = _random(1), np.zeros(Y.shape[1])
    state = textbook.start(X, Y, random)

    def sweep():
        textbook.sweep(*state, ETA, BETA, random, cumulative)

    return _settled(sweep, options.settle)


def _random(n_lanes):
    random = np.zeros((4, n_lanes), np.uint32)
    generator.seed(random, np.arange(n_lanes, dtype=np.uint64), 0)
    return random


def _settled(sweep, n):
    for _ in range(n):
        sweep()
    return sweep


def _tomotopy(X, Y):
    tomotopy = harness.peer("tomotopy")
    if tomotopy is None:
        return {}
    alpha = ETA / synthetic.CARDINALITY
    model = tomotopy.PLDAModel(latent_topics=0, topics_per_label=1, alpha=alpha, eta=BETA, seed=1)
    model.optim_interval = 0
    for words, labels in _texts(X, Y):
        model.add_doc(words, labels=labels)
    return {TOMOTOPY: lambda: model.train(1, workers=1)}


def _mallet(X, Y, folder, n_sweeps, own_times):
    """Return a call that has MALLET train; it adds the time of a sweep, once half of them are over, to own_times."""
    mallet = harness.mallet()
    if mallet is None:
        return {}
    lines = (
        f"{d}\t{' '.join(labels)}\t{' '.join(words)}\n" for d, (words, labels) in enumerate(_texts(X, Y))
    )
    text, ready = folder / "corpus.txt", folder / "corpus.mallet"
    text.write_text("".join(lines), encoding="utf-8")
    shape = ["--keep-sequence", "--label-as-features", "--token-regex", r"\S+"]
    pattern = ["--line-regex", r"^([^\t]*)\t([^\t]*)\t(.*)$"]
    _called(mallet, "import-file", "--input", text, "--output", ready, *shape, *pattern)
    priors = ["--alpha", ETA / synthetic.CARDINALITY, "--beta", BETA, "--random-seed", 1]

    def train():
        command = ["run", "cc.mallet.topics.LabeledLDA", "--input", ready, "--num-iterations", n_sweeps]
        log = _called(mallet, *command, *priors)
        milliseconds = [int(ms) for ms in re.findall(r"^\d+\t(\d+)ms", log, re.MULTILINE)]
        if not milliseconds:
            raise SystemExit(
                "MALLET does not say how long a sweep takes: are its resources among its classes?"
            )
        own_times.append(np.median(milliseconds[n_sweeps // 2 :]) * 1e6 / X.sum())

    return {MALLET: train}


def _called(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True)
    return done.stdout + done.stderr


def _texts(X, Y):
    """Yield each document's words and labels, made of letters and digits."""
    for d in range(X.shape[0]):
        row = slice(X.indptr[d], X.indptr[d + 1])
        words = np.repeat(X.indices[row], X.data[row])
        yield [f"w{w}" for w in words], [f"c{c}" for c in Y.indices[Y.indptr[d] : Y.indptr[d + 1]]]


if __name__ == "__main__":
    main()
