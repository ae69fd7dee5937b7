"""The command ``polytopic predict``: labels of the texts of a table, of a file with a text a line, or of a pipe.

Texts are read and labelled batch by batch. With --to, finished batches are kept in a file beside the output, a line
of JSON each, and the same command goes on from there after an interruption.
"""

import csv
import hashlib
import io
import json
import os
import sys
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path

from tqdm.auto import tqdm

from polytopic.command.arguments import Refusal
from polytopic.command.labelling import in_a_sentence, load_labeller
from polytopic.datasets.texts import Fault, texts_of, texts_of_lines
from polytopic.files import drafted
from polytopic.keeping import MODEL, checksum

BATCH = 1000  # texts that are labelled at a time
SHOWN = 5
COLUMNS = ("line", "rank", "label", "score")
FORMATS = ("csv", "jsonl")
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
    facts = {
        "model": json.loads((Path(options.model) / MODEL).read_text(encoding="utf-8"))["checksum"],
        "input": None if options.file == PIPE else _digest_of(options.file),
        "options": {
            "text": options.text, "top": options.top, "cutoff": options.cutoff,
            "probabilities": options.probabilities, "format": ending, "batch": BATCH,
        },
    }  # fmt: skip
    with _Part(output, facts, options.force) as part:
        _label_on(labeller, options, choose, part)
        part.finish(_header(ending))
    print(f"Labels of {part.n_texts} texts: {output}")
    return 0


def _to_standard_output(labeller, options, choose, ending):
    told = Told()
    sys.stdout.write(_header(ending))
    with progress_over(options) as progress, in_a_sentence():
        for texts in batches(items_of(options), told):
            sys.stdout.write(_rows(texts, choose([text for _, text in texts]), ending))
            sys.stdout.flush()
            told.look_at(labeller, texts)
            progress.update(texts[-1][0] - progress.n)
    told.sum_up()
    return 0


def _label_on(labeller, options, choose, part):
    """Label what the part file does not hold; of what it holds, see that the input is still the same."""
    told, seen = Told(), hashlib.sha256()
    with progress_over(options) as progress, in_a_sentence():
        for number, texts in enumerate(_whole_batches(items_of(options), told)):
            seen.update(json.dumps(texts).encode())
            if not part.holds(number, seen.hexdigest()):
                rows = _rows(texts, choose([text for _, text in texts]), part.ending)
                part.add({"batch": number, "texts": len(texts), "seen": seen.hexdigest(), "rows": rows})
            told.look_at(labeller, texts)
            progress.update(texts[-1][0] - progress.n)
    told.sum_up()


def _choice(labeller, options):
    """Return what gives [(label, score), ...] for each text, and say by which rule."""
    top = options.top or (None if options.cutoff else 5)
    with in_a_sentence():
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
        return texts_of_lines(getattr(sys.stdin, "buffer", sys.stdin))
    return texts_of(options.file, options.text)


def _digest_of(file):
    if not Path(file).is_file():
        raise Refusal(f"there is no file {file}")
    return checksum(file)


@contextmanager
def progress_over(options):
    """Show how many lines of the input are done."""
    total = None
    if options.file != PIPE and Path(options.file).is_file():
        with open(options.file, "rb") as file:
            total = sum(part.count(b"\n") for part in iter(lambda: file.read(AT_ONCE), b""))
    with tqdm(total=total, desc="labels", unit="line", disable=None) as bar:
        yield bar


def _whole_batches(items, told):
    """Yield lists of BATCH texts, the last one shorter; faults are told."""
    texts = (one for one in items if not told.fault(one))
    while some := list(islice(texts, BATCH)):
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


class _Part:
    """The finished batches of an output, OUTPUT.part: a head that says what they are of, then a line of JSON each.

    What was written is read back as far as its lines are whole: of a batch that an interruption cut short nothing is
    taken. Raises Refusal for batches of another model, input or options, unless they are to go.
    """

    def __init__(self, output, facts, force):
        self.output, self.ending = output, facts["options"]["format"]
        self.path, self.facts = output.with_name(f"{output.name}.part"), facts
        output.parent.mkdir(parents=True, exist_ok=True)
        self.held, self.end = ExitStack(), 0
        self.file = self.held.enter_context(open(self.path, "a+b"))  # noqa: SIM115
        self.batches, self.n_texts = {}, 0
        for one in self._whole_lines():
            if "batch" in one:
                self.batches.setdefault(one["batch"], {name: one[name] for name in ("texts", "seen")})
            elif not force:
                self._check(one)
        if force:
            self.end, self.batches = 0, {}
        self.file.truncate(self.end)
        if self.end == 0:
            self._append(facts)
        if self.batches:
            print(
                f"Going on after {sum(one['texts'] for one in self.batches.values())} texts.", file=sys.stderr
            )

    def _check(self, head):
        differ = [name for name in self.facts if head.get(name) != self.facts[name]]
        if differ:
            self.held.close()
            raise Refusal(
                f"{self.path} holds finished batches of another {' and '.join(differ)}: add --force to begin "
                "anew, or name another file by --to"
            )

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        self.held.close()

    def holds(self, number, seen):
        """Return whether batch ``number`` is finished. Raises Refusal where it is of other texts."""
        kept = self.batches.get(number)
        if kept and kept["seen"] != seen:
            raise Refusal(
                f"{self.path} holds finished batches of another input: add --force to begin anew, or name another "
                "file by --to"
            )
        self.n_texts += kept["texts"] if kept else 0
        return kept is not None

    def add(self, batch):
        """Keep a finished batch: after this it outlives a crash."""
        self._append(batch)
        self.n_texts += batch["texts"]

    def finish(self, header):
        """Write the output whole, and drop the part file."""

        def write(file):
            file.write(header.encode())
            due = 0
            for one in self._whole_lines():
                if one.get("batch") == due:  # of two runs at once each has written its own
                    file.write(one["rows"].encode())
                    due += 1

        with drafted(self.output, write) as draft:
            os.replace(draft, self.output)
        self.path.unlink(missing_ok=True)

    def _append(self, one):
        self.file.write(json.dumps(one, ensure_ascii=False).encode() + b"\n")
        self.file.flush()
        os.fsync(self.file.fileno())

    def _whole_lines(self):
        """Yield what the whole lines say; ``end`` is where the last one of them ends."""
        self.file.seek(0)
        self.end = 0
        for line in self.file:
            try:
                one = json.loads(line) if line.endswith(b"\n") else None
            except ValueError:
                one = None
            if not isinstance(one, dict):
                return
            self.end += len(line)
            yield one
