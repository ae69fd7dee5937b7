"""Reuters-21578 in its SGML form: 22 .sgm files and a list of the 135 topics."""

import html
import re
from itertools import pairwise
from operator import itemgetter
from pathlib import Path

import numpy as np

from polytopic.corpus import Corpus
from polytopic.datasets.source_files import listed, reading
from polytopic.datasets.tokens import count_table, frequent_words, label_table, tally

FLAG = re.compile(r'\b(\w+)="([^"\n]*)"')
TOPIC = re.compile("<D>([^<]*)</D>")
MIN_COUNT = 3
FIRST = 11_000, 10_000


def read_reuters(files, name="corpus"):
    """Return the Corpus of all stories, in order of their NEWID.

    ``files`` holds .sgm files and one .txt file of topics, one per line. Labels are the TOPICS of that list, in its
    order; a story need not have any. Words are ``[a-z][a-z]+`` of the lower-cased TITLE and BODY, or of the whole
    TEXT where there is neither, without stop words and without words seen fewer than three times in all; no stemming.

    Splits, by name: ``modapte`` (LEWISSPLIT with TOPICS="YES"), ``modapte_topics`` (of these, stories with a
    topic), ``modlewis`` (TOPICS not "BYPASS"), and ``first11000`` (10,000 then 1,000 in order, after
    Papanikolaou et al.). A split without documents on either side is left out.

    Raises DamagedFile for an .sgm file without stories, ValueError without a topic list.
    """
    files = listed(files)
    topics = _topics(files)
    sgml = [file for file in files if Path(file).suffix.lower() == ".sgm"]
    stories = sorted((story for file in sgml for story in _stories(file)), key=itemgetter("id"))
    with reading(*files):
        twice = [a["id"] for a, b in pairwise(stories) if a["id"] == b["id"]]
        if twice:
            raise ValueError(f"the story with NEWID {twice[0]} is there more than once")
        return _corpus(stories, topics, name)


def _corpus(stories, topics, name):
    tallies = [tally(story["text"]) for story in stories]
    words = frequent_words(tallies, MIN_COUNT, by_document=False)
    splits = {key: pair for key, pair in _splits(stories).items() if all(len(rows) for rows in pair)}
    counts, labels = count_table(tallies, words), label_table([story["topics"] for story in stories], topics)
    return Corpus(counts, labels, words, topics, tuple(splits.values()), name, split_names=tuple(splits))


def _topics(files):
    lists = [file for file in files if Path(file).suffix.lower() == ".txt"]
    if len(lists) != 1:
        raise ValueError(f"give one .txt file of topics beside the .sgm files, got {list(map(str, lists))}")
    with reading(lists[0]):
        return [line.strip() for line in Path(lists[0]).read_text("ascii").splitlines() if line.strip()]


def _stories(file):
    with reading(file):
        text = Path(file).read_text("latin-1")
        found = [_story(head, body) for head, body in _elements("REUTERS", text)]
        if not found:
            raise ValueError("there is no whole <REUTERS> story in it")
    return found


def _story(head, body):
    flags = dict(FLAG.findall(head))
    text = _element("TEXT", body)
    parts = [part for part in (_element("TITLE", text), _element("BODY", text)) if part]
    return {
        "id": int(flags["NEWID"]),
        "half": flags["LEWISSPLIT"],
        "status": flags["TOPICS"],
        "topics": TOPIC.findall(_element("TOPICS", body)),
        "text": html.unescape(" ".join(parts) or text),
    }


def _elements(tag, text):
    """Yield (attributes, content) of each whole element, from left to right; elements of one tag do not nest.

    No part of the text is looked at twice, however many elements begin and do not end.
    """
    opening, closing = re.compile(rf"<{tag}\b"), f"</{tag}>"
    start = opening.search(text)
    while start:
        head = text.find(">", start.end())
        end = text.find(closing, head + 1)
        if head < 0 or end < 0:
            return
        yield text[start.end() : head], text[head + 1 : end]
        start = opening.search(text, end + len(closing))


def _element(tag, text):
    """Return the content of the first element of this tag, "" if there is none."""
    return next(_elements(tag, text), ("", ""))[1]


def _splits(stories):
    half, status = (np.array([story[key] for story in stories]) for key in ("half", "status"))
    labelled = np.array([bool(story["topics"]) for story in stories])
    total, n_train = FIRST
    rows = np.arange(len(stories))
    return {
        "modapte": _halves(half, status == "YES"),
        "modapte_topics": _halves(half, (status == "YES") & labelled),
        "modlewis": _halves(half, status != "BYPASS"),
        "first11000": (rows[:n_train], rows[n_train:total]),
    }


def _halves(half, kept):
    return np.flatnonzero((half == "TRAIN") & kept), np.flatnonzero((half == "TEST") & kept)
