"""What the benchmarks measured, read back: every aim beside its value, and what larger corpora would cost."""

import io

import numpy as np
import pandas as pd

from polytopic import paths
from polytopic.kernels import labelled

AIMS = "_aims"
MEMORY, RANDOM, REST = "memory", "random numbers", "arithmetic and branches"
SWEEP = "a whole sweep"  # of a sparse sampler, and its steps
HELD, DRAW, OTHERS = "choosing among the labels held", "drawing from the prior", "the rest"
TOPICS, WORDS = "topics of all tokens", "the words' prior"
ALONE = "random numbers alone"  # jobs on several threads that share nothing
CHASE = "dependent loads"
SETTLING = "sweeps"  # against what ``settling`` has its times
TRIAD, DOT, ADD = "triad", "vector product", "dependent additions"
DEFAULT, OTHER = "default", "other"  # sizes of a run
OURS = ("ours", "sparse, exact")  # what a sampler of ours is called beside its peers
REMEDY = 'Fewer test chains or `inference="mean_field"` are the remedy.'  # where sampling misses them
LATENCY_AIMS = {600: 20, 5000: 100}  # milliseconds for one document, by the number of labels
FACTS = ("cpu", "cores", "memory", "python", "numpy", "numba", "polytopic")


def folder(quick=False):
    """Return the folder of the benchmarks' results; those of quick runs, which mean nothing, lie elsewhere."""
    return paths.cache() / "benchmarks" if quick else paths.root() / "benchmarks" / "results"


def read(name, results=None):
    """Return the table that benchmark ``name`` wrote, with the machine's facts and the settings in ``attrs``.

    results: the folder, that of the study without it. Raises ValueError, saying how to make it, if it is not there.
    """
    path = (results or folder()) / f"{name}.csv"
    if not path.is_file():
        raise ValueError(f"{path} is missing: make it with `polytopic bench {name.removesuffix(AIMS)}`")
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    head = [line[2:].strip().partition(": ") for line in lines if line.startswith("# ")]
    table = pd.read_csv(io.StringIO("".join(line for line in lines if not line.startswith("# "))))
    table.attrs.update({key: value for key, _, value in head})
    return table


def aims(results=None, questions=None):
    """Return every aim beside what was measured: the columns of benchmarks/aims.csv, value, low, high, sizes, met.

    The aims are all or those of some questions (names of benchmarks). Their columns: question, quantity, sense, aim,
    and where an aim is of one: sampler (as the roofline names it), model, peer. value is missing and met None where
    nothing was measured; low and high are quartiles over the repeats; sizes is OTHER where they were not the
    benchmark's own.
    """
    table = pd.read_csv(paths.root() / "benchmarks" / "aims.csv", dtype={"model": str})
    if questions is not None:
        table = table[table["question"].isin(list(questions))]
    numbers = ["value", "low", "high"]
    found = [pd.DataFrame(columns=["question", "quantity", *numbers, "sizes"])]
    for question in table["question"].unique():
        if ((results or folder()) / f"{question}{AIMS}.csv").is_file():
            lines = read(f"{question}{AIMS}", results)
            found.append(lines.assign(question=question, sizes=lines.attrs.get("sizes", DEFAULT)))
    measured = pd.concat(found)[list(found[0])].astype(dict.fromkeys(numbers, float))
    table = table.merge(measured, how="left", on=["question", "quantity"])
    above, below = table["value"] >= table["aim"], table["value"] <= table["aim"]
    reached = above.where(table["sense"] == "at least", below).astype(object)
    return table.assign(met=reached.where(table["value"].notna(), None))


def latency_text(results=None):
    """Return what one document takes, as a sentence and a table in Markdown, from the benchmark latency."""
    table = read("latency", results)
    facts, missed = table.attrs, table[table["ms"] > table["aim_ms"]]
    why = " Those sample: each chain costs its sweeps, for one document as for each of a thousand. " + REMEDY
    why = why if len(missed) and missed["model"].str.contains("sampling").all() else ""
    aims = ", ".join(f"{of:g} ms at {n:,} labels" for n, of in LATENCY_AIMS.items())
    rows = [
        f"| {row.model} | {row.labels:,} | {row.ms:.0f} | {row.ms_95:.0f} | {row.naive_ms:.0f} | "
        f"{'missed' if row.ms > row.aim_ms else 'met'} |"
        for row in table.itertuples()
    ]
    return "\n".join(
        [
            f"Milliseconds of one core ({facts['cpu']}) for a document of {facts['length']} words, with the settings "
            f"that models have by default. The aim, {aims}, is missed by {len(missed)} of {len(table)}.{why}",
            "",
            "| model | labels | median | 95th percentile | median, tables made anew | aim |",
            "| --- | --- | --- | --- | --- | --- |",
            *rows,
            "",
        ]
    )


