"""Bills of the United States Congress, as github.com/unitedstates/congress writes them: one JSON file per bill."""

import json
from pathlib import Path

from polytopic.corpus import Corpus
from polytopic.datasets.source_files import MissingCorpus, reading
from polytopic.datasets.tokens import count_table, frequent_words, label_table, tally

MIN_DOCUMENT_FREQUENCY = 5


def read_bills(folder, name="bills"):
    """Return the Corpus of the bills in a folder of TYPE/TYPEn/data.json, with their subjects as labels, no splits.

    Text is official title and summary. Words are ``[a-z][a-z]+`` of it in lower case, without stop words, in five
    bills or more. Bills without a subject are left out; the others go by their paths, labels by the alphabet.

    Raises MissingCorpus for a folder without bills, DamagedFile for a file that cannot be read.
    """
    files = sorted(Path(folder).glob("*/*/data.json"))
    if not files:
        raise MissingCorpus(
            f"there are no bills in {folder}: give the folder that has hr/hr1/data.json and so on"
        )
    bills = [_bill(file) for file in files]
    tallies = [tally(text) for text, subjects in bills if subjects]
    label_sets = [subjects for _, subjects in bills if subjects]
    words, labels = frequent_words(tallies, MIN_DOCUMENT_FREQUENCY), sorted(set().union(*label_sets))
    with reading(folder):
        return Corpus(count_table(tallies, words), label_table(label_sets, labels), words, labels, name=name)


def _bill(file):
    """Return the text and the subjects of a bill."""
    with reading(file):
        bill = json.loads(file.read_text("utf-8"))
        summary = bill["summary"] or {}
        return " ".join([bill["official_title"] or "", summary.get("text") or ""]), bill["subjects"]
