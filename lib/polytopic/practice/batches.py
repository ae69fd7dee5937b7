"""Finished batches of an output, kept so that an interrupted command goes on where it stopped."""

import json
import os
import sys
from contextlib import ExitStack
from pathlib import Path

from polytopic.command.arguments import Refusal
from polytopic.files import drafted, naming
from polytopic.models.persistence import MODEL, checksum


def facts_of(model, file, **options):
    """Return what the batches of an output are of: a kept model, a file, None for a pipe, and options.

    Raises Refusal where there is no such file.
    """
    if file is not None and not Path(file).is_file():
        raise Refusal(f"there is no file {file}")
    return {
        "model": json.loads((Path(model) / MODEL).read_text(encoding="utf-8"))["checksum"],
        "input": None if file is None else checksum(file),
        "options": options,
    }


class Part:
    """The finished batches of an output, OUTPUT.part: a head that says what they are of, then a line of JSON each.

    facts say of which model, input and options the batches are.

    What was written is read back as far as its lines are whole: of a batch that an interruption cut short nothing is
    taken. Raises Refusal for batches of another model, input or options, unless they are to go.
    """

    def __init__(self, output, facts, force):
        self.output, self.facts = output, facts
        self.path = output.with_name(f"{output.name}.part")
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

    def add(self, number, n_texts, seen, rows, end):
        """Keep a finished batch, its rows and what belongs to the output's end: after this it outlives a crash."""
        self._append({"batch": number, "texts": n_texts, "seen": seen, "rows": rows, "end": end})
        self.n_texts += n_texts

    def finish(self, header, footer=""):
        """Write the output whole, and drop the part file. What batches have at their end stands once, at its end."""

        def write(file):
            file.write(header.encode())
            due, ends = 0, {}
            for one in self._whole_lines():
                if one.get("batch") == due:  # of two runs at once each has written its own
                    file.write(one["rows"].encode())
                    ends[one.get("end", "")] = None
                    due += 1
            file.write("".join([*ends, footer]).encode())

        with drafted(self.output, write) as draft:
            os.replace(draft, self.output)
        self.path.unlink(missing_ok=True)

    def _append(self, one):
        with naming(self.path):
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
