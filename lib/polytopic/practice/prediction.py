"""The commands ``polytopic predict`` and ``explain``: labels of texts, and the words behind them."""

import csv
import io
import json
import sys
from pathlib import Path

from polytopic.command.arguments import Refusal, refusing
from polytopic.practice import coloured_text
from polytopic.practice.batches import answer
from polytopic.practice.training import load_labeller

TEXTS, EXPLAINED = 1000, 100  # texts that are labelled, and explained, at a time
COLUMNS = ("line", "rank", "label", "score")
OF_WORDS = (*COLUMNS, "base", "parent", "word", "count", "part", "share")
FORMATS, PAGES = (".csv", ".jsonl"), (".html", ".jsonl", ".csv")
OWN = "model"  # the cut-off that is the model's own


def run_predict(options):
    """Label the texts, batch by batch."""
    ending = Path(options.to).suffix if options.to else f".{options.format or 'csv'}"
    if ending not in FORMATS or options.format not in (None, ending[1:]):
        remedy = "name a file that ends in .csv or .jsonl, as --format if it is given"
        raise Refusal(f"{options.to} does not fit: {remedy}")
    labeller = load_labeller(options.model)
    choose = _choice(labeller, options)

    def write(texts):
        labels = choose([text for _, text in texts])
        return _labels(texts, labels, ending), ""

    header = _csv([COLUMNS]) if ending == ".csv" else ""
    facts = {name: getattr(options, name) for name in ("cutoff", "probabilities")}
    n_texts = answer(labeller, options, TEXTS, write, header, **facts, format=ending[1:])
    if options.to:
        print(f"Labels of {n_texts} texts: {options.to}")
    return 0


def _choice(labeller, options):
    """Return what gives [(label, score), ...] for each text, and say by which rule."""
    top = options.top or (None if options.cutoff else 5)
    with refusing():
        if options.cutoff is None:
            labeller.check_probabilities(options.probabilities)
            return lambda texts: labeller.suggest(texts, top, options.probabilities)
        cutoff = None if options.cutoff == OWN else options.cutoff
        print(f"Labels: {labeller.rule(cutoff)}.", file=sys.stderr)
        return lambda texts: [labels[:top] for labels in labeller.decide(texts, cutoff)]


def _labels(texts, labels, ending):
    """Return the rows of some texts; in CSV a text without a label has a row with its line alone."""
    pairs = [(line, own) for (line, _), own in zip(texts, labels, strict=True)]
    if ending == ".jsonl":
        return _json_lines(
            {"line": line, "labels": [{"label": label, "score": round(score, 6)} for label, score in own]}
            for line, own in pairs
        )
    rows = []
    for line, own in pairs:
        ranked = [(line, rank, label, f"{score:.6g}") for rank, (label, score) in enumerate(own, 1)]
        rows += ranked or [(line, "", "", "")]
    return _csv(rows)


def run_explain(options):
    """Explain the labels of the texts, batch by batch."""
    ending = Path(options.to).suffix if options.to else ".csv"
    if ending not in PAGES:
        raise Refusal(f"{options.to} does not fit: name a file that ends in {', '.join(PAGES)}")
    labeller = load_labeller(options.model)

    def write(texts):
        lines, alone = zip(*texts, strict=True)
        explanations = labeller.explain(list(alone), options.top)
        if ending == ".html":
            return coloured_text.sections(explanations), coloured_text.notes(explanations)
        rows = [{"line": line, **one} for line, one in zip(lines, explanations.as_json(), strict=True)]
        return _json_lines(rows) if ending == ".jsonl" else _csv(_words(rows)), ""

    header, footer = _csv([OF_WORDS]) if ending == ".csv" else "", ""
    if ending == ".html":
        header = coloured_text.opening(f"Why these labels: {Path(options.model).name}")
        footer = coloured_text.CLOSING
    n_texts = answer(labeller, options, EXPLAINED, write, header, footer, format=ending, command="explain")
    if options.to:
        print(f"Explanations of {n_texts} texts: {options.to}")
    return 0


def _words(explanations):
    """Yield a row for each word listed of a label; of a hybrid also for each word listed of a parent."""
    for one in explanations:
        for rank, label in enumerate(one["labels"], 1):
            head = one["line"], rank, label["label"], f"{label['score']:.6g}", f"{label['base']:.6g}"
            parts = [("", label["words"] + label["against"])]
            parts += [(parent["name"], parent["words"]) for parent in label["parents"]]
            for name, words in parts:
                for word in words:
                    share = "" if word["share"] is None else f"{word['share']:.6g}"
                    yield *head, name, word["word"], word["count"], f"{word['part']:.6g}", share


def _json_lines(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _csv(rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
