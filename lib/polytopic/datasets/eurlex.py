"""EU acts with their EUROVOC descriptors: by title, from an R data file, and in full text, as EURLEX57K has them."""

import json
import re
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
from tqdm.auto import tqdm

from polytopic.corpus import Corpus, near_duplicates
from polytopic.datasets.source_files import MissingCorpus, check_stream, reading, single
from polytopic.datasets.tokens import STOP_WORDS, count_table, frequent_words, label_table, tally

MONTHS = {
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
}
FORMULAS = re.compile(r"\(notified under document number[^)]*\)+|\(text with eea relevance[^)]*\)", re.I)
MIN_DOCUMENT_FREQUENCY = 3
OVERLAP = 0.9
PARTS = "train", "dev", "test"
MIN_TOKENS = 20  # of a word in full texts


def read_titles(files, name="corpus"):
    """Return the Corpus of an .Rdata file whose table has the columns celex, date_doc, title and keyword.N.

    Rows are in order of date, then CELEX number. Labels are the descriptors' EUROVOC codes, numbers
    first; empty keyword cells are no label, so a few acts have none. Words are ``[a-z][a-z]+`` of the
    lower-cased title, "(notified under document number ...)" and "(Text with EEA relevance ...)" left out,
    without stop words and months, in three titles or more; no stemming. An act without a title has no words.

    Many titles are formulaic, so the five seeded splits (see ``make_splits``) keep near-duplicates together:
    acts whose sets of words overlap by nine tenths, and chains of such.

    Raises DamagedFile for a file that cannot be read or lacks a column, TooLarge.
    """
    corpus, _ = _acts(files, name)
    return corpus.with_splits(groups=near_duplicates(corpus.counts, OVERLAP))


def read_years(files, name="corpus"):
    """Return the Corpus of ``read_titles`` with a split for each year but the first, by whose name it goes.

    A split has the acts of all years before for training and those of the year to test, as one meets them in time;
    near-duplicates may lie on both sides, as they do there. Words are those of all years. Raises as ``read_titles``.
    """
    corpus, years = _acts(files, name)
    names = [str(year) for year in np.unique(years)[1:]]
    splits = [(np.flatnonzero(years < int(year)), np.flatnonzero(years == int(year))) for year in names]
    return replace(corpus, splits=splits, split_names=names)


def read_eurlex57k(folder, name="eurlex57k"):
    """Return the Corpus of EURLEX57K as published (Chalkidis et al. 2019): acts of the European Union in full text.

    folder holds train, dev and test with CELEX.json each, and EURLEX57K.json, the EUROVOC concepts. Documents go by
    part, train, dev and test, then by the names of their files. Text is title, header, recitals and main body. Words
    are ``[a-z][a-z]+`` of it in lower case, without stop words, used 20 times or more in train. Labels are the
    concepts that occur, by their numbers as text, each with its name before it. Splits: "train_test" and "train_dev".

    Raises MissingCorpus for a folder without acts, DamagedFile for a file that cannot be read.
    """
    tallies, label_sets, parts = [], [], []
    for part in PARTS:
        place = Path(folder) / part
        files = sorted(place.glob("*.json"), key=lambda file: file.name)
        if not files:
            raise MissingCorpus(f"there are no acts in {place}: give the folder EURLEX57K of the authors")
        for file in tqdm(files, f"acts of {part}", disable=None, leave=False):
            with reading(file):
                act = json.loads(file.read_text("utf-8"))
                text = [act["title"], act["header"], act["recitals"], *act["main_body"]]
                tallies.append(tally(" ".join(text)))
                label_sets.append(act["concepts"])
        parts.append(np.arange(len(tallies) - len(files), len(tallies)))
    words = frequent_words([tallies[d] for d in parts[0]], MIN_TOKENS, by_document=False)
    concepts, file = sorted(set().union(*label_sets)), Path(folder) / "EURLEX57K.json"
    with reading(file):
        known = json.loads(file.read_text("utf-8"))
        names = [f"{known[one]['label']} ({one})" if one in known else f"({one})" for one in concepts]
    splits, split_names = [(parts[0], parts[2]), (parts[0], parts[1])], ("train_test", "train_dev")
    with reading(folder):
        tables = count_table(tallies, words), label_table(label_sets, concepts)
        return Corpus(*tables, words, names, splits, name, split_names)


def _acts(files, name):
    """Return the Corpus of the acts, without splits, and the year of each."""
    file = single(files, ".Rdata file")
    titles, label_sets, years = _table(file)
    tallies = [tally(_without_formulas(title)) for title in titles]
    words = frequent_words(tallies, MIN_DOCUMENT_FREQUENCY, STOP_WORDS | MONTHS)
    codes = sorted(set().union(*label_sets), key=_numeric_first)
    counts = count_table(tallies, words)
    with reading(file):
        return Corpus(counts, label_table(label_sets, codes), words, codes, name=name), years


def _without_formulas(title):
    """Return a title without its formulas; each ends in a bracket, so that nothing is looked at twice."""
    end = title.rfind(")") + 1
    return FORMULAS.sub(" ", title[:end]) + title[end:]


def _table(file):
    """Return the titles, the sets of codes and the years of the acts, in order."""
    try:
        import pyreadr
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "R data files are read with pyreadr: pip install pyreadr, or polytopic with the extra study"
        ) from error
    with reading(file), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pyreadr's about files without a table, which are refused here
        check_stream(file)
        (table,) = pyreadr.read_r(file).values()
        keywords = table.filter(regex=r"^keyword\.").columns
        if not len(keywords):
            raise ValueError("its table has no keyword columns")
        table = table.sort_values(["date_doc", "celex"], kind="stable")
        codes = table[keywords].stack().dropna().astype(str).groupby(level=0).agg(set)
        years = table["date_doc"].astype(str).str[:4].astype(int).to_numpy()
        return table["title"].fillna(""), codes.reindex(table.index, fill_value=set()).tolist(), years


def _numeric_first(code):
    return (False, int(code), code) if code.isdigit() else (True, 0, code)
