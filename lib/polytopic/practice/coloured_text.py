"""Texts whose words are coloured by the labels whose scores they raise, as HTML without scripts.

A word has its label's colour in a line below it, a little of it behind it, and its label's number: nothing depends on
seeing colours. What stands in texts and names is escaped, and cannot turn the direction of what stands around it.
"""

from html import escape
from pathlib import Path

STYLE = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
N_COLORS, N_LEVELS = 6, 3  # of the style sheet: colours of labels, and levels of strength of a word
SHOWN = 6  # words shown with a label
GAP = "\N{NO-BREAK SPACE}"
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
CLOSING = "</body>\n</html>\n"
NOTES = {
    "tokens": "A word has the number and colour of that label, of those listed, on which most of its occurrences are "
    "in the model's samples; the percentage is their share. Base is what is expected of a label by its frequency and "
    "by the labels that go with it. This says where the model has put words, not what it would say without them.",
    "linear": "A word has the number and colour of that label, of those listed, to whose score it adds most. Base "
    "and the parts of all words sum to the score.",
    "hybrid": "A word has the number and colour of that label, of those listed, whose log odds grow fastest with it. "
    "Base and what the parents add sum to the score, the log odds; in words these are not additive, and the words' "
    "numbers are rates of growth.",
}


def opening(title):
    """Return a page's beginning: ``sections`` of documents, their ``notes`` and CLOSING make it whole."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{_safe(title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f'<body class="polytopic page">\n<h1>{_safe(title)}</h1>\n'
    )


def page(documents, title):
    """Return a whole page of some ``explanation.Explained``."""
    return opening(title) + sections(documents) + notes(documents) + CLOSING


def fragment(documents):
    """Return the same for a notebook: styles and one element."""
    return f'<style>{STYLE}</style>\n<div class="polytopic">\n{sections(documents)}{notes(documents)}</div>'


def notes(documents):
    """Return what a page says, once, of the kinds of models that explained the documents."""
    lines = dict.fromkeys(f"{_safe(one.model)}. {NOTES[one.kind]}" for one in documents)
    return "".join(f'<p class="quiet">{line}</p>\n' for line in lines)


def sections(documents):
    """Return a part of a page for each document."""
    return "".join(map(_section, documents))


def _section(one):
    text = _words(one) if one.text is None else _text(one)
    parents = ""
    if any(label.parents for label in one.labels):
        parents = f"<details>\n<summary>What each parent adds</summary>\n{_parents(one)}\n</details>\n"
    return f'<section>\n<p class="text" dir="auto">{text}</p>\n{_labels(one)}\n{parents}</section>\n'


def _text(one):
    """Return the text with its words marked; of words that share a place the strongest."""
    marks = {}
    for mark in sorted(one.words, key=lambda mark: mark.strength):
        if mark.label is not None:
            marks |= dict.fromkeys(mark.places, mark)
    parts, done = [], 0
    for start, end in sorted(marks):
        if start >= done:
            parts += [_safe(one.text[done:start]), _mark(marks[start, end], one.text[start:end], one)]
            done = end
    return "".join(parts) + _safe(one.text[done:])


def _words(one):
    """Return the words of a document without a text, in the order of the vocabulary."""
    shown = (_safe(mark.word) if mark.label is None else _mark(mark, mark.word, one) for mark in one.words)
    return " ".join(f"<bdi>{own}</bdi>{_times(mark)}" for own, mark in zip(shown, one.words, strict=True))


def _mark(mark, text, one):
    level = min(N_LEVELS - 1, int(mark.strength * N_LEVELS))
    color = f' class="l{mark.label} s{level}"' if mark.label < N_COLORS else ""
    title = f"{_safe(one.labels[mark.label].label)}, {mark.strength:.0%}"
    return f'<mark{color} title="{title}">{_safe(text)}</mark>'


def _labels(one):
    """Return the table of the document's labels and of the words that raise and lower the score of each."""
    heads = ["", "label", "score", "base", "words that raise the score"]
    has_against = any(label.against for label in one.labels)
    heads += ["and lower it"] * has_against
    rows = []
    for n, label in enumerate(one.labels):
        row = _name(n, label) + _number(label.score) + _number(label.base) + _word_cell(label.words)
        rows.append(row + _word_cell(label.against) * has_against)
    return _table(heads, rows)


def _parents(one):
    """Return the table of what the parents of a hybrid add to the log odds of each label."""
    rows = []
    for n, label in enumerate(one.labels):
        for place, parent in enumerate(label.parents):
            name = "<td></td><td></td>" if place else _name(n, label)
            numbers = _number(parent.part, "+") + _number(parent.score)
            rows.append(f"{name}<td><bdi>{_safe(parent.name)}</bdi></td>{numbers}{_word_cell(parent.words)}")
    return _table(["", "label", "parent", "adds", "its own score", "words that raise the score"], rows)


def _table(heads, rows):
    head = "".join(f'<th scope="col" class="quiet">{name}</th>' for name in heads)
    body = "\n".join(f"<tr>{row}</tr>" for row in rows)
    return f'<div class="wide"><table>\n<tr>{head}</tr>\n{body}\n</table></div>'


def _name(n, label):
    """Return the cells of a label: its number and colour, and its name."""
    mark = f'<mark class="l{n} s1"></mark>' if n < N_COLORS else str(n + 1)
    return f'<td>{mark}</td><th scope="row" class="own"><bdi>{_safe(label.label)}</bdi></th>'


def _number(value, sign=""):
    return f'<td class="number">{value:{sign}.3f}</td>'.replace(">-", ">\N{MINUS SIGN}")


def _word_cell(words):
    """Return a cell of words, each with its share of its tokens, where it has any, or its part of the score."""
    shown = []
    for one in words[:SHOWN]:
        number = (
            f"{one.part:+.2f}".replace("-", "\N{MINUS SIGN}") if one.share is None else f"{one.share:.0%}"
        )
        shown.append(f'<bdi>{_safe(one.word)}</bdi>{_times(one)}{GAP}<span class="quiet">{number}</span>')
    return f"<td>{', '.join(shown)}</td>"


def _times(one):
    return "" if one.count == 1 else f"{GAP}×{one.count:g}"


def _safe(text):
    """Return a text for HTML, also within quotes; what no file can hold becomes a question mark."""
    return escape(text.replace("\0", "?").encode("utf-8", "replace").decode("utf-8"))
