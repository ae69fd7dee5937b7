"""The command ``polytopic import``: files of texts, or of counts in a published format, become a corpus folder."""

import csv
import io
import os
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from polytopic import datasets
from polytopic.command.arguments import Refusal
from polytopic.datasets.catalogue import CORPORA
from polytopic.datasets.source_files import ending, unpacked
from polytopic.files import write_whole
from polytopic.practice.cells import read_subjects
from polytopic.practice.rows import LAYOUTS, Fault
from polytopic.practice.tables import LEAST_DOCUMENTS, read_table, write_vectorizer

OF_COUNTS = {
    "svmlight": (datasets.read_svmlight, (".svm", ".svmlight", ".libsvm")),
    "xmc": (datasets.read_svmlight, (".xmc",)),
    "mulan": (datasets.read_mulan, (".arff", ".xml")),
}
SIZES = re.compile(rb"(\xef\xbb\xbf)?\d+([ \t]+\d+){1,2}\s*\n")  # how the repository's files begin
MOST_DIGITS = 100
REPORT, SHOWN = "import.csv", 5
OF_WORDS = ("min_df", "max_df", "stop_words", "token_pattern", "ngram_range")


def run(options):
    """Read the files, write the corpus folder, and say what is in it, what was left out and what to do next."""
    files = [Path(one) for one in options.files]
    name = options.name or files[0].name.split(".")[0]
    folder = Path(options.to) if options.to else Path(os.environ.get(CORPORA) or "corpora") / name
    if (folder / "Y.npz").exists() and not options.force:
        raise Refusal(f"{folder} holds a corpus: name another folder by --to, or add --force to replace it")
    try:
        corpus, vectorizer, faults = _read(files, options, folder.name)
    except (ValueError, OSError) as error:
        raise Refusal(str(error)) from error
    datasets.write_converted(corpus, folder)
    if vectorizer:
        write_vectorizer(vectorizer, folder)
        write_whole(folder / REPORT, _report(faults))
    print(corpus)
    _show_labels(corpus)
    _print_faults(faults, folder)
    print(f"Written to {folder}. Train a model on it:")
    print(f"  polytopic fit {folder} --to model")
    return 0


def _read(files, options, name):
    kind = options.format or _kind(files[0])
    words = {name: getattr(options, name) for name in OF_WORDS if getattr(options, name) is not None}
    if kind not in LAYOUTS:
        if words or options.subjects:
            raise Refusal(f"{files[0]} holds counts ({kind}): options for words and --subjects are for texts")
        return OF_COUNTS[kind][0](files, name=name), None, []
    if len(files) > 1:
        raise Refusal(f"one table at a time, got {len(files)}: put their rows into one file")
    given = ("text", "labels", "separator", "delimiter", "splits", "encoding")
    how = {setting: getattr(options, setting) for setting in given}
    how["vectorizer"] = _vectorizer(words) if words else None
    found = read_table(files[0], **how, name=name, layout=options.format)
    return _with_names(found, options.subjects) if options.subjects else found


def _vectorizer(settings):
    """Return the CountVectorizer of these settings; stop words of a file are parted as the texts are."""
    settings = {"min_df": LEAST_DOCUMENTS, **settings}
    if settings.get("stop_words", "english") != "english":
        path = Path(settings.pop("stop_words"))
        try:
            words = path.read_text(encoding="utf-8-sig").lower()
        except (OSError, UnicodeDecodeError) as error:
            message = f"--stop-words {path} cannot be read, in UTF-8, as a list of words: {error}"
            raise Refusal(message) from None
        settings["stop_words"] = sorted(set(CountVectorizer(**settings).build_tokenizer()(words)))
        if not settings["stop_words"]:
            raise Refusal(f"--stop-words {path} holds no word")
    least, most = settings["min_df"], settings.get("max_df", 1.0)
    if type(least) is type(most) and least > most:
        raise Refusal(f"--min-df {least} is above --max-df {most}: no word is between them")
    return CountVectorizer(**settings)


def _with_names(found, path):
    """Return what was read with names in place of addresses; those without a name of their own stay."""
    named, labels = dict(read_subjects(path).values()), found.corpus.label_names
    often = Counter(named.get(label, label) for label in labels)
    names = [named[label] if often[named.get(label)] == 1 else label for label in labels]
    left = sorted(set(labels) & set(names) - set(named.values()))
    message = (
        f"{len(left)} labels have no name of their own in {path}, such as {left[:1]}, and stay as they are."
    )
    odd = [Fault(0, message, True)] if left else []
    corpus = replace(found.corpus, label_names=names)
    return found._replace(corpus=corpus, faults=[*odd, *found.faults])


def _kind(file):
    """Return the kind of a file by its ending, in which a packer's does not count, or by its first line."""
    end = ending(file)
    known = next((kind for kind, (_, ends) in OF_COUNTS.items() if end in ends), None)
    if known or end != ".txt":
        return known or "table"
    with unpacked(file) as content:
        return "xmc" if SIZES.match(content.read(MOST_DIGITS)) else "table"


def _report(faults):
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(("line", "reason", "kept"))
    table.writerows((one.line or "all", one.reason, "yes" if one.kept else "no") for one in faults)
    return text.getvalue()


def _show_labels(corpus):
    counts = np.asarray(corpus.labels.sum(axis=0)).ravel()
    most = np.argsort(-counts, kind="stable")[:SHOWN]
    print("Most frequent labels:", ", ".join(f"{corpus.label_names[c]} ({counts[c]})" for c in most))


def _print_faults(faults, folder):
    for one in faults:
        if not one.line:
            print(f"Look at this: {one.reason}")
    faults = [one for one in faults if one.line]
    for is_kept, what in ((False, "left out"), (True, "kept, but to look at")):
        own = [one for one in faults if one.kept == is_kept]
        if own:
            n_rows = len({one.line for one in own})  # of which one may have several faults
            print(f"{n_rows} row{'s' * (n_rows > 1)} {what} ({folder / REPORT} has all):")
            for one in own[:SHOWN]:
                print(f"  line {one.line} {one.reason}")