def aims_table(aims):
    """Return ``aims`` for display: question, quantity, aim, value, low, high, met ("met", "MISSED", "not measured").

    What was measured at other sizes than the benchmark's own is "at other sizes" besides.
    """
    met = aims["met"].map({True: "met", False: "MISSED"}).fillna("not measured")
    met += np.where(aims["sizes"] == OTHER, f", at {OTHER} sizes", "")
    shown = aims[["question", "quantity", "aim", "value", "low", "high"]]
    return shown.assign(aim=aims["sense"] + " " + aims["aim"].map("{:g}".format), met=met)


def aims_text(aims):
    """Return ``aims_table`` as lines to print, and how many aims are met."""
    if aims.empty:
        return "No aims."
    met, measured = int(aims["met"].eq(True).sum()), int(aims["value"].notna().sum())
    table = aims_table(aims).round(3).to_string(index=False, na_rep="")
    return f"{table}\n{met} of {measured} measured aims are met, {len(aims)} aims in all."


def elsewhere(here):
    """Set what other machines measured, each in a folder of benchmarks/elsewhere, beside ``here``, for display.

    here is what ``aims`` returns. A row for each machine and aim that it measured, none where there is no folder:
    cpu, question, quantity, aim, here and met_here as in ``aims_table``, then the other machine's value, low, high
    and met.
    """
    of_aim, ours = ["question", "quantity", "aim"], {"value": "here", "met": "met_here"}
    columns = ["cpu", *of_aim, *ours.values(), "value", "low", "high", "met"]
    shown, tables = aims_table(here)[of_aim + list(ours)].rename(columns=ours), []
    for path in sorted((paths.root() / "benchmarks" / "elsewhere").glob(f"*/*{AIMS}.csv")):
        there = aims(path.parent, [path.stem.removesuffix(AIMS)])
        there = aims_table(there[there["value"].notna()]).assign(
            cpu=read(path.stem, path.parent).attrs["cpu"]
        )
        tables.append(there.merge(shown, on=of_aim)[columns])
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=columns)


def facts(*tables):
    """Return which machine and versions tables of ``read`` come from: a row each."""
    return pd.DataFrame([{name: table.attrs.get(name, "") for name in FACTS} for table in tables])


# Laws fitted to measured points


def predicted(growth, run, models):
    """Set what the growth predicts for the run with most labels beside what that run measured.

    growth is ``read("labels_growth")`` and run ``read("million_labels")``. For each model a law is fitted to the
    former: time per token as a power of the labels, bytes of the tables as a line of the non-zero counts, nearest in
    the squares of relative differences. Columns: model, quantity, law, predicted, measured, times (measured over
    predicted).
    """
    rows, steps = [], run.set_index("step")
    for model in models:
        points = growth[(growth["name"] == model) & (growth["against"] == "labels")]
        exponent, log_scale = np.polyfit(np.log(points["labels"]), np.log(points["median"]), 1)
        slope, fixed = np.polyfit(points["nonzeros"], points["bytes"], 1, w=1 / points["bytes"])
        time, tables = steps.loc[f"prediction, {model}", "ns"], steps.loc[f"tables of {model}"]
        scale, size = np.exp(log_scale), fixed + slope * tables["nonzeros"]
        ns = scale * run["labels"].iloc[0] ** exponent
        rows += [
            (model, "ns per token", f"{scale:.3g} labels^{exponent:.2f}", ns, time),
            (model, "GB of tables", f"{slope:.3g} B per count", size / 1e9, tables["bytes"] / 1e9),
        ]
    table = pd.DataFrame(rows, columns=["model", "quantity", "law", "predicted", "measured"])
    return table.assign(times=table["measured"] / table["predicted"])


