"""EU acts with their EUROVOC descriptors: by title, from an R data file, and in full text, as EURLEX57K has them."""

import json
import re
import warnings
from bisect import bisect
from collections import Counter
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


def papers_acts(acts, celex, label_sets, concepts, name="eurlex-papers"):
    """Return the Corpus of those acts that the papers' own EUR-Lex has too, in its order, and (its row, act) of each.

    acts is the Corpus of ``read_eurlex57k`` with the CELEX number of each row, label_sets a Corpus of that
    collection's label sets in its order, without words, and concepts the content of EURLEX57K.json, which has a
    concept's older names. A document is an act whose label set is the same and which nobody else has. The collection
    goes by CELEX number in long runs; so where several acts have a document's label set, it is the one whose number
    lies between those of the nearest known documents before and after it. Documents without such an act are left out,
    and so are those that would be the same act.

    Words are those used 20 times or more in the acts found; the five seeded splits have nine tenths for training, as
    the folds in Rubin et al. (2012), A.2.
    """
    known = {concept: column for column, concept in enumerate(map(_concept, acts.label_names))}
    by_name = {}
    for concept, told in concepts.items():
        for spelled in (told["label"], *told["alt_labels"]):
            by_name.setdefault(_bare(spelled), set()).add(known.get(concept, -1))
    columns = [by_name.get(_bare(spelled), {-1}) - {-1} for spelled in label_sets.label_names]
    column = np.array([min(one) if len(one) == 1 else -1 for one in columns])
    sets = [
        tuple(sorted(column[labels]))
        for labels in np.split(label_sets.labels.indices, label_sets.labels.indptr[1:-1])
    ]
    owners = {}
    for row, labels in enumerate(np.split(acts.labels.indices, acts.labels.indptr[1:-1])):
        owners.setdefault(tuple(sorted(labels)), []).append(row)
    often, celex = Counter(sets), np.asarray(celex)
    found = {
        row: owners[one][0]
        for row, one in enumerate(sets)
        if often[one] == 1 and len(owners.get(one, ())) == 1
    }
    rows, alone = sorted(found), set(found.values())
    for row in sorted({row for row, one in enumerate(sets) if one in owners} - set(found)):
        place = bisect(rows, row)
        if 0 < place < len(rows):
            first, last = (celex[found[rows[at]]] for at in (place - 1, place))
            between = [act for act in owners[sets[row]] if first < celex[act] < last and act not in alone]
            if len(between) == 1:
                found[row] = between[0]
    times = Counter(found.values())
    pairs = np.array(
        [(row, act) for row, act in sorted(found.items()) if times[act] == 1], dtype=int
    ).reshape(-1, 2)
    part = acts.select(pairs[:, 1])
    words, labels = (
        np.flatnonzero(part.counts.sum(axis=0).A1 >= MIN_TOKENS),
        np.flatnonzero(part.label_frequencies),
    )
    names = ([own[at] for at in kept] for own, kept in ((acts.vocabulary, words), (acts.label_names, labels)))
    corpus = Corpus(part.counts[:, words], part.labels[:, labels], *names, name=name)
    return corpus.with_splits(train_fraction=0.9), pairs


def _concept(name):
    """Return the concept's number of a label's name, which ends in it."""
    return name.rpartition("(")[2].removesuffix(")")


def _bare(name):
    return " ".join(re.findall(r"[a-z0-9]+", name.lower()))


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
