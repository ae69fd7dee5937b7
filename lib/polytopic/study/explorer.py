"""A look into trained topic models: the words of a label, the labels of a word and of a topic, a document by label.

What is shown are tables and HTML without scripts; ``widgets`` puts them behind menus where a notebook is run by hand.
"""

from html import escape

import ipywidgets
import numpy as np
import pandas as pd
from IPython.display import HTML, display

from polytopic.study.looks import BLUE, GREEN, GREY, INDIGO, MAUVE, ORANGE, RUST
from polytopic.validation import check_name

COLORS = (BLUE, RUST, GREEN, ORANGE, INDIGO, MAUVE)  # of a document's highest labels
TICK = " ✓"


def words_of_label(models, corpus, label, n=10):
    """Return the n likeliest words of a label by each model: {name: fitted model}, a column a model."""
    c = _place("label", label, corpus.label_names)
    table = {}
    for name, model in models.items():
        phi = model.label_word_distributions()[c]
        top = np.argsort(-phi, kind="stable")[:n]
        table[name] = [f"{corpus.vocabulary[w]} {phi[w]:.3f}" for w in top]
    return _ranked(table)


def labels_of_word(models, corpus, word, n=10):
    """Return the n labels by which a word is likeliest, relative to all their words: phi, a column a model."""
    w = _place("word", word, corpus.vocabulary)
    table = {}
    for name, model in models.items():
        phi = model.label_word_distributions()[:, w]
        top = np.argsort(-phi, kind="stable")[:n]
        table[name] = [f"{corpus.label_names[c]} {phi[c]:.3f}" for c in top]
    return _ranked(table)


def labels_of_topics(model, corpus, n=8, chain=0):
    """Return the n likeliest labels of each topic of one chain, the topics with the most label tokens first."""
    counts = model.topic_label_counts_[chain].toarray().sum(axis=1)
    phi = model.topic_label_distributions()[chain]
    order = np.argsort(-counts, kind="stable")
    names = np.array(corpus.label_names)
    rows = [names[np.argsort(-phi[t], kind="stable")[:n]] for t in order]
    table = pd.DataFrame(rows, index=pd.Index(order, name="topic"))
    return table.rename(columns=lambda place: place + 1)


def coloured(models, corpus, document):
    """Return a document's words, coloured by the label that most likely gave them, by each model, as HTML.

    How likely label c gave word w is in proportion to phi_cw times the document's score of c. The six labels with
    the highest scores have colours; words of others are grey. A tick marks labels that the document has.
    """
    row, truth = corpus.counts[[document]], corpus.labels[[document]].toarray()[0]
    parts = [_by_label(name, model, corpus, row, truth) for name, model in models.items()]
    own = ", ".join(escape(corpus.label_names[c]) for c in np.flatnonzero(truth)) or "none"
    return HTML(f"<p>Labels: {own}</p>\n" + "\n".join(parts))


def _by_label(name, model, corpus, row, truth):
    scores, phi = model.decision_function(row)[0], model.label_word_distributions()[:, row.indices]
    given = phi * scores[:, None]
    given /= np.where(given.sum(axis=0) > 0, given.sum(axis=0), 1)
    top = np.argsort(-scores, kind="stable")[: len(COLORS)]
    colors = dict(zip(top, COLORS, strict=False))
    keys = []
    for c in top:
        text = f"{corpus.label_names[c]}{TICK if truth[c] else ''} {scores[c]:.2f}"
        keys.append(f'<span style="{_line(colors[c])}">{escape(text)}</span>')
    words = []
    for place, (w, count) in enumerate(zip(row.indices, row.data, strict=True)):
        c = int(np.argmax(given[:, place]))
        times = f" ×{count}" if count > 1 else ""
        told = f"{corpus.label_names[c]}, {given[c, place]:.2f}"
        text = f"{escape(corpus.vocabulary[w])}{times}"
        words.append(f'<span style="{_line(colors.get(c, GREY))}" title="{escape(told)}">{text}</span>')
    return f"<p><b>{escape(name)}</b>: {' '.join(keys)}</p>\n<p>{' '.join(words)}</p>"


def _line(color):
    return f"border-bottom: 3px solid {color}; margin-right: .5em"


def widgets(models, corpus, n=10):
    """Show the four looks behind menus: each is drawn anew when its menu changes."""
    topics = next((model for model in models.values() if len(model.topic_label_distributions()[0]) > 1), None)
    looks = {
        "A label's words": (
            ipywidgets.Combobox(options=corpus.label_names, value=corpus.label_names[0], ensure_option=True),
            lambda label: words_of_label(models, corpus, label, n),
        ),
        "A word's labels": (
            ipywidgets.Combobox(options=corpus.vocabulary, value=corpus.vocabulary[0], ensure_option=True),
            lambda word: labels_of_word(models, corpus, word, n),
        ),
        "A document": (
            ipywidgets.BoundedIntText(value=0, max=corpus.n_documents - 1),
            lambda document: coloured(models, corpus, document),
        ),
    }
    if topics is not None:
        looks["Topics"] = (
            ipywidgets.BoundedIntText(value=0, max=len(topics.topic_label_counts_) - 1),
            lambda chain: labels_of_topics(topics, corpus, chain=chain),
        )
    tabs = []
    for menu, look in looks.values():
        output = ipywidgets.interactive_output(lambda value, look=look: display(look(value)), {"value": menu})
        tabs.append(ipywidgets.VBox([menu, output]))
    return ipywidgets.Tab(tabs, titles=list(looks))


def _ranked(table):
    return pd.DataFrame(table).rename(index=lambda place: place + 1)


def _place(kind, name, names):
    check_name(kind, name, names)
    return names.index(name)
