"""Annif's own ``eval`` of the backend polytopic, of Omikuji's Bonsai and of ensembles of both, on library records.

    python data/annif_tibkat.py RECORDS WORK [PROJECT...]

RECORDS is a copy of github.com/sciknoworg/subject-indexing-dataset, of which the English records of the parts train
and dev are read. WORK is a folder for Annif's files; what is there already is not made again. Needs the extras annif
and peers. Models learn from the part train; 5,000 records of dev, drawn by the seed, are what they are judged by.
Results go to data/results/today/annif, with what each project gains in NDCG over every other one, paired by records,
and 95 % intervals by bootstrap over the records.
"""

import argparse
import csv
import json
import os
import platform
import subprocess
import sys
import time
from importlib import metadata
from itertools import combinations
from pathlib import Path

import numpy as np

import polytopic
from polytopic import paths
from polytopic.datasets.tibkat import read_records
from polytopic.streams import stream

SEED, N_TEST, LIMIT = 0, 5000, 100
GND = "https://d-nb.info/gnd/"
OWN = {"backend": "polytopic", "min_df": "5", "stop_words": "english"}
SHARED = {"model__inference": "mean_field", "model__word_sharing": "0.2"}
SHARED |= {"model__n_chains": "8", "model__n_sweeps": "50"}
TOPICS = {"model__n_topic_chains": "2", "model__n_topic_sweeps": "100"}
BONSAI = {
    "backend": "omikuji",
    "analyzer": "plain(english)",
    "cluster_balanced": "False",
    "cluster_k": "100",
    "max_depth": "3",
    "min_df": "5",
    "ngram": "2",
}
PROJECTS = {
    "bonsai": BONSAI,
    "flat": OWN | SHARED | {"model": "FlatLDA"},
    "dependency": OWN | SHARED | TOPICS | {"model": "DependencyLDA"},
    "hybrid": OWN | {"model": "HybridClassifier"},
    "bonsai-flat": {"backend": "ensemble", "sources": "bonsai:1,flat:1"},
    "bonsai-dependency": {"backend": "ensemble", "sources": "bonsai:1,dependency:1"},
    "bonsai-hybrid": {"backend": "ensemble", "sources": "bonsai:1,hybrid:1"},
}
MEASURES = {
    "NDCG": ("ndcg", ""),
    "NDCG@5": ("ndcg", 5),
    "F1@5": ("f1", 5),
    "Precision@1": ("precision", 1),
    "Precision@5": ("precision", 5),
}
PACKAGES = ("annif", "omikuji", "numpy", "scipy", "scikit-learn", "numba")
COLUMNS = ("project", "measure", "k", "value", "records")
GAINS = ("project", "over", "gain", "low", "high", "records")
RESAMPLES = 10_000
RECORD_BY_RECORD = """
import json, sys
import annif.eval as judged
from polytopic.annif import main

whole = judged.ndcg_score

def one_by_one(truth, suggested, limit=None):
    with open(sys.argv[1], "w") as file:
        json.dump([whole(truth[[i]], suggested[[i]], limit) for i in range(truth.shape[0])], file)
    return whole(truth, suggested, limit)

judged.ndcg_score = one_by_one
sys.exit(main(sys.argv[2:]))
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("records", type=Path, metavar="RECORDS")
    parser.add_argument("work", type=Path, metavar="WORK")
    parser.add_argument(
        "projects", nargs="*", metavar="PROJECT", help=f"of {', '.join(PROJECTS)}; all if none"
    )
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    write_files(options.records, options.work)
    for name in options.projects or PROJECTS:
        evaluate(name, options.work)
        judge_records(name, options.work)
    collect(options.work)


def write_files(records, work):
    """Write the vocabulary, the two parts and projects.cfg, and hand the vocabulary to Annif."""
    configure(work)
    if (work / "test.tsv").exists():
        return
    train = list(read_records(records, ("train",), ("en",)))
    dev = list(read_records(records, ("dev",), ("en",)))
    names = {key: said for one in train + dev for key, said in one.subjects.items()}
    lines = [f"<{GND}{key}>\t{flat(said) or key}\n" for key, said in sorted(names.items())]
    (work / "vocabulary.tsv").write_text("".join(lines), encoding="utf-8")
    annif(work, "load-vocab", "gnd", "vocabulary.tsv", "--language", "en")
    chosen = sorted(stream(SEED, "annif", "tibkat").choice(len(dev), N_TEST, replace=False))
    for name, part in (("train", train), ("test", [dev[i] for i in chosen])):
        rows = (f"{flat(one.text)}\t{' '.join(f'<{GND}{key}>' for key in one.subjects)}\n" for one in part)
        (work / f"{name}.tsv").write_text("".join(rows), encoding="utf-8")


def flat(text):
    return " ".join(text.split())


def configure(work):
    """Write projects.cfg."""
    shared = {"language": "en", "vocab": "gnd", "limit": LIMIT}
    sections = (
        f"[{name}]\n" + "".join(f"{key}={value}\n" for key, value in ({"name": name} | shared | own).items())
        for name, own in PROJECTS.items()
    )
    (work / "projects.cfg").write_text("\n".join(sections), encoding="utf-8")


def evaluate(name, work):
    """Train a project, unless it is one of others', and let Annif measure it."""
    seconds, results = work / f"{name}.seconds.json", work / f"{name}.json"
    if results.exists():
        return
    took = {}
    if PROJECTS[name]["backend"] != "ensemble":
        took["train"] = annif(work, "train", name, "train.tsv", "--jobs", "1")
    wanted = [part for measure in MEASURES for part in ("--metric", measure)]
    draft = work / f"{name}.part"
    took["eval"] = annif(
        work, "eval", name, "test.tsv", "--limit", str(LIMIT), *wanted, "--metrics-file", draft.name
    )
    seconds.write_text(json.dumps(took))
    draft.rename(results)


