"""The command ``polytopic explain``: why texts have their labels, as coloured words, JSON lines or a table.

With --to it goes on after an interruption, as ``predicting`` does.
"""

import csv
import io
import json
import sys
from functools import partial
from pathlib import Path

from polytopic.command.arguments import Refusal, refusing
from polytopic.practice import coloured_text
from polytopic.practice.batches import Part, facts_of
from polytopic.practice.prediction import READING, Told, batches, file_of, go_on, items_of, progress_over
from polytopic.practice.training import load_labeller

COLUMNS = ("line", "rank", "label", "score", "base", "parent", "word", "count", "part", "share")
ENDINGS = (".html", ".jsonl", ".csv")
BATCH = 100  # texts that are explained at a time


def run(options):
    """Explain the labels of the texts, batch by batch."""
    output = Path(options.to) if options.to else None
    if output and output.suffix not in ENDINGS:
        raise Refusal(f"{output} does not fit: name a file that ends in {', '.join(ENDINGS)}")
    labeller = load_labeller(options.model)
    if output is None:
        return _to_standard_output(labeller, options)
    asked = {name: getattr(options, name) for name in (*READING, "top")}
    asked |= {"format": output.suffix, "batch": BATCH}
    facts = facts_of(options.model, file_of(options), **asked, command="explain")
    with Part(output, facts, options.force) as part:
        write = partial(_written, labeller, options.top, output.suffix)
        go_on(labeller, options, part, BATCH, write)
        part.finish(*_around(output.suffix, options.model))
    print(f"Explanations of {part.n_texts} texts: {output}")
    return 0


def _to_standard_output(labeller, options):
    told = Told()
    sys.stdout.write(_csv([COLUMNS]))
    with progress_over(options) as progress, refusing():
        for texts in batches(items_of(options), told):
            sys.stdout.write(_written(labeller, options.top, ".csv", texts)[0])
            sys.stdout.flush()
            told.look_at(labeller, texts)
            progress.update(texts[-1][0] - progress.n)
    told.sum_up()
    return 0


def _written(labeller, top, ending, texts):
    """Return the rows of a batch of (line, text), and what belongs to the output's end."""
    lines, alone = zip(*texts, strict=True)
    found = labeller.explain(list(alone), top)
    if ending == ".html":
        return coloured_text.sections(found), coloured_text.notes(found)
    if ending == ".jsonl":
        rows = ({"line": line} | one for line, one in zip(lines, found.as_json(), strict=True))
        return "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows), ""
    return _csv(_rows(lines, found)), ""


def _around(ending, model):
    """Return what stands before and after all rows of an output."""
    if ending == ".html":
        return coloured_text.opening(f"Why these labels: {Path(model).name}"), coloured_text.CLOSING
    return _csv([COLUMNS]) if ending == ".csv" else "", ""


def _rows(lines, found):
    """Yield a row for each word listed of a label; of a hybrid also for each word listed of a parent."""
    for line, one in zip(lines, found.as_json(), strict=True):
        for rank, label in enumerate(one["labels"], 1):
            head = line, rank, label["label"], f"{label['score']:.6g}", f"{label['base']:.6g}"
            parts = [("", label["words"] + label["against"])]
            parts += [(parent["name"], parent["words"]) for parent in label["parents"]]
            for name, words in parts:
                for word in words:
                    share = "" if word["share"] is None else f"{word['share']:.6g}"
                    yield *head, name, word["word"], word["count"], f"{word['part']:.6g}", share


def _csv(rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
