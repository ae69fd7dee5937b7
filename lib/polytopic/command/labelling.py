"""The commands ``polytopic fit``, ``predict`` and ``evaluate``: a model is trained and kept, and labels texts."""

import csv
import io
import json
import os
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
from scipy import sparse
from tqdm.auto import tqdm

from polytopic import datasets, metrics, models
from polytopic.command.arguments import Refusal
from polytopic.datasets.catalogue import CORPORA
from polytopic.datasets.texts import read_texts
from polytopic.files import write_whole
from polytopic.labeller import Labeller
from polytopic.validation import check_name

BATCH = 1000  # documents that are labelled at a time
MODELS = {
    name: cls
    for name in models.__all__
    if isinstance(cls := getattr(models, name), type) and hasattr(cls, "decision_function")
}
COLUMNS = ("line", "rank", "label", "score")
OUTPUTS = (".csv", ".jsonl")


@contextmanager
def in_a_sentence():
    """Turn what is wrong with a reader's files, names or settings into a Refusal."""
    try:
        yield
    except (ValueError, FileNotFoundError, ModuleNotFoundError) as mistake:
        raise Refusal(str(mistake)) from mistake


def run_fit(options):
    """Train a model on a corpus and keep it in a folder."""
    with in_a_sentence():
        check_name("model", options.model, MODELS)
        model = MODELS[options.model]()
        known = model.get_params(deep=False)
        for name, value in _settings(options.parameter).items():
            check_name(f"setting of {options.model}", name, known)
            model.set_params(**{name: value})
    folder = Path(options.to)
    if (folder / "model.json").exists() and not options.force:
        raise Refusal(f"{folder} holds a model: name another folder by --to, or add --force to replace it")
    corpus, vectorizer = _corpus(options.corpus)
    with in_a_sentence():
        learned = corpus if options.split is None else corpus.split(options.split)[0]
        own = {"verbose": 1, "n_jobs": -1, "random_state": 0}
        given = _settings(options.parameter)
        model.set_params(
            **{name: value for name, value in own.items() if name in known and name not in given}
        )
        model.fit(learned.counts, learned.labels)
    Labeller.of(model, learned, vectorizer).save(folder)
    print(f"{options.model} learned from {learned}. Kept in {folder}. Label texts with it:")
    print(f"  polytopic predict {folder} texts.csv --text COLUMN")
    return 0


def run_predict(options):
    """Label the texts of a table, of a file with a text a line, or of standard input."""
    labeller = _load(options.model)
    output = Path(options.to) if options.to else None
    if output and output.suffix not in OUTPUTS:
        raise Refusal(
            f"{output} is of a kind that is not known: name a file that ends in {' or '.join(OUTPUTS)}"
        )
    with in_a_sentence():
        if options.file == "-":
            rows, faults = list(enumerate(sys.stdin.read().splitlines(), 1)), []
        else:
            rows, faults = read_texts(options.file, options.text)
    for one in faults:
        print(f"line {one.line} left out: it {one.reason}", file=sys.stderr)
    found = []
    with tqdm(total=len(rows), desc="labels", unit="text", disable=None) as progress:
        for first in range(0, len(rows), BATCH):
            some = rows[first : first + BATCH]
            with in_a_sentence():
                labels = labeller.suggest([text for _, text in some], options.top, options.probabilities)
            found += [(line, own) for (line, _), own in zip(some, labels, strict=True)]
            progress.update(len(some))
    text = _written(found, output.suffix if output else ".csv")
    if output:
        write_whole(output, text)
        print(f"Labels of {len(found)} texts: {output}")
    else:
        sys.stdout.write(text)
    return 0


def run_evaluate(options):
    """Say how well a kept model ranks the labels of a corpus."""
    labeller = _load(options.model)
    corpus, _ = _corpus(options.corpus)
    with in_a_sentence():
        judged = corpus if options.split is None else corpus.split(options.split)[1]
        truth, X = _aligned(labeller, judged)
        scores = labeller.model.decision_function(X)
    if options.split is None and judged.digest == labeller.corpus["digest"]:
        print("These are the documents that the model learned from: it will do worse on others.")
    ranked = {pivot: metrics.ranking(truth, scores, pivot) for pivot in metrics.PIVOTS}
    top = metrics.top(truth, scores)
    print(f"{judged.n_documents} documents, {truth.getnnz(axis=0).astype(bool).sum()} labels that occur")
    for name in ("average_precision", "auc_roc"):
        by = ", ".join(f"by {pivot} {measured[name]:.4f}" for pivot, measured in ranked.items())
        print(f"{metrics.MEASURES[name].heading}: {by}")
    for name in ("precision", "ndcg"):
        print(f"{name} at 1, 3 and 5: {', '.join(f'{value:.4f}' for value in top[name])}")
    return 0


def _settings(given):
    import yaml

    found = {}
    for text in given:
        name, sign, value = text.partition("=")
        if not sign:
            raise Refusal(f"{text!r} is no setting: write NAME=VALUE, as in n_topics=100")
        found[name] = yaml.safe_load(value)
    return found


def _corpus(name):
    """Return a corpus by its name or folder, and the vectoriser that lies with it, or None."""
    folder = Path(name)
    with in_a_sentence():
        if (folder / "Y.npz").exists():
            corpus = datasets.read_converted(folder)
        else:
            corpus, folder = datasets.load_corpus(name), Path(os.environ.get(CORPORA) or "corpora") / name
    with suppress(datasets.MissingCorpus):
        return corpus, datasets.read_vectorizer(folder)
    return corpus, None


def _load(folder):
    with in_a_sentence():
        return Labeller.load(folder)


def _aligned(labeller, corpus):
    """Return truth and counts in the order of a model's labels and words; what it does not know is left out."""
    places = {name: i for i, name in enumerate(corpus.label_names)}
    words = {name: i for i, name in enumerate(corpus.vocabulary)}
    parts = ((corpus.labels, labeller.label_names, places), (corpus.counts, labeller.vocabulary, words))
    truth, counts = (
        _columns(matrix, [known.get(name, -1) for name in names]) for matrix, names, known in parts
    )
    if not truth.nnz:
        raise ValueError(f"{corpus.name} has none of the model's labels")
    return truth, counts


def _columns(matrix, places):
    wider = sparse.hstack([matrix, sparse.csr_matrix((matrix.shape[0], 1), dtype=matrix.dtype)], format="csc")
    return wider[:, np.asarray(places)].tocsr()


def _written(found, ending):
    if ending == ".jsonl":
        rows = (
            {"line": line, "labels": [{"label": label, "score": round(score, 6)} for label, score in own]}
            for line, own in found
        )
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    table.writerows(
        (line, rank, label, f"{score:.6g}")
        for line, own in found
        for rank, (label, score) in enumerate(own, 1)
    )
    return text.getvalue()
