"""The commands ``polytopic fit`` and ``evaluate``: a model is trained and kept, and judged."""

import ast
import json
import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy import sparse

from polytopic import datasets, metrics, models
from polytopic.command.arguments import Refusal, refusing
from polytopic.corpus import name_counts
from polytopic.datasets.catalogue import CORPORA
from polytopic.metrics.binary_measures import cutoff_measures
from polytopic.metrics.in_blocks import Decided, rank_blocks
from polytopic.metrics.rank_measures import average_measures
from polytopic.practice.labeller import Labeller
from polytopic.practice.tables import read_vectorizer
from polytopic.validation import check_name

MOST_CACHED = 1 << 24  # scores of documents to be judged, up to which none is computed twice
MODELS = {
    name: cls
    for name in models.__all__
    if isinstance(cls := getattr(models, name), type) and hasattr(cls, "decision_function")
}


def new_model(name, given, usual=None):
    """Return a model of a class by name with given settings, and usual ones where it has them and none are given.

    Raises ValueError for a class or a setting that is not known, with the nearest one.
    """
    check_name("model", name, MODELS)
    model = MODELS[name]()
    known = model.get_params(deep=False)
    for setting in given:
        check_name(f"setting of {name}", setting, known)
    return model.set_params(**{own: value for own, value in (usual or {}).items() if own in known} | given)


def value_of(text):
    """Return what a text says in JSON or in Python, or the text itself."""
    for read in (json.loads, ast.literal_eval):
        with suppress(ValueError, SyntaxError):
            return read(text)
    return text


def settings_of(assignments):
    """Return {name: value} of texts such as ``n_topics=100``. Raises Refusal for one of another form."""
    for text in assignments:
        if "=" not in text:
            raise Refusal(f"{text!r} is no setting: write NAME=VALUE, as in n_topics=100")
    parts = (text.partition("=") for text in assignments)
    return {name: value_of(value) for name, _, value in parts}


def run_fit(options):
    """Train a model on a corpus and keep it in a folder."""
    with refusing():
        usual, given = {"verbose": 1, "n_jobs": -1, "random_state": 0}, settings_of(options.parameter)
        model = new_model(options.model, given, usual)
    folder = Path(options.to)
    if (folder / "model.json").exists() and not options.force:
        raise Refusal(f"{folder} holds a model: name another folder by --to, or add --force to replace it")
    corpus, vectorizer = _corpus(options.corpus)
    with refusing():
        learned = corpus if options.split is None else corpus.split(options.split)[0]
        names = _name_labels(model, learned, vectorizer, options.label_texts, given)
        unused = sparse.csr_matrix((learned.n_documents, len(names) - learned.n_labels), dtype=bool)
        model.fit(learned.counts, sparse.hstack([learned.labels, unused], format="csr"))
    replace(Labeller.of(model, learned, vectorizer), label_names=names).save(folder)
    print(f"{options.model} learned from {learned}. Kept in {folder}. Label texts with it:")
    print(f"  polytopic predict {folder} texts.csv --text COLUMN")
    return 0


def _name_labels(model, corpus, vectorizer, path, given):
    """Give the model what its labels are called, unless given says otherwise; return the names of the labels (C,).

    path, or None, is a file of ``read_label_texts``, whose labels that the corpus lacks come last. Topic models are
    given names and texts where there is a file, and nothing without, as in the papers.
    """
    texts = {} if path is None else read_label_texts(path)
    names = tuple(dict.fromkeys([*corpus.label_names, *texts]))
    known = model.get_params(deep=False)
    setting = next((name for name in ("label_names", "label_words") if name in known), None)
    if setting is None and texts:
        raise ValueError(
            f"{type(model).__name__} has no use for --label-texts: topic models and hybrids have"
        )
    if setting == "label_names" and setting not in given or texts:
        whole = [f"{name}\n{texts.get(name, '')}" for name in names]
        model.set_params(**{setting: name_counts(whole, corpus.vocabulary, vectorizer)})
    if len(names) > corpus.n_labels:
        print(
            f"{len(names) - corpus.n_labels} labels of {path} have no document: their texts are all there is."
        )
    return names


def read_label_texts(path):
    """Return {label: text} of a file of lines "label, tab, text"; what a label has in several lines comes together.

    Raises ValueError for a line of another form.
    """
    texts = {}
    for number, line in enumerate(Path(path).read_text(encoding="utf-8-sig").splitlines(), 1):
        label, _, text = map(str.strip, line.partition("\t"))
        if line.strip() and not (label and text):
            raise ValueError(f"line {number} of {path} is not of the form label, tab, text")
        if label:
            texts[label] = f"{texts.get(label, '')}\n{text}"
    return texts


