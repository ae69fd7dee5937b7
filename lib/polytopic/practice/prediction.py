"""The command ``polytopic predict``: labels of the texts of a table, of a file with a text a line, or of a pipe.

Texts are read and labelled batch by batch. With --to, finished batches are kept beside the output (``parts``), and
the same command goes on from there after an interruption.
"""

import csv
import hashlib
import io
import json
import sys
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from tqdm.auto import tqdm

from polytopic.command.arguments import Refusal, refusing
from polytopic.datasets.unpacking import ENDINGS
from polytopic.practice.batches import Part, facts_of
from polytopic.practice.rows import Fault, check_encoding, lines_of
from polytopic.practice.tables import texts_of
from polytopic.practice.training import load_labeller

BATCH = 1000  # texts that are labelled at a time
SHOWN = 5
COLUMNS = ("line", "rank", "label", "score")
FORMATS = ("csv", "jsonl")
READING = ("text", "delimiter", "encoding")  # options by which a file's texts are read
OWN = "model"  # the cut-off that is the model's own
PIPE = "-"
AT_ONCE = 1 << 20  # bytes of a pipe that are taken at a time


def run(options):
    """Label the texts, batch by batch."""
    output = Path(options.to) if options.to else None
    ending = output.suffix.lstrip(".") if output else options.format or "csv"
    if ending not in FORMATS or options.format not in (None, ending):
        raise Refusal(
            f"{output} does not fit: name a file that ends in .csv or .jsonl, as --format if it is given"
        )
    labeller = load_labeller(options.model)
    choose = _choice(labeller, options)
    if output is None:
        return _to_standard_output(labeller, options, choose, ending)
    asked = {name: getattr(options, name) for name in (*READING, "top", "cutoff", "probabilities")}
    facts = facts_of(options.model, file_of(options), **asked, format=ending, batch=BATCH)
    with Part(output, facts, options.force) as part:
        go_on(labeller, options, part, BATCH, lambda texts: (_rows(texts, choose(_alone(texts)), ending), ""))
        part.finish(_header(ending))
    print(f"Labels of {part.n_texts} texts: {output}")
    return 0


def _to_standard_output(labeller, options, choose, ending):
    told = Told()
    sys.stdout.write(_header(ending))
    with progress_over(options) as progress, refusing():
        for texts in batches(items_of(options), told):
            sys.stdout.write(_rows(texts, choose(_alone(texts)), ending))
            sys.stdout.flush()
            told.look_at(labeller, texts)
            progress.update(texts[-1][0] - progress.n)
    told.sum_up()
    return 0


def go_on(labeller, options, part, size, write):
    """Write batches of ``size`` texts that the part file lacks; see that those it holds are of the same input.

    write takes a list of (line, text) and returns the batch's rows, and what belongs to the output's end.
    """
    told, seen = Told(), hashlib.sha256()
    with progress_over(options) as progress, refusing():
        for number, texts in enumerate(_whole_batches(items_of(options), told, size)):
            seen.update(json.dumps(texts).encode())
            if not part.holds(number, seen.hexdigest()):
                part.add(number, len(texts), seen.hexdigest(), *write(texts))
            told.look_at(labeller, texts)
            progress.update(texts[-1][0] - progress.n)
    told.sum_up()


def _choice(labeller, options):
    """Return what gives [(label, score), ...] for each text, and say by which rule."""
    top = options.top or (None if options.cutoff else 5)
    with refusing():
        if options.cutoff is None:
            labeller.check_probabilities(options.probabilities)
            return lambda texts: labeller.suggest(texts, top, options.probabilities)
        cutoff = None if options.cutoff == OWN else float(options.cutoff)
        print(f"Labels: {labeller.rule(cutoff)}.", file=sys.stderr)
    return lambda texts: [own[:top] for own in labeller.decide(texts, cutoff)]


# What is read


def items_of(options):
    """Return what yields (line, text) or a Fault."""
    if options.file == PIPE:
        return lines_of(getattr(sys.stdin, "buffer", sys.stdin), check_encoding(options.encoding or "utf-8"))
    return texts_of(options.file, options.text, options.delimiter, options.encoding)


def file_of(options):
    """Return the file that is read, None for standard input."""
    return None if options.file == PIPE else options.file


@contextmanager
def progress_over(options):
    """Show how many lines of the input are done; of how many, where it is not packed."""
    total, file = None, Path(options.file)
    if options.file != PIPE and file.is_file() and file.suffix.lower() not in ENDINGS:
        with open(options.file, "rb") as file:
            total = sum(part.count(b"\n") for part in iter(lambda: file.read(AT_ONCE), b""))
    with tqdm(total=total, desc="labels", unit="line", disable=None) as bar:
        yield bar


def _whole_batches(items, told, size):
    """Yield lists of ``size`` texts, the last one shorter; faults are told."""
    texts = (one for one in items if not told.fault(one))
    while some := list(islice(texts, size)):
        yield some


def batches(items, told):
    """Yield lists of up to BATCH texts: of a pipe what has arrived, so that nobody waits for its end."""
    texts = []
    for one in items:
        if one is None:  # nothing more is there at the moment
            if texts:
                yield texts
                texts = []
        elif not told.fault(one):
            texts.append(one)
            if len(texts) == BATCH:
                yield texts
                texts = []
    if texts:
        yield texts


class Told:
    """What is said of rows that are left out, and of texts that the model knows no word of."""

    def __init__(self):
        self.strange = []

    def fault(self, one):
        """Say what is wrong with a row that is a Fault; return whether it is none of the texts."""
        if isinstance(one, Fault):
            print(f"line {one.line} left out: it {one.reason}", file=sys.stderr)
        return one is None or isinstance(one, Fault)

    def look_at(self, labeller, texts):
        known = labeller.counts([text for _, text in texts]).getnnz(axis=1)
        self.strange += [line for (line, _), n in zip(texts, known, strict=True) if not n]

    def sum_up(self):
        if self.strange:
            lines = ", ".join(map(str, self.strange[:SHOWN])) + (", ..." if len(self.strange) > SHOWN else "")
            texts = f"{len(self.strange)} text{'s have' if len(self.strange) > 1 else ' has'}"
            print(
                f"{texts} no word that the model knows, and got the labels of an empty text: line {lines}",
                file=sys.stderr,
            )


# What is written


def _alone(texts):
    return [text for _, text in texts]


def _header(ending):
    return ",".join(COLUMNS) + "\n" if ending == "csv" else ""


def _rows(texts, labels, ending):
    """Return the rows of some texts; in CSV a text without a label has a row with its line alone."""
    found = [(line, own) for (line, _), own in zip(texts, labels, strict=True)]
    if ending == "jsonl":
        rows = (
            {"line": line, "labels": [{"label": label, "score": round(score, 6)} for label, score in own]}
            for line, own in found
        )
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    for line, own in found:
        ranked = ((line, rank, label, f"{score:.6g}") for rank, (label, score) in enumerate(own, 1))
        table.writerows(ranked if own else [(line, "", "", "")])
    return written.getvalue()
