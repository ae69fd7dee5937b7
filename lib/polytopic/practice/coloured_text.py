"""Texts whose words are coloured by the labels that they speak for, as HTML without scripts.

A word has its label's colour in a line below it, a little of it behind it, and its label's number: nothing hangs on
seeing colours. What stands in texts and names is escaped, and cannot turn the direction of what stands around it.
"""

from html import escape

LIGHT = (
    "#2D78D2",
    "#962D00",
    "#3CA578",
    "#D2780F",
    "#2D0FA5",
    "#A587B4",
)  # of the first labels, on light paper
DARK = ("#6AA9F0", "#E0785A", "#5CC79A", "#F5C95A", "#8878FF", "#DCC3EA")
PAPER, INK, QUIET = "#FFFFFF", "#1F1F1F", "#5F5F5F"
DARK_PAPER, DARK_INK, DARK_QUIET = "#1B1B1F", "#ECECEC", "#A9A9A9"
LEVELS = (0.10, 0.20, 0.30)  # how much of its colour lies behind a word, by its strength
SHOWN = 6  # words of a label that stand beside it
GAP = "\N{NO-BREAK SPACE}"
CLOSING = "</body>\n</html>\n"
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
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


def page(documents, title):
    """Return a whole page of some ``explained.Explained``."""
    return opening(title) + sections(documents) + notes(documents) + CLOSING


def opening(title):
    """Return a page's beginning: ``sections`` of documents, their ``notes`` and CLOSING make it whole."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{_safe(title)}</title>\n<style>{styles()}</style>\n</head>\n"
        f'<body class="polytopic page">\n<h1>{_safe(title)}</h1>\n'
    )


def fragment(documents):
    """Return the same for a notebook: styles and one element."""
    return (
        f'<style>{styles()}</style>\n<div class="polytopic">\n{sections(documents)}{notes(documents)}</div>'
    )


def styles():
    """Return the style sheet: light, and dark where the reader's system or notebook is."""
    light, dark = _colors(LIGHT, PAPER, INK, QUIET), _colors(DARK, DARK_PAPER, DARK_INK, DARK_QUIET)
    marked = "\n".join(
        f".polytopic .l{n}{{--line:var(--c{n})}} .polytopic .l{n}::after{{content:'{n + 1}'}}\n"
        + "\n".join(f".polytopic .l{n}.s{s}{{background:var(--c{n}s{s})}}" for s in range(len(LEVELS)))
        for n in range(len(LIGHT))
    )
    return f"""
.polytopic{{{light}}}
@media (prefers-color-scheme: dark){{.polytopic{{{dark}}}}}
[data-jp-theme-light="true"] .polytopic,.vscode-light .polytopic,[data-theme="light"] .polytopic{{{light}}}
[data-jp-theme-light="false"] .polytopic,.vscode-dark .polytopic,[data-theme="dark"] .polytopic{{{dark}}}
.polytopic{{background:var(--paper);color:var(--ink);font:15px/1.6 system-ui,sans-serif;padding:.6em 1em}}
.polytopic.page{{max-width:60em;margin:0 auto;padding:1em}}
.polytopic h1{{font-size:1.3em}}
.polytopic section{{border-top:1px solid var(--quiet);margin:0 0 2em;padding-top:.6em}}
.polytopic .text{{white-space:pre-wrap;overflow-wrap:anywhere;line-height:2;margin:.6em 0}}
.polytopic bdi,.polytopic .text{{unicode-bidi:isolate}}
.polytopic table{{border-collapse:collapse;margin:.6em 0;background:none;color:inherit}}
.polytopic th,.polytopic td{{text-align:left;vertical-align:top;padding:.15em 1em .15em 0;font-weight:normal;
background:none;color:inherit;white-space:normal;overflow-wrap:break-word}}
.polytopic .wide{{overflow-x:auto}}
.polytopic summary{{cursor:pointer;color:var(--quiet)}}
.polytopic th.own{{font-weight:bold}}
.polytopic .number{{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}}
.polytopic .quiet{{color:var(--quiet);font-size:.9em}}
.polytopic mark{{color:inherit;padding:.1em .15em;border-radius:.2em;border-bottom:2px solid var(--line)}}
.polytopic mark::after{{font-size:.65em;vertical-align:super;padding-left:.1em;color:var(--ink)}}
{marked}
"""


def _colors(colors, paper, ink, quiet):
    """Return the declarations of one theme."""
    own = [("paper", paper), ("ink", ink), ("quiet", quiet)]
    for n, color in enumerate(colors):
        own.append((f"c{n}", color))
        own += [(f"c{n}s{s}", mixed(paper, color, share)) for s, share in enumerate(LEVELS)]
    return ";".join(f"--{name}:{value}" for name, value in own)


