"""The command ``polytopic import``: files of texts, or of counts in a published format, become a corpus folder."""

import csv
import io
import os
import re
from pathlib import Path

from polytopic import datasets
from polytopic.command.arguments import Refusal
from polytopic.datasets.catalogue import CORPORA
from polytopic.files import write_whole
from polytopic.unpacking import ending, unpacked

OF_COUNTS = {
    "svmlight": (datasets.read_svmlight, (".svm", ".svmlight", ".libsvm")),
    "xmc": (datasets.read_svmlight, (".xmc",)),
    "mulan": (datasets.read_mulan, (".arff", ".xml")),
}
SIZES = re.compile(rb"(\xef\xbb\xbf)?\d+([ \t]+\d+){1,2}\s*\n")  # how the repository's files begin
MOST_DIGITS = 100
REPORT, SHOWN = "import.csv", 5


def run(options):
    """Read the files, write the corpus folder, and say what is in it, what was left out and what to do next."""
    files = [Path(one) for one in options.files]
    name = options.name or files[0].name.split(".")[0]
    folder = Path(options.to) if options.to else Path(os.environ.get(CORPORA) or "corpora") / name
    if (folder / "Y.npz").exists() and not options.force:
        raise Refusal(f"{folder} holds a corpus: name another folder by --to, or add --force to replace it")
    try:
        corpus, vectorizer, faults = _read(files, options, folder.name)
    except (ValueError, OSError, ModuleNotFoundError) as error:
        raise Refusal(str(error)) from error
    datasets.write_converted(corpus, folder)
    if vectorizer:
        datasets.write_vectorizer(vectorizer, folder)
        write_whole(folder / REPORT, _report(faults))
    print(corpus)
    _tell(faults, folder)
    print(f"Written to {folder}. Run a figure on it:")
    print(f"  {CORPORA}={folder.parent.resolve()} polytopic figures rubin2012/fig_12 --corpus {folder.name}")
    return 0


def _read(files, options, name):
    kind = options.format or _kind(files[0])
    if kind != "table":
        return OF_COUNTS[kind][0](files, name=name), None, []
    if len(files) > 1:
        raise Refusal(f"one table at a time, got {len(files)}: put their rows into one file")
    text, labels = (_one_or_several(names) for names in (options.text, options.labels))
    how = {"separator": options.separator, "delimiter": options.delimiter, "splits": options.splits}
    return datasets.read_table(files[0], text, labels, **how, name=name)


def _kind(file):
    """Return the kind of a file by its ending, in which a packer's does not count, or by its first line."""
    end = ending(file)
    known = next((kind for kind, (_, ends) in OF_COUNTS.items() if end in ends), None)
    if known or end != ".txt":
        return known or "table"
    with unpacked(file) as content:
        return "xmc" if SIZES.match(content.read(MOST_DIGITS)) else "table"


def _one_or_several(names):
    return names[0] if len(names) == 1 else names


def _report(faults):
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(("line", "reason", "kept"))
    table.writerows((one.line, one.reason, "yes" if one.kept else "no") for one in faults)
    return text.getvalue()


def _tell(faults, folder):
    for is_kept, what in ((False, "left out"), (True, "kept, but to look at")):
        own = [one for one in faults if one.kept == is_kept]
        if own:
            n_rows = len({one.line for one in own})  # of which one may have several faults
            print(f"{n_rows} row{'s' * (n_rows > 1)} {what} ({folder / REPORT} has all):")
            for one in own[:SHOWN]:
                print(f"  line {one.line} {one.reason}")