def judge_records(name, work):
    """Let Annif judge a project again, and keep the NDCG of each record, in the order of test.tsv."""
    results = work / f"{name}.records.json"
    if results.exists():
        return
    print("annif eval", name, "record by record", flush=True)
    draft = work / f"{name}.part"
    told = ["eval", name, "test.tsv", "--limit", str(LIMIT), "--metric", "NDCG", "--jobs", "1"]
    subprocess.run([sys.executable, "-c", RECORD_BY_RECORD, draft.name, *told], cwd=work, check=True)
    draft.rename(results)


def gains(work, names):
    """Yield rows of GAINS: the mean difference of two projects' NDCG by record, and its interval.

    Records are drawn with replacement, so many times, the same ones for both.
    """
    ndcg = {name: np.array(json.loads((work / f"{name}.records.json").read_text())) for name in names}
    chances = [1 / N_TEST] * N_TEST
    times_drawn = stream(SEED, "annif", "bootstrap").multinomial(N_TEST, chances, RESAMPLES)
    for over, name in combinations(names, 2):
        paired = ndcg[name] - ndcg[over]
        low, high = np.quantile(times_drawn @ paired / N_TEST, (0.025, 0.975))
        yield name, over, *(f"{value:.6f}" for value in (paired.mean(), low, high)), N_TEST


def annif(work, *arguments):
    """Run one of Annif's commands; return the CPU seconds that it took."""
    print("annif", *arguments, flush=True)
    before = os.times()
    code = f"import sys; from polytopic.annif import main; sys.exit(main({list(arguments)!r}))"
    subprocess.run([sys.executable, "-c", code], cwd=work, check=True)
    after = os.times()
    return round(sum(after[2:4]) - sum(before[2:4]), 1)


def collect(work):
    """Write what was measured, with what made it."""
    folder = paths.checkout() / "data" / "results" / "today" / "annif"
    folder.mkdir(parents=True, exist_ok=True)
    done = [name for name in PROJECTS if (work / f"{name}.json").exists()]
    with open(folder / "tibkat-en.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        for name in done:
            found = json.loads((work / f"{name}.json").read_text())
            for measure, place in MEASURES.items():
                table.writerow([name, *place, f"{found[measure.replace(' ', '_')]:.6f}", N_TEST])
    with open(folder / "tibkat-en-gains.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerows([GAINS, *gains(work, done)])
    made = {
        "corpus": "tibkat-en: English records of the parts train (41,333) and dev, of which so many are drawn",
        "seed": SEED,
        "records": N_TEST,
        "limit": LIMIT,
        "resamples": RESAMPLES,
        "made": time.strftime("%Y-%m", time.gmtime()),
        "versions": {"polytopic": polytopic.__version__, "python": platform.python_version()}
        | {name: metadata.version(name) for name in PACKAGES},
        "projects": {name: PROJECTS[name] for name in done},
        "cpu_seconds": {name: json.loads((work / f"{name}.seconds.json").read_text()) for name in done},
    }
    text = json.dumps(made, indent=1) + "\n"
    (folder / "tibkat-en.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