def plan(run, documents, length, cardinality, chains, sweeps, topic_chains, topic_sweeps, cores):
    """Return what training on ``documents`` of ``length`` tokens and ``cardinality`` labels would take.

    Extrapolated from ``read("million_labels")``: time in proportion to tokens, chains and sweeps, with words over
    labels sixteen chains at a time, which cost as much as one; memory of one such group in proportion to tokens,
    above what the process held at its start. Columns: part, ns, units (token updates), gb (topics' is within that of
    the words), hours on all cores.
    """
    steps = run.set_index("step")
    words = steps.loc["words over labels, a group of chains"]
    topics = steps.loc["topics over labels, a chain"]
    tokens, groups = documents * length, -(-chains // labelled.LANES)
    per_token = (words["peak_gb"] - words["base_gb"]) / words["tokens"]
    topic_units = documents * cardinality * topic_chains * topic_sweeps
    parts = [
        ("words over labels", words["ns"], tokens * groups * sweeps, words["base_gb"] + per_token * tokens),
        ("topics over labels", topics["ns"], topic_units, np.nan),
    ]
    table = pd.DataFrame(parts, columns=["part", "ns", "units", "gb"])
    return table.assign(hours=table["ns"] * table["units"] / 1e9 / 3600 / cores)


def documents_that_fit(plan, run, documents, memory_gb):
    """Return how many documents of a ``plan`` for some number of them fit into so much memory."""
    base = run["base_gb"].iloc[0]
    return (memory_gb - base) / (plan["gb"].max() - base) * documents


def counts_per_label(growth, run):
    """Return how many non-zero counts a label has in the growth's tables and in the run: labels, counts."""
    rows = pd.concat([growth[["labels", "nonzeros"]].drop_duplicates(), run[["labels", "nonzeros"]].head(1)])
    counts = rows["nonzeros"] / rows["labels"]
    return pd.DataFrame({"labels": rows["labels"], "counts": counts}).reset_index(drop=True)


# Where a token's nanoseconds go, and what the aims leave for it


def waits(growth, models):
    """Return what a token takes more than among the fewest labels, counted in waits for memory.

    growth is ``read("labels_growth")``, and models are some that it timed. A row for each model and number of labels,
    in order. Columns: model, labels, ns (a token's), load (ns of one load from as many bytes as the largest model's
    tables take, where each load says where the next one is), waits (how many such loads take as long as what a token
    takes more), new (labels that a token newly brings into its document). load and waits are missing where no loads
    were timed.
    """
    rows = growth[growth["against"] == "labels"].sort_values("labels")
    loads, tables = rows[rows["name"] == CHASE].set_index("labels")["median"], []
    for model in models:
        own = rows[rows["name"] == model]
        ns, load = own["median"], own["labels"].map(loads)
        columns = {"labels": own["labels"], "ns": ns, "load": load, "waits": (ns - ns.iloc[0]) / load}
        tables.append(pd.DataFrame({"model": model, **columns, "new": own["new_per_token"]}))
    return pd.concat(tables, ignore_index=True)


def settling(growth, models):
    """Return what each further sweep takes as chains settle, among the fewest and the most labels.

    growth is ``read("labels_growth")``, and models are some that it timed: KeyError for any other. A row for each
    model and range of sweeps, in order. Columns: model, from and to (the range's first and last sweep), for each of
    the two numbers of labels its ns (a token and sweep), and times, the most labels' ns over the fewest's.
    """
    rows = growth[(growth["against"] == SETTLING) & growth["name"].isin(models)]
    rows = rows.astype({"after": int, "sweeps": int}).assign(start=lambda own: own["after"] + 1)
    wide = rows.pivot(index=["name", "start", "sweeps"], columns="labels", values="median").loc[list(models)]
    few, many = wide.columns.min(), wide.columns.max()
    wide["times"] = wide[many] / wide[few]
    names = {few: f"ns, {few:,} labels", many: f"ns, {many:,} labels"}
    return (
        wide.rename(columns=names)
        .rename_axis(["model", "from", "to"])
        .rename_axis(columns=None)
        .reset_index()
    )


def missed(aims, samplers):
    """Return the missed aims, and what they would be if the sampler never waited for memory.

    aims is ``aims()`` and samplers the samplers' part of ``read("roofline")``. Columns: question, quantity, aim,
    value, then for samplers of the roofline ns (a token's), memory (its share of that, missing where it could not be
    told apart), without_memory (the value without any wait) and enough.
    """
    times = samplers.rename(columns={"name": "sampler", "median": "ns", MEMORY: "memory"})
    rows = aims[aims["met"].eq(False)].merge(times[["sampler", "ns", "memory"]], how="left", on="sampler")
    share = rows["memory"].astype(float) / rows["ns"]
    rows = rows.assign(memory=share, without_memory=rows["value"] / (1 - share))
    rows["enough"] = (rows["without_memory"] >= rows["aim"]).astype(object).where(share.notna(), "")
    return rows[["question", "quantity", "aim", "value", "ns", "memory", "without_memory", "enough"]]


def steps(roofline):
    """Return the nanoseconds of each step of the sparse samplers' sweeps, by name, beside what they look at.

    held is how many labels a document holds, outside how many of them would lie outside of 256 dense columns for
    labels that come again, looked how many a choice looks at. loads is what so many independent loads take: every
    label lies on a cache line of its own.
    """
    rows = roofline[roofline["part"] == "steps"]
    wide = rows.pivot(index="name", columns="step", values="median").loc[list(dict.fromkeys(rows["name"]))]
    held = rows[rows["step"] == HELD].set_index("name")[["held", "outside", "looked", "loads"]]
    return held.join(wide).loc[wide.index].reset_index()


def room(aims, question, measured, of="model"):
    """Return what a benchmark's aims over its peers leave, and what ours takes.

    measured is ``read(question)``, whose column ``of`` the aims' column ``model`` names. Columns: model, peer, unit,
    takes (the peer's median), aim, left (takes over the aim) and ours. Peers that were not at hand have no row.
    """
    rows = measured.assign(model=measured[of].astype(str), peer=measured["name"], takes=measured["median"])
    ours = rows[rows["name"].isin(OURS)].set_index(["model", "unit"])["median"]
    wanted = aims.loc[aims["question"] == question, ["model", "peer", "aim"]]
    table = wanted.merge(rows[["model", "peer", "unit", "takes"]], on=["model", "peer"])
    table["left"] = table["takes"] / table["aim"]
    table["ours"] = ours[list(zip(table["model"], table["unit"], strict=True))].to_numpy()
    return table[["model", "peer", "unit", "takes", "aim", "left", "ours"]]
