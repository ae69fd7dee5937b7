"""Where corpora come from: a catalogue of names, and one reader per file format."""

from polytopic.datasets.bills import read_bills
from polytopic.datasets.catalogue import list_corpora, load_corpus
from polytopic.datasets.converted import read_converted, write_converted
from polytopic.datasets.eurlex import papers_acts, read_eurlex57k, read_titles, read_years
from polytopic.datasets.labelsets import read_labelsets
from polytopic.datasets.mldr import read_mldr
from polytopic.datasets.mulan import read_mulan
from polytopic.datasets.rcv1 import read_rcv1
from polytopic.datasets.reuters import read_reuters
from polytopic.datasets.rubin import read_rubin
from polytopic.datasets.source_files import DamagedFile, MissingCorpus, TooLarge
from polytopic.datasets.svmlight import read_svmlight
from polytopic.datasets.tibkat import read_tibkat

__all__ = [
    "DamagedFile",
    "MissingCorpus",
    "TooLarge",
    "list_corpora",
    "load_corpus",
    "papers_acts",
    "read_bills",
    "read_converted",
    "read_eurlex57k",
    "read_labelsets",
    "read_mldr",
    "read_mulan",
    "read_rcv1",
    "read_reuters",
    "read_rubin",
    "read_svmlight",
    "read_tibkat",
    "read_titles",
    "read_years",
    "write_converted",
]
