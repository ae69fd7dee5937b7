"""The smallest files of each format of ``polytopic.datasets``, as they are published."""

import json

import numpy as np
import pandas as pd
import pyreadr
import rdata
from scipy import io

RECORDS = "library-records-dataset/data"


def put(folder, **files):
    """Write files given as name__suffix="text" and return their paths in order."""
    paths = [folder / name.replace("__", ".") for name in files]
    for path, text in zip(paths, files.values(), strict=True):
        path.write_text(text, encoding="utf-8", newline="")
    return paths


def rubin_file(path, train, test, n_words=3, packed=False):
    """Write a split; a half is a list of documents, a document a pair of word numbers and label numbers."""

    def half(documents):
        lists = {key: [] for key in ("widx", "wdidx", "cidx", "cdidx")}
        for d, (words, labels) in enumerate(documents, 1):
            lists["widx"] += words
            lists["wdidx"] += [d] * len(words)
            lists["cidx"] += labels
            lists["cdidx"] += [d] * len(labels)
        return {key: np.array(one, np.uint16)[:, None] for key, one in lists.items()}

    def names(n):
        return np.array([str(i + 1) for i in range(n)], object)[None]

    halves = {"traindata": half(train), "testdata": half(test)}
    io.savemat(path, {**halves, "wlabels": names(n_words), "clabels": names(2)}, do_compression=packed)
    return path


def story(number, half="TRAIN", status="YES", topics="", text=""):
    """Return a story of Reuters-21578."""
    tags = "".join(f"<D>{topic}</D>" for topic in topics.split())
    return (
        f'<REUTERS TOPICS="{status}" LEWISSPLIT="{half}" CGISPLIT="X" OLDID="9" NEWID="{number}">\n'
        f"<TOPICS>{tags}</TOPICS><PLACES><D>usa</D></PLACES>\n<TEXT>&#2;\n{text}</TEXT>\n</REUTERS>\n"
    )


def acts(folder, **changes):
    """Write four acts of the EU, of which one has no title and one no descriptor; return the path."""
    rule = (
        "Council Regulation on fishing quotas for herring and cod of {} (notified under document number 1) "
        "(Text with EEA relevance.)"
    )
    columns = {
        "celex": ["R9", "R1", "R0", "D1"],
        "date_doc": pd.to_datetime(["2004-05-01", "2004-05-01", "2003-01-01", "2006-01-01"]),
        "title": [*map(rule.format, ("1 May 2004", "2 June 2005", "3 July 2006")), None],
        "keyword.1": ["10", "9", "c_1a", None],
        "keyword.2": ["9", None, "9", None],
    }
    file = folder / "acts.RData"
    pyreadr.write_rdata(file, pd.DataFrame({**columns, **changes}), df_name="acts")
    return file


def questions(folder, value=1.0, label=0.0, **how):
    """Write an object as mldr has it: one table of words, labels and more, and the labels' positions, from 1."""
    table = pd.DataFrame(
        {
            "acid": [0.0, 2.0, 0.0] * 4,
            "tag_a": [1.0, 0.0, 1.0] * 4,
            "bread": [3.0, value, 0.0] * 4,
            "tag_b": [label, 0.0, 1.0] * 4,
            ".labelcount": [1.0, 0.0, 2.0] * 4,
        }
    )
    positions = pd.DataFrame({"index": [2.0, 4.0]}, index=[1, 2])
    file = folder / "site.rda"
    rdata.write_rda(file, {"site": {"name": "site", "dataset": table, "labels": positions}}, **how)
    return file


def record(folder, place, number, title, subjects, abstract=None, names=None):
    """Write one library record; one subject alone is no list there, and several abstracts are one."""
    own = {"@id": f"https://x/{number}", "@type": "bibo:Book", "title": title}
    own |= {"abstract": abstract} if abstract else {}
    nodes = [{"@id": f"gnd:{one}"} for one in subjects]
    if nodes:
        own["dcterms:subject"] = nodes if len(nodes) > 1 else nodes[0]
    said = [{"@id": f"gnd:{key}", "sameAs": name} for key, name in (names or {}).items()]
    file = folder / RECORDS / place / f"{number}.jsonld"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"@graph": [*said, own]}, indent=0), "utf-8")


def library(folder):
    """Write eight library records; return the folder."""
    names = {"4-2": "Viren", "30": "Müller, A."}
    for i in range(5):
        abstract = ["The virus-free cell, C++ and R2", "Über Zellen"]
        record(folder, "train/Book/en", f"3A{i}", "Viral Genomes", ["4-2", "30"], abstract, names)
    record(folder, "train/Article/de", "3A9", ["Die Genomes"], ["4-2", "4-2"], names=names)
    record(folder, "dev/Thesis/en", "3A7", "Unheard genomes", ["5"], "Genomes and genomes")
    record(folder, "test/gold-standard-testset/Thesis/en", "3A8", "Viral", [])
    return folder


def eu_acts(folder):
    """Write four acts as EURLEX57K has them, two of them in train, with one of two concepts; return the folder."""

    def act(part, celex, words, concepts):
        title, header, recitals, *body = words
        (folder / part).mkdir(parents=True, exist_ok=True)
        own = {
            "title": title,
            "header": header,
            "recitals": recitals,
            "main_body": body,
            "concepts": concepts,
        }
        (folder / part / f"{celex}.json").write_text(json.dumps(own | {"attachments": "import"}), "utf-8")

    act("train", "31958D1127(01)", ["Barley", "import " * 20, "barley " * 6, "Import, the"], ["10"])
    act("train", "31958D1127", ["acid 1", "acid " * 19, "acid rain", "barley " * 14], ["99"])
    act("dev", "31962D0403", ["acid", "", ""], ["99", "10"])
    act("test", "31963R0118", ["", "", "", "rain", "rain"], [])
    concepts = {"10": {"concept_id": "10", "label": "barley", "alt_labels": [], "parents": []}}
    (folder / "EURLEX57K.json").write_text(json.dumps(concepts), "utf-8")
    return folder


def bills(folder):
    """Write seven bills, the last one without a subject; return the folder."""
    rows = [("Guam", None, ["Guam"]), *[("Guam and radiation", "guam", ["Guam", "Claims"])] * 4]
    rows += [(None, "Radiation", ["Claims"]), ("Guam radiation", "", [])]
    for number, (title, summary, subjects) in enumerate(rows, 1):
        place = folder / "hr" / f"hr{number}"
        place.mkdir(parents=True, exist_ok=True)
        own = {"official_title": title, "summary": summary and {"text": summary}, "subjects": subjects}
        (place / "data.json").write_text(json.dumps(own), "utf-8")
    return folder
