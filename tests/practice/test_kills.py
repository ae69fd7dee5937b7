"""Fifty kills at random moments: what is kept is whole, and the next run ends with an undisturbed one's bits.

One process imports the library; each trial is a fork of it, which SIGKILL ends.
"""

import filecmp
import itertools
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress

import numpy as np
import pytest

import polytopic
from polytopic.practice.labeller import Labeller

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform has no fork"),
]

PARENT = """
import os, sys
import numpy as np
import pandas as pd
from polytopic.corpus import Corpus
from polytopic.practice.labeller import Labeller
from polytopic.models import FlatLDA
from polytopic.study.store import Place, Result, key_of

class which:
    full_name, code, axes = "kills/values", "0", ["unit"]
    key = staticmethod(lambda unit: key_of([unit["unit"]]))
    units = staticmethod(lambda scale: [{"unit": number} for number in range(15)])

random = np.random.default_rng(0)
X, Y = random.poisson(1.0, (200, 80)), random.random((200, 12)) < 0.3
Y[:, 0] = True
FlatLDA(n_chains=1, n_sweeps=1).fit(X, Y)
labellers = []
for n_words in (4000, 8000):
    corpus = Corpus(random.poisson(1.0, (30, n_words)), np.ones((30, 3), bool))
    model = FlatLDA(n_chains=1, n_sweeps=2, random_state=0).fit(corpus.counts, corpus.labels)
    labellers.append(Labeller.of(model, corpus))

def fit(folder):
    model = FlatLDA(n_chains=320, n_sweeps=100, random_state=0, memory=os.path.join(folder, "memory"))
    np.save(os.path.join(folder, "fitted.npy"), model.fit(X, Y).label_word_distributions())

def save(folder):
    for number in range(11):
        labellers[number % 2].save(folder)

def store(folder):
    os.environ |= {"POLYTOPIC_HOME": folder, "POLYTOPIC_CACHE": os.path.join(folder, "cache")}
    for number in range(15):
        rows = pd.DataFrame({"value": np.arange(300) / (number + 1)})
        kept = Result(rows, {"more": rows + 1}, {"x": np.full(5000, number)})
        Place(which, "a", "paper", 0).add({"unit": number}, kept, "0" * 64)

def check(folder):
    os.environ["POLYTOPIC_HOME"] = folder
    for key, kept in Place(which, "a", "paper", 0).units("0" * 64).items():
        number = int(key.strip("[]"))
        assert (kept.arrays["x"] == number).all() and len(kept.arrays["x"]) == 5000
        assert np.array_equal(kept.rows["value"], np.arange(300) / (number + 1))
        assert np.array_equal(kept.tables["more"]["value"], np.arange(300) / (number + 1) + 1)

print("ready", flush=True)
for line in sys.stdin:
    what, folder = line.split()
    child = os.fork()
    if not child:
        status = 1
        try:
            globals()[what](folder)
            status = 0
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(status)
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.fixture(scope="module")
def trial():
    """Return a function that runs a task in a folder, kills it after seconds, and gives its status and seconds."""
    single = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command, pipes = [sys.executable, "-c", PARENT], {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, bufsize=1, env=os.environ | single, **pipes) as parent:
        assert parent.stdout.readline() == "ready\n"

        def told(what, folder, seconds=None):
            began = time.monotonic()
            print(what, folder, file=parent.stdin)
            child = int(parent.stdout.readline())
            if seconds is not None:
                time.sleep(seconds)
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            return int(parent.stdout.readline()), time.monotonic() - began

        yield told


def killed(trial, what, folders, whole, kills, seed):
    """Yield each folder after a run there, killed at a moment of an undisturbed one, until so many kills have come.

    A run that ended before its kill tells that a whole one is no longer than that: later kills come sooner.
    """
    chance, come = random.Random(seed), 0
    for folder in itertools.islice(folders, 4 * kills):
        moment = chance.uniform(0, whole)
        status, _ = trial(what, folder, moment)
        assert status in (0, -signal.SIGKILL)
        if status == 0:
            whole = moment
        come += status != 0
        yield folder
        if come == kills:
            return
    raise AssertionError(f"{come} of {kills} kills came before their runs had ended")


def test_a_fit_with_memory_goes_on_after_kills(trial, tmp_path):
    """Each kill comes in the first fifth of a whole run: none gets to the end but by what those before it kept."""
    calm, torn = tmp_path / "calm", tmp_path / "torn"
    calm.mkdir()
    torn.mkdir()
    status, whole = trial("fit", calm)
    assert status == 0
    for _ in killed(trial, "fit", itertools.repeat(torn), whole / 5, 200, seed=0):
        if (torn / "fitted.npy").exists():
            break
    else:
        raise AssertionError("200 runs kept nothing for the next ones")
    assert trial("fit", torn)[0] == 0
    assert same_fit(calm, torn)


def same_fit(calm, torn):
    return np.array_equal(np.load(calm / "fitted.npy"), np.load(torn / "fitted.npy"))


def test_a_model_killed_while_it_is_replaced_is_the_old_or_the_new_one(trial, tmp_path):
    status, whole = trial("save", tmp_path)
    assert status == 0
    for _ in killed(trial, "save", itertools.repeat(tmp_path), whole, 15, seed=1):
        found = Labeller.load(tmp_path)
        assert len(found.vocabulary) == found.model.n_features_in_
        assert found.model.n_features_in_ in (4000, 8000)
    assert trial("save", tmp_path)[0] == 0
    assert polytopic.load(tmp_path).model.n_features_in_ == 4000
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arrays.npz", "model.json"]


def test_stored_results_are_whole_after_every_kill(trial, tmp_path):
    """Every unit that the head names has its rows, table and arrays; the files end as those of a calm run."""
    calm = tmp_path / "calm"
    status, whole = trial("store", calm)
    assert status == 0 and trial("check", calm)[0] == 0
    new_folders = (tmp_path / f"torn{number}" for number in itertools.count())
    for torn in killed(trial, "store", new_folders, whole, 15, seed=2):
        assert trial("check", torn)[0] == 0
        assert trial("store", torn)[0] == 0
        assert same_files(calm / "data", torn / "data")


def same_files(first, second):
    names = [sorted(str(path.relative_to(top)) for path in top.rglob("*.*")) for top in (first, second)]
    return names[0] == names[1] and all(filecmp.cmp(first / name, second / name, False) for name in names[0])
