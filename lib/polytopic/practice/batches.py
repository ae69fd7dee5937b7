"""Texts read and answered batch by batch, to standard output or to a file; an interrupted run goes on."""

import hashlib
import json
import os
import sys
from contextlib import closing
from pathlib import Path

from tqdm.auto import tqdm

from polytopic.command.arguments import Refusal, refusing
from polytopic.datasets.source_files import ENDINGS
from polytopic.files import drafted, naming
from polytopic.models.persistence import MODEL, checksum
from polytopic.practice.rows import Fault, check_encoding, lines_of
from polytopic.practice.tables import texts_of

PIPE = "-"
SHOWN = 5  # lines that a message lists
READING = ("text", "delimiter", "encoding", "top")  # options on which all answers depend
ANEW = "add --force to begin anew, or name another file by --to"


def answer(labeller, options, size, write, header="", footer="", **facts):
    """Answer the texts of ``options.file`` in batches of ``size``, to ``options.to`` or to standard output.

    ``write`` takes a list of (line, text) and returns the batch's rows, and what stands once at the output's end,
    before the footer. facts are what the answers depend on besides ``READING``. Returns the number of texts, or None
    after standard output.
    """
    if options.to is None:
        sys.stdout.write(header)
        with refusing():
            for texts in _batches(labeller, options, size):
                sys.stdout.write(write(texts)[0])
                sys.stdout.flush()
        return None
    facts |= {name: getattr(options, name) for name in READING} | {"batch": size}
    with refusing(), closing(Checkpoint(Path(options.to), options, facts)) as checkpoint:
        seen = hashlib.sha256()
        for number, texts in enumerate(_batches(labeller, options, size)):
            seen.update(json.dumps(texts).encode())
            if not checkpoint.has(number, seen.hexdigest()):
                rows, end = write(texts)
                checkpoint.add(number, len(texts), seen.hexdigest(), rows, end)
        checkpoint.finish(header, footer)
        return checkpoint.n_texts


def _batches(labeller, options, size):
    """Yield lists of (line, text), and say what is odd about lines; a pipe that is printed need not end for that."""
    texts, unknown = [], []
    total, file = None, Path(options.file)
    if options.file != PIPE and file.is_file() and file.suffix.lower() not in ENDINGS:
        with open(file, "rb") as content:
            total = sum(part.count(b"\n") for part in iter(lambda: content.read(1 << 20), b""))
    with tqdm(total=total, desc="labels", unit="line", disable=None) as bar:

        def after(batch):
            """Note which texts of a batch that is done have no known word, and move the bar."""
            known = labeller.counts([text for _, text in batch]).getnnz(axis=1)
            unknown.extend(line for (line, _), n in zip(batch, known, strict=True) if not n)
            bar.update(batch[-1][0] - bar.n)

        for one in _items(options):
            if isinstance(one, Fault):
                print(f"line {one.line} left out: it {one.reason}", file=sys.stderr)
            elif one is not None:
                texts.append(one)
            if len(texts) == size or (texts and one is None and options.to is None):
                yield texts
                after(texts)
                texts = []
        if texts:
            yield texts
            after(texts)
    if unknown:
        lines = ", ".join(map(str, unknown[:SHOWN])) + ", ..." * (len(unknown) > SHOWN)
        texts = f"{len(unknown)} texts have" if len(unknown) > 1 else "1 text has"
        message = f"{texts} no word that the model knows, and got the labels of an empty text: line {lines}"
        print(message, file=sys.stderr)


def _items(options):
    """Yield (line, text), a Fault for a line that is none, and None where a pipe brings no more at the moment."""
    if options.file == PIPE:
        return lines_of(getattr(sys.stdin, "buffer", sys.stdin), check_encoding(options.encoding or "utf-8"))
    return texts_of(options.file, options.text, options.delimiter, options.encoding)


class Checkpoint:
    """The finished batches of an output, in OUTPUT.part: a line of JSON says what they are of, then each has one.

    Lines that are not whole are dropped. Raises Refusal for batches of another model, input or options, without
    ``--force``.
    """

    def __init__(self, output, options, facts):
        file = None if options.file == PIPE else options.file
        if file is not None and not Path(file).is_file():
            raise Refusal(f"there is no file {file}")
        head = {
            "model": json.loads((Path(options.model) / MODEL).read_text(encoding="utf-8"))["checksum"],
            "input": None if file is None else checksum(file),
            "options": facts,
        }
        self.output, self.path = output, output.with_name(f"{output.name}.part")
        output.parent.mkdir(parents=True, exist_ok=True)
        self.file, self.batches, self.n_texts, end = open(self.path, "a+b"), {}, 0, 0  # noqa: SIM115
        if options.force:
            self.file.truncate(0)
        for line, end in self._lines():  # noqa: B007
            if "batch" in line:
                self.batches.setdefault(line["batch"], (line["seen"], line["texts"]))
            elif differ := [name for name in head if line.get(name) != head[name]]:
                self.close()
                raise Refusal(f"{self.path} holds finished batches of another {' and '.join(differ)}: {ANEW}")
        self.file.truncate(end)
        if not end:
            self._append(head)
        if self.batches:
            print(f"Going on after {sum(n for _, n in self.batches.values())} texts.", file=sys.stderr)

    def close(self):
        self.file.close()

    def has(self, number, seen):
        """Return whether a batch is finished. Raises Refusal where it is of other texts."""
        digest, n_texts = self.batches.get(number, (seen, 0))
        if digest != seen:
            raise Refusal(f"{self.path} holds finished batches of another input: {ANEW}")
        self.n_texts += n_texts
        return number in self.batches

    def add(self, number, n_texts, seen, rows, end):
        """Keep a finished batch, its rows and what belongs to the output's end: after this it outlives a crash."""
        self._append({"batch": number, "texts": n_texts, "seen": seen, "rows": rows, "end": end})
        self.n_texts += n_texts

    def finish(self, header, footer):
        """Write the output whole, and drop the checkpoint. What batches have at their end stands once, at its end."""

        def write(file):
            file.write(header.encode())
            due, ends = 0, {}
            for line, _ in self._lines():
                if line.get("batch") == due:  # of two runs at once each has written its own
                    file.write(line["rows"].encode())
                    ends[line["end"]] = None
                    due += 1
            file.write("".join([*ends, footer]).encode())

        with drafted(self.output, write) as draft:
            os.replace(draft, self.output)
        self.path.unlink(missing_ok=True)

    def _append(self, line):
        with naming(self.path):
            self.file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
            self.file.flush()
            os.fsync(self.file.fileno())

    def _lines(self):
        """Yield what each whole line says, and where it ends."""
        self.file.seek(0)
        end = 0
        for text in self.file:
            try:
                line = json.loads(text) if text.endswith(b"\n") else None
            except ValueError:
                line = None
            if not isinstance(line, dict):
                return
            end += len(text)
            yield line, end