def mixed(paper, color, share):
    """Return the colour that so much of a colour makes on a paper; colours are #RRGGBB."""
    pairs = [(int(paper[i : i + 2], 16), int(color[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a + share * (b - a)):02X}" for a, b in pairs)


def sections(documents):
    """Return a part of a page for each document."""
    return "".join(f"{_section(one)}\n" for one in documents)


def notes(documents):
    """Return what a page says, once, of the kinds of models that explained the documents."""
    told = dict.fromkeys(f"{_safe(one.model)}. {NOTES[one.kind]}" for one in documents)
    return "".join(f'<p class="quiet">{note}</p>\n' for note in told)


def _section(one):
    text = _words(one) if one.text is None else _text(one)
    parents = ""
    if any(label.parents for label in one.labels):
        parents = f"<details>\n<summary>What each parent adds</summary>\n{_parents(one)}\n</details>\n"
    return f'<section>\n<p class="text" dir="auto">{text}</p>\n{_labels(one)}\n{parents}</section>'


def _text(one):
    """Return the text with its words marked; of words that share a place the strongest."""
    found = {}
    for mark in sorted(one.words, key=lambda mark: mark.strength):
        if mark.label is not None:
            found |= dict.fromkeys(mark.places, mark)
    parts, done = [], 0
    for start, end in sorted(found):
        if start >= done:
            parts += [_safe(one.text[done:start]), _marked(found[start, end], one.text[start:end], one)]
            done = end
    return "".join(parts) + _safe(one.text[done:])


def _words(one):
    """Return the words of a document without a text, in the order of the vocabulary."""
    shown = []
    for mark in one.words:
        times = f"{GAP}×{mark.count:g}" if mark.count != 1 else ""
        own = _safe(mark.word) if mark.label is None else _marked(mark, mark.word, one)
        shown.append(f"<bdi>{own}</bdi>{times}")
    return " ".join(shown)


def _marked(mark, text, one):
    label = one.labels[mark.label].label
    level = min(len(LEVELS) - 1, int(mark.strength * len(LEVELS)))
    color = f' class="l{mark.label} s{level}"' if mark.label < len(LIGHT) else ""
    return f'<mark{color} title="{_safe(label)}, {mark.strength:.0%}">{_safe(text)}</mark>'


def _labels(one):
    """Return the table of the document's labels and of the words that speak for and against each."""
    heads = ["", "label", "score", "base", "words that speak for it"]
    has_against = any(label.against for label in one.labels)
    heads += ["and against it"] if has_against else []
    rows = []
    for n, label in enumerate(one.labels):
        cells = [_named(n, label), _figure(label.score), _figure(label.base), _listed(label.words)]
        cells += [_listed(label.against)] if has_against else []
        rows.append("".join(cells))
    return _table(heads, rows)


def _parents(one):
    """Return the table of what the parents of a hybrid add to the log odds of each label."""
    rows = []
    for n, label in enumerate(one.labels):
        for place, parent in enumerate(label.parents):
            name = _named(n, label) if place == 0 else "<td></td><td></td>"
            own = (
                f"<td><bdi>{_safe(parent.name)}</bdi></td>{_figure(parent.part, '+')}{_figure(parent.score)}"
            )
            rows.append(f"{name}{own}{_listed(parent.words)}")
    return _table(["", "label", "parent", "adds", "its own score", "words that speak for it"], rows)


def _table(heads, rows):
    head = "".join(f'<th scope="col" class="quiet">{name}</th>' for name in heads)
    body = "\n".join(f"<tr>{row}</tr>" for row in rows)
    return f'<div class="wide"><table>\n<tr>{head}</tr>\n{body}\n</table></div>'


def _named(n, label):
    """Return the cells of a label: its number and colour, and its name."""
    mark = f'<mark class="l{n} s1"></mark>' if n < len(LIGHT) else str(n + 1)
    return f'<td>{mark}</td><th scope="row" class="own"><bdi>{_safe(label.label)}</bdi></th>'


def _figure(value, sign=""):
    return f'<td class="number">{_signed(f"{value:{sign}.3f}")}</td>'


def _listed(words):
    """Return a cell of words, each with its share of its tokens, where it has any, or its part of the score."""
    shown = []
    for one in words[:SHOWN]:
        times = f"{GAP}×{one.count:g}" if one.count != 1 else ""
        number = _signed(f"{one.part:+.2f}") if one.share is None else f"{one.share:.0%}"
        shown.append(f'<bdi>{_safe(one.word)}</bdi>{times}{GAP}<span class="quiet">{number}</span>')
    return f"<td>{', '.join(shown)}</td>"


def _signed(number):
    return number.replace("-", "\N{MINUS SIGN}")


def _safe(text):
    """Return a text for HTML, also within quotes; what no file can hold becomes a question mark."""
    return escape(text.replace("\0", "?").encode("utf-8", "replace").decode("utf-8"))
