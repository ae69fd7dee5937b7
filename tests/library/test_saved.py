"""``save`` and ``load`` of every model by itself: the same bits, in another process too, and refusals that name."""

import hashlib
import json
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from test_settings import ESTIMATORS, UNSEEN, answer, corpus, every_estimator

import polytopic
from polytopic import files, models
from polytopic.corpus import Corpus
from polytopic.models import DependencyLDA, FlatLDA, PriorLDA
from polytopic.models.persistence import ARRAYS, MODEL, DamagedModel, Unpackable
from polytopic.practice.labeller import Labeller

PUBLIC = [model for model in ESTIMATORS if type(model).__name__ in models.__all__]
ELSEWHERE = """
import hashlib, json, sys
import numpy as np
import polytopic
from scipy import sparse

found = {}
X = np.array(json.loads(sys.argv[1]))
for folder in sys.argv[2:]:
    model = polytopic.load(folder)
    method = next(one for one in ("decision_function", "transform", "predict") if hasattr(model, one))
    said = getattr(model, method)(X)
    said = said.toarray() if sparse.issparse(said) else np.asarray(said)
    found[folder] = [type(model).__name__, hashlib.sha256(np.ascontiguousarray(said).tobytes()).hexdigest()]
print(json.dumps(found))
"""

SAVING = """
import sys
import polytopic
model = polytopic.load(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for _ in range(60):
    model.save(sys.argv[2])
"""


def fitted(model):
    return clone(model).fit(*corpus(1))


def bits(model):
    said = answer(model)
    said = said.toarray() if hasattr(said, "toarray") else np.asarray(said)
    return hashlib.sha256(np.ascontiguousarray(said).tobytes()).hexdigest()


@pytest.fixture
def kept(tmp_path):
    fitted(FlatLDA(random_state=1, n_chains=2, n_test_chains=2)).save(tmp_path / "model")
    return tmp_path / "model"


def test_every_public_estimator_is_tried():
    public = {name for name in models.__all__ if isinstance(getattr(models, name), type)}
    assert {type(model).__name__ for model in PUBLIC} == public


@every_estimator
def test_a_model_by_itself_comes_back_with_the_same_bits(model, tmp_path):
    if model not in PUBLIC:
        pytest.skip("is no model of its own, and is kept with those that hold it")
    before = fitted(model)
    before.save(tmp_path / "model")
    after = type(model).load(tmp_path / "model")
    assert type(after) is type(before) and repr(after) == repr(before)
    assert bits(after) == bits(before) and vars(after).keys() == vars(before).keys()
    assert bits(polytopic.load(tmp_path / "model")) == bits(before)
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == [ARRAYS, MODEL]


def test_another_process_finds_the_same_bits(tmp_path):
    expected = {}
    for number, model in enumerate(PUBLIC):
        folder, own = tmp_path / str(number), fitted(model)
        own.save(folder)
        expected[str(folder)] = [type(own).__name__, bits(own)]
    command = [sys.executable, "-c", ELSEWHERE, json.dumps(UNSEEN.tolist()), *expected]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout.splitlines()[-1]) == expected


@pytest.mark.skipif(files.fcntl is None, reason="folders cannot be held here")
def test_processes_that_save_into_one_folder_take_turns(tmp_path):
    """Whoever loads meanwhile gets the one model or the other; what two wrote at once was neither."""
    shared, sizes, writers = tmp_path / "shared", (3, 400), []
    for n_words in sizes:
        own = FlatLDA(n_chains=1, n_sweeps=1, random_state=0).fit(np.ones((2, n_words), int), np.eye(2))
        own.save(tmp_path / str(n_words))
        own.save(shared)
    try:
        for n_words in sizes:
            command = [sys.executable, "-c", SAVING, str(tmp_path / str(n_words)), str(shared)]
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
            writers.append(subprocess.Popen(command, **pipes))
        assert [one.stdout.readline() for one in writers] == ["ready\n"] * 2
        for one in writers:
            one.stdin.close()
        found = []
        while any(one.poll() is None for one in writers):
            found.append(polytopic.load(shared).n_features_in_)
        assert [one.returncode for one in writers] == [0, 0]
    finally:
        for one in writers:
            one.kill()
            one.wait()
            one.stdout.close()
    assert set(found) == set(sizes)
    assert polytopic.load(shared).n_features_in_ in sizes
    assert sorted(path.name for path in shared.iterdir()) == [ARRAYS, MODEL]


def test_another_class_is_refused_by_name(kept):
    with pytest.raises(ValueError, match="holds a FlatLDA, not a DependencyLDA: load it by FlatLDA.load"):
        DependencyLDA.load(kept)


def test_the_same_model_is_written_as_the_same_bytes(tmp_path):
    """A vectoriser that has been used holds the place of its stop words in memory, another one in each process."""
    written = []
    for place in (1, 2):
        words = CountVectorizer().fit(["red apple", "red car"])
        words._stop_words_id = place
        counts = words.transform(["red apple", "red car"])
        data = Corpus(counts, np.eye(2, dtype=bool), words.get_feature_names_out(), ["fruit", "car"])
        model = FlatLDA(n_chains=1, n_sweeps=1, random_state=0).fit(data.counts, data.labels)
        words._stop_words_id = place
        Labeller.of(model, data, words).save(tmp_path / str(place))
        written.append([(tmp_path / str(place) / name).read_bytes() for name in (MODEL, ARRAYS)])
    assert written[0] == written[1]


def test_a_labeller_and_its_model_are_one_folder(tmp_path):
    model = fitted(PriorLDA(random_state=1, n_chains=2, n_test_chains=2))
    Labeller.of(model, Corpus(*corpus(1))).save(tmp_path)
    assert bits(PriorLDA.load(tmp_path)) == bits(model)
    assert isinstance(polytopic.load(tmp_path), Labeller)


def test_a_model_by_itself_has_no_names_to_label_by(kept):
    with pytest.raises(ValueError, match=r"holds a FlatLDA by itself, without the names .* polytopic\.load"):
        Labeller.load(kept)


def test_what_is_not_fitted_or_no_data_is_not_written(tmp_path):
    with pytest.raises(NotFittedError):
        FlatLDA().save(tmp_path / "none")
    model = fitted(FlatLDA(random_state=1, n_chains=2))
    model.extra = print
    with pytest.raises(Unpackable, match="extra"):
        model.save(tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_a_second_saving_replaces_the_first_and_keeps_no_folder_of_memory(kept, tmp_path):
    model = fitted(PriorLDA(random_state=1, n_chains=2, memory=str(tmp_path / "memory")))
    model.save(kept)
    after = polytopic.load(kept)
    assert isinstance(after, PriorLDA) and after.memory is None and bits(after) == bits(model)


@pytest.mark.parametrize("name", [MODEL, ARRAYS])
def test_damage_is_named(kept, name):
    content = bytearray((kept / name).read_bytes())
    content[len(content) // 2] ^= 1
    (kept / name).write_bytes(bytes(content))
    with pytest.raises(DamagedModel, match=name):
        FlatLDA.load(kept)
    (kept / name).unlink()
    with pytest.raises((DamagedModel, FileNotFoundError), match=f"{name} is missing"):
        polytopic.load(kept)


def test_both_files_may_be_read_by_whoever_reads_new_files(kept):
    (kept / "other").touch()
    rights = {path.stat().st_mode & 0o777 for path in kept.iterdir()}
    assert len(rights) == 1
