"""The command ``polytopic explain``: why texts have their labels, as coloured words, JSON lines or a table."""

import csv
import io
import json
import sys
from pathlib import Path

from polytopic.command.arguments import Refusal
from polytopic.command.labelling import in_a_sentence, load_labeller
from polytopic.command.predicting import Told, batches, items_of, progress_over
from polytopic.explained import Explanations
from polytopic.files import write_whole

COLUMNS = ("line", "rank", "label", "score", "base", "parent", "word", "count", "part", "share")
ENDINGS = (".html", ".jsonl", ".csv")


def run(options):
    """Explain the labels of the texts, batch by batch."""
    output = Path(options.to) if options.to else None
    if output and output.suffix not in ENDINGS:
        raise Refusal(f"{output} does not fit: name a file that ends in {', '.join(ENDINGS)}")
    labeller, told = load_labeller(options.model), Told()
    lines, found = [], []
    if output is None:
        sys.stdout.write(_csv([COLUMNS]))
    with progress_over(options) as progress, in_a_sentence():
        for texts in batches(items_of(options), told):
            some = labeller.explain([text for _, text in texts], options.top)
            if output is None:
                sys.stdout.write(_csv(_rows([line for line, _ in texts], some)))
                sys.stdout.flush()
            else:
                lines += [line for line, _ in texts]
                found += some
            told.look_at(labeller, texts)
            progress.update(texts[-1][0] - progress.n)
    told.sum_up()
    if output:
        write_whole(output, _written(lines, Explanations(found), output.suffix, options.model))
        print(f"Explanations of {len(found)} texts: {output}")
    return 0


def _written(lines, found, ending, model):
    if ending == ".html":
        return found.to_html(title=f"Why these labels: {Path(model).name}")
    if ending == ".jsonl":
        rows = ({"line": line} | one for line, one in zip(lines, found.as_json(), strict=True))
        return "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)
    return _csv([COLUMNS, *_rows(lines, found)])


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