def run_evaluate(options):
    """Say how well a saved model ranks the labels of a corpus."""
    labeller = load_labeller(options.model)
    corpus, _ = _corpus(options.corpus)
    with refusing():
        judged = corpus if options.split is None else corpus.split(options.split)[1]
        truth, X = _align(labeller, judged)
        labeller.check_probabilities(options.cutoff is not None)
        scores = labeller.model.score_blocks
        cached = list(scores(X)) if truth.shape[0] * truth.shape[1] <= MOST_CACHED else None
        decided = {cutoff: Decided(truth) for cutoff in (None, options.cutoff)}
        level = np.ones(truth.shape[1], bool)
        first = _count_decisions(cached or scores(X), labeller, X, decided, level)
        ranked = rank_blocks(truth, first, cached or scores(X))
    if options.split is None and judged.digest == labeller.corpus["digest"]:
        print("These are the documents that the model learned from: it will do worse on others.")
    averages = {pivot: average_measures(own) for pivot, own in ranked.items()}
    top = metrics.top_of(ranked["document"], (1, 3, 5))
    print(f"{judged.n_documents} documents, {truth.getnnz(axis=0).astype(bool).sum()} labels that occur")
    if n_level := np.count_nonzero(level[ranked["label"].kept]):
        print(
            f"{n_level} of these score all documents alike: by label they go by the order of the documents."
        )
    for name in ("average_precision", "auc_roc"):
        by = ", ".join(f"by {pivot} {measured[name]:.4f}" for pivot, measured in averages.items())
        print(f"{metrics.MEASURES[name].heading}: {by}")
    for name in ("precision", "ndcg"):
        print(f"{name} at 1, 3 and 5: {', '.join(f'{value:.4f}' for value in top[name])}")
    for cutoff, counted in decided.items():
        print(f"Taken: {labeller.rule(cutoff)}.")
        for pivot, measured in counted.measures().items():
            _print_binary(measured, f"by {pivot}")
    print("Taken: as many labels as the document has, or documents as the label has, the first ones.")
    for pivot, own in ranked.items():
        _print_binary(cutoff_measures(own, own.n_positive), f"by {pivot}")
    return 0


def _count_decisions(blocks, labeller, X, decided, level):
    """Yield blocks of scores; count what is decided of them, and unset ``level`` of labels whose scores differ."""
    known = None
    for rows, scores in blocks:
        for cutoff, counted in decided.items():
            counted.add(rows, labeller.decisions(X[rows], scores, cutoff))
        known = scores[0].copy() if known is None else known
        level &= (scores == known).all(axis=0)
        yield rows, scores


def _print_binary(measured, by):
    values = ", ".join(f"{metrics.MEASURES[name].heading} {value:.4f}" for name, value in measured.items())
    print(f"  {by}: {values}")


def _corpus(name):
    """Return a corpus by its name or folder, and the vectoriser that lies with it, or None."""
    folder = Path(name)
    with refusing():
        if (folder / "Y.npz").exists():
            corpus = datasets.read_converted(folder)
        else:
            corpus, folder = datasets.load_corpus(name), Path(os.environ.get(CORPORA) or "corpora") / name
    with suppress(datasets.MissingCorpus):
        return corpus, read_vectorizer(folder)
    return corpus, None


def load_labeller(folder):
    """Return the Labeller of a folder, or refuse in a sentence."""
    with refusing():
        return Labeller.load(folder)


def _align(labeller, corpus):
    """Return truth and counts in the order of a model's labels and words; what it does not know is left out."""
    places = {name: i for i, name in enumerate(corpus.label_names)}
    words = {name: i for i, name in enumerate(corpus.vocabulary)}
    truth = _columns(corpus.labels, [places.get(name, -1) for name in labeller.label_names])
    counts = _columns(corpus.counts, [words.get(word, -1) for word in labeller.vocabulary])
    if not truth.nnz:
        raise ValueError(f"{corpus.name} has none of the model's labels")
    return truth, counts


def _columns(matrix, places):
    """Return the columns at these places; -1 is a column of zeros."""
    wider = sparse.hstack([matrix, sparse.csr_matrix((matrix.shape[0], 1), dtype=matrix.dtype)], format="csc")
    return wider[:, np.asarray(places)].tocsr()
