"""RCV1-v2 as Lewis et al. (2004) publish it: token files (.dat) and the topics of each story (.qrels)."""

import io
from collections import Counter
from pathlib import Path

import numpy as np

from polytopic.corpus import Corpus
from polytopic.datasets.source_files import listed, opened, reading
from polytopic.datasets.tokens import count_table, label_table


def read_rcv1(files, name="corpus"):
    """Return the Corpus of the stories in the token files, in order.

    ``files`` holds .dat files (``lyrl2004_tokens_train.dat``, ``lyrl2004_tokens_test_pt0.dat`` and so on) and
    ``rcv1-v2.topics.qrels``; each may end in .gz. Tokens are taken as they are: the source has stemmed them
    and taken stop words out. Labels are the topics of the .qrels file. With more than one token file, the
    first is the training half of split 0 and the others are the test half.

    Raises DamagedFile for a file that cannot be read, TooLarge,
    ValueError without exactly one .qrels file.
    """
    files = listed(files)
    topic_files = [file for file in files if ".qrels" in Path(file).suffixes]
    token_files = [file for file in files if ".dat" in Path(file).suffixes]
    if len(topic_files) != 1 or not token_files:
        raise ValueError(f"give .dat token files and one .qrels file of topics, got {list(map(str, files))}")
    topics = _topics(topic_files[0])
    halves = [_stories(file) for file in token_files]
    stories = [story for half in halves for story in half]
    with reading(*token_files, topic_files[0]):
        numbers = [number for number, _ in stories]
        if len(set(numbers)) < len(numbers):
            raise ValueError("a story is there more than once")
        if not topics.keys() & set(numbers):
            raise ValueError("no story has a topic: the topics are those of other stories")
        words = sorted({word for _, one in stories for word in one})
        names = sorted({topic for own in topics.values() for topic in own})
        first, total = len(halves[0]), len(stories)
        counts = count_table([one for _, one in stories], words)
        labels = label_table([topics.get(number, set()) for number, _ in stories], names)
        splits = [(np.arange(first), np.arange(first, total))] if len(halves) > 1 else ()
        return Corpus(counts, labels, words, names, splits, name)


def _topics(file):
    """Return {story number: set of topics}."""
    found = {}
    with opened(file) as (content, _):
        lines = io.TextIOWrapper(content, "latin-1")
        for line in lines:
            topic, number, relevant = line.split()
            if int(relevant) > 0:
                found.setdefault(number, set()).add(topic)
    return found


def _stories(file):
    """Return [(story number, {token: count})]."""
    stories = []
    with opened(file) as (content, _):
        lines = io.TextIOWrapper(content, "latin-1")
        for line in lines:
            if line.startswith(".I"):
                stories.append((line.split()[1], Counter()))
            elif not stories:
                raise ValueError("it does not begin with .I and a story's number, as token files do")
            elif not line.startswith(".W"):
                stories[-1][1].update(line.split())
    return stories
