"""What the benchmarks measured, read back: every aim beside its value, and what larger corpora would cost."""

import io
from typing import NamedTuple

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
TRIAD, DOT, ADD = "triad", "vector product", "dependent additions"
DEFAULT, OTHER = "default", "other"  # sizes of a run
AT_LEAST, AT_MOST = "at least", "at most"


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
    """Return every aim beside what was measured: question, quantity, sense, aim, value, low, high, sizes, met.

    The aims are those of benchmarks/aims.csv, all or those of some questions (names of benchmarks). value is missing
    and met None where nothing was measured; low and high are quartiles over the repeats.
    """
    table = pd.read_csv(paths.root() / "benchmarks" / "aims.csv")
    if questions is not None:
        table = table[table["question"].isin(list(questions))]
    results = results or folder()
    values = [
        _answers(question, results)
        for question in table["question"].unique()
        if (results / f"{question}{AIMS}.csv").is_file()
    ]
    columns = ["question", "quantity", "value", "low", "high", "sizes"]
    nothing = pd.DataFrame(columns=columns).astype(dict.fromkeys(columns[2:5], float))
    table = table.merge(pd.concat([nothing, *values])[columns], how="left", on=columns[:2])
    reached = np.where(
        table["sense"] == AT_LEAST, table["value"] >= table["aim"], table["value"] <= table["aim"]
    )
    table["met"] = pd.Series(reached, index=table.index, dtype=object).where(table["value"].notna(), None)
    return table


def _answers(question, results):
    lines = read(f"{question}{AIMS}", results)
    values = lines.astype(dict.fromkeys(("value", "low", "high"), float))
    return values.assign(question=question, sizes=lines.attrs.get("sizes", DEFAULT))


def aims_text(table):
    """Return ``aims`` as lines to print, an aim each, and how many of them are met.

    A value that was measured at other sizes than the benchmark's own has a remark.
    """
    if table.empty:
        return "No aims."
    words = {True: "met", False: "MISSED"}
    remarks = table["sizes"].map(
        lambda sizes: "" if sizes == DEFAULT or pd.isna(sizes) else f", at {sizes} sizes"
    )
    lines = [
        f"  {row.question:18} {row.quantity:58} {row.sense} {row.aim:<5g} "
        f"{_value(row):28} {words.get(row.met, 'not measured')}{remark}"
        for row, remark in zip(table.itertuples(), remarks, strict=True)
    ]
    count = int((table["met"] == True).sum())  # noqa: E712
    known = int(table["value"].notna().sum())
    return "\n".join([*lines, f"{count} of {known} measured aims are met, {len(table)} aims in all."])


def _value(row):
    if pd.isna(row.value):
        return ""
    return f"{row.value:.3g} ({row.low:.3g} to {row.high:.3g})" if pd.notna(row.low) else f"{row.value:.3g}"


def facts_text(table):
    """Return in a line which machine and versions a table of ``read`` comes from."""
    names = ("cpu", "cores", "memory", "python", "numpy", "numba", "polytopic")
    return ", ".join(f"{name} {table.attrs[name]}" for name in names if name in table.attrs)


# Laws fitted to measured points


class Power(NamedTuple):
    """y = scale x ** exponent."""

    scale: float
    exponent: float

    def at(self, x):
        return self.scale * np.asarray(x, dtype=float) ** self.exponent


class Line(NamedTuple):
    """y = fixed + slope x."""

    fixed: float
    slope: float

    def at(self, x):
        return self.fixed + self.slope * np.asarray(x, dtype=float)


def power(x, y):
    """Return the Power that is nearest to positive points in the squares of their logarithms; two points or more."""
    exponent, scale = np.polyfit(np.log(x), np.log(y), 1)
    return Power(float(np.exp(scale)), float(exponent))


def line(x, y):
    """Return the Line that is nearest to points, y positive, in the squares of relative differences; two or more."""
    slope, fixed = np.polyfit(x, y, 1, w=1 / np.asarray(y, dtype=float))
    return Line(float(fixed), float(slope))


def foretold(growth, run, models):
    """Set what the growth foretells for the run with most labels beside what that run measured.

    growth is ``read("labels_growth")`` and run ``read("million_labels")``. For each model a law is fitted to the
    former: time per token as a power of the labels, bytes of the tables as a line of the non-zero counts. Columns:
    model, quantity, law, foretold, measured, times (measured over foretold).
    """
    rows = []
    for model in models:
        points = growth[(growth["name"] == model) & (growth["against"] == "labels")]
        time, memory = power(points["labels"], points["median"]), line(points["nonzeros"], points["bytes"])
        prediction, tables = _step(run, f"prediction, {model}"), _step(run, f"tables of {model}")
        laws = (
            ("ns per token", f"{time.scale:.3g} labels^{time.exponent:.2f}", time.at(run["labels"].iloc[0])),
            ("GB of tables", f"{memory.slope:.3g} B per count", memory.at(tables["nonzeros"]) / 1e9),
        )
        values = prediction["ns"], tables["bytes"] / 1e9
        rows += [(model, *law, value) for law, value in zip(laws, values, strict=True)]
    table = pd.DataFrame(rows, columns=["model", "quantity", "law", "foretold", "measured"])
    return table.astype({"foretold": float}).assign(times=table["measured"] / table["foretold"].astype(float))


def density_text(growth, run):
    """Say how many non-zero counts a label has in the growth's tables and in the run."""
    before = growth.loc[growth["against"] == "labels", "nonzeros"] / growth["labels"]
    return (
        f"A label has {before.min():.0f} to {before.max():.0f} non-zero counts at the smaller sizes and "
        f"{run['nonzeros'].iloc[0] / run['labels'].iloc[0]:.0f} in the run."
    )


def traffic_text(growth, models):
    """Say how many labels a document holds at a time and brings in, at the fewest and at the most labels measured."""
    rows = growth[(growth["against"] == "labels") & growth["name"].isin(models)].sort_values("labels")
    lines = []
    for model, own in rows.groupby("name", sort=False):
        few, many = own.iloc[0], own.iloc[-1]
        lines.append(
            f"{model}, from {few['labels']:,} to {many['labels']:,} labels: a document holds {few['held']:.0f} to "
            f"{many['held']:.0f} labels at a time, and each sweep brings in {few['new_per_token']:.3f} to "
            f"{many['new_per_token']:.3f} new ones for each token; {few['median']:.0f} to {many['median']:.0f} ns."
        )
    return "\n".join(lines)


def foretold_text(table):
    """Say of ``foretold`` how far the measured values are from what was foretold, quantity by quantity."""
    lines = []
    for quantity, rows in table.groupby("quantity", sort=False):
        low, high = rows.loc[rows["times"].idxmin()], rows.loc[rows["times"].idxmax()]
        lines.append(
            f"{quantity}: measured {low['times']:.2f} ({low['model']}) to {high['times']:.2f} ({high['model']}) "
            "times what the growth at fewer labels foretells."
        )
    return "\n".join(lines)


def plan(run, documents, length, cardinality, chains, sweeps, topic_chains, topic_sweeps, cores):
    """Return what training on ``documents`` of ``length`` tokens and ``cardinality`` labels would take.

    Extrapolated from ``read("million_labels")``: time in proportion to tokens, chains and sweeps, with words over
    labels sixteen chains at a time, which cost as much as one; memory of one such group in proportion to tokens,
    above what the process held at its start. Columns: part, ns, units (token updates), gb,
    hours on all cores. Topics' memory is within that of the words.
    """
    words, topics = (
        _step(run, "words over labels, a group of chains"),
        _step(run, "topics over labels, a chain"),
    )
    tokens, groups = documents * length, -(-chains // labelled.LANES)
    per_token = (words["peak_gb"] - words["base_gb"]) / words["tokens"]
    label_tokens = documents * cardinality
    parts = [
        ("words over labels", words["ns"], tokens * groups * sweeps, words["base_gb"] + per_token * tokens),
        ("topics over labels", topics["ns"], label_tokens * topic_chains * topic_sweeps, np.nan),
    ]
    table = pd.DataFrame(parts, columns=["part", "ns", "units", "gb"])
    return table.assign(hours=table["ns"] * table["units"] / 1e9 / 3600 / cores)


def plan_text(table, documents, run, memory_gb):
    """Say of ``plan`` how long it takes and how many documents would fit into memory_gb."""
    needed, base = table["gb"].max(), run["base_gb"].iloc[0]
    holds = (memory_gb - base) / (needed - base) * documents
    return (
        f"{documents:,} documents: {table['hours'].sum():,.1f} hours in all, {needed:.1f} GB, "
        "one group of chains at a time.\n"
        f"{memory_gb:g} GB hold {holds / 1e6:.3g} million documents of this length; "
        f"the run had {run['documents'].iloc[0]:,} documents, {run['labels'].iloc[0]:,} labels "
        f"and a peak of {run['peak_gb'].max():.3g} GB."
    )


def run_text(run):
    """Say of ``read("million_labels")`` how large it was, and what it took."""
    size = run.iloc[0]
    return (
        f"{size['labels']:,} labels, {size['documents']:,} documents, {size['tokens']:,} tokens: "
        f"{run['wall'].sum() / 60:.3g} minutes in all, at most {run['peak_gb'].max():.3g} GB."
    )


def protocol_text(protocol):
    """Say of ``read("protocol")`` how long the whole takes, of what size, and whether it ran in full."""
    sizes = {name: int(protocol.attrs[name]) for name in ("documents", "length", "labels", "test_documents")}
    told = ", ".join(f"{name.replace('_', ' ')} {size:,}" for name, size in sizes.items())
    least = protocol["done"].min()
    ran = (
        "It ran in full."
        if least >= 1
        else f"Of its parts {least:.1%} or more ran; the rest is extrapolated."
    )
    return f"{told}: {protocol['whole_hours'].sum():.2f} hours on {protocol.attrs['threads']} cores. {ran}"


def parts_text(samplers):
    """Say of the samplers of ``read("roofline")`` what share of its time each part is, the largest first.

    Where memory's part is missing, it is said to be within the rest.
    """
    shares = samplers.set_index("name")[[MEMORY, RANDOM, REST]].astype(float)
    shares = shares.div(shares.sum(axis=1), axis=0)
    return "\n".join(f"{name}: {_shares(row)}" for name, row in shares.iterrows())


def steps_text(steps):
    """Say of the steps of ``read("roofline")`` what each takes in a sparse sampler's sweep, the longest first."""
    lines = []
    for name, rows in steps.groupby("name", sort=False):
        rows = rows.set_index("step")
        told = rows.drop(index=SWEEP)["median"].sort_values(ascending=False)
        parts = ", ".join(f"{step} {ns:.0f}" for step, ns in told.items())
        held, loads = rows.loc[HELD, ["held", "loads"]]
        lines.append(
            f"{name}: {rows.loc[SWEEP, 'median']:.0f} ns a token: {parts}. Of the {held:.0f} labels held every one "
            f"lies on a cache line of its own: so many independent loads take {loads:.0f} ns."
        )
    return "\n".join(lines)


def room_text(steps, prediction, aims):
    """Say of every sparse sampler what its aim over the textbook's loop leaves for a token, and which steps fit in.

    steps as for ``steps_text``; prediction is ``read("prediction")``, aims ``aims()``. The two runs can differ in
    how busy the machine was.
    """
    textbook = prediction[prediction["name"] == "textbook loop"].set_index("model")["median"]
    lines = []
    for row in aims[aims["quantity"].str.endswith(": speed over the textbook loop")].itertuples():
        model = row.quantity.partition(":")[0]
        rows = steps[steps["name"] == f"{model}, sparse"].set_index("step")["median"]
        if rows.empty or model not in textbook.index:
            continue
        room = textbook[model] / row.aim
        must = rows.drop(index=[SWEEP, OTHERS]).sum()
        lines.append(
            f"{model}: the textbook takes {textbook[model]:.0f} ns a token, so that {row.aim:g} times its speed "
            f"leaves {room:.0f}; the steps without the rest take {must:.0f}."
        )
    return "\n".join(lines)


def single_text(prediction, aims):
    """Say what the aim over tomotopy leaves for a token of a chain that runs alone, and what takes its time.

    prediction is ``read("prediction")``, aims ``aims()``. A chain alone makes for itself what sixteen of them share:
    the lists of a document's words and the profiles of the labels that it meets.
    """
    median = prediction.set_index(["model", "name"])["median"]["Flat-LDA"]
    if "tomotopy" not in median.index:
        return "tomotopy was not at hand."
    (aim,) = aims.loc[aims["quantity"] == "100 sweeps: speed over tomotopy", "aim"]
    tokens = np.prod([int(prediction.attrs[name]) for name in ("peer_documents", "length", "peer_sweeps")])
    peer, ours = (median[name] / tokens * 1e9 for name in ("tomotopy", "ours"))
    return (
        f"Flat-LDA, one chain alone: tomotopy takes {peer:,.0f} ns a token, so that {aim:g} times its speed leaves "
        f"{peer / aim:.0f}; ours takes {ours:.0f}, and {median['sparse, exact']:.0f} where sixteen chains share what "
        "they make for a document."
    )


def topics_text(unsupervised, aims):
    """Say of ``read("unsupervised_lda")`` what the aims leave for a token, and what each sampler takes."""
    lines = []
    words = unsupervised[unsupervised["items"] == "words"]
    for n_topics, rows in words.groupby("topics"):
        ns = rows.set_index("name")["median"]
        aim = aims.loc[aims["quantity"] == f"speed over tomotopy at K = {n_topics}", "aim"]
        if "tomotopy" not in ns.index or aim.empty:
            continue
        own = ns.drop(["tomotopy", "ours", "textbook loop", "MALLET"], errors="ignore")
        taken = (own - ns["ours"]).abs().idxmin()
        told = ", ".join(f"{name} {value:.0f}" for name, value in own.items())
        lines.append(
            f"{n_topics} topics: tomotopy takes {ns['tomotopy']:.0f} ns a token, so that {aim.iloc[0]:g} times its "
            f"speed leaves {ns['tomotopy'] / aim.iloc[0]:.0f}; {told}. The library takes {taken}."
        )
    return "\n".join(lines)


def latency_text(machine):
    """Say of the machine's part of ``read("roofline")`` how long a load waits that needs the one before it."""
    loads = machine[machine["name"] == CHASE].sort_values("footprint").rename(columns={"median": "ns"})
    told = ", ".join(f"{row.ns:.3g} ns in {_size(row.footprint)}" for row in loads.itertuples())
    return f"A load that needs the one before it takes {told}."


def _size(footprint):
    kib = footprint / 1024
    return f"{kib:.0f} KiB" if kib < 1024 else f"{kib / 1024:.0f} MiB"


def threads_text(threads):
    """Say of ``read("threads")`` what jobs gain that share nothing, and which part of that the samplers do."""
    speeds = threads.drop_duplicates("work").set_index("work")["speed_of_most_threads"]
    if ALONE not in speeds.index:
        return "What threads gain that share nothing was not measured."
    told = ", ".join(f"{work} {speeds[work] / speeds[ALONE]:.0%}" for work in speeds.index.drop(ALONE))
    return (
        f"{ALONE.capitalize()} run {speeds[ALONE]:.2f} times as fast on {threads['threads'].max()} threads as on "
        f"one; of that, {told}."
    )


def _shares(row):
    if row.isna().any():
        row = row.dropna().rename({REST: f"memory, {REST}"})
    return ", ".join(f"{share:.0%} {part}" for part, share in row.sort_values(ascending=False).items())


def _step(run, name):
    (row,) = (row for _, row in run[run["step"] == name].iterrows())
    return row


# What stands in the way of an aim


def missed_text(aims, samplers):
    """Say of every missed aim how far it is, and what it would be if the sampler never waited for memory.

    aims is ``aims()`` and samplers the samplers' part of ``read("roofline")``; the second half is said of samplers
    that stand there.
    """
    missed = aims[aims["met"].eq(False)]
    if missed.empty:
        return "No measured aim is missed."
    return "\n".join(_missed(row, samplers.set_index("name")) for row in missed.itertuples())


def _missed(row, samplers):
    text = f"{row.question}, {row.quantity}: {row.value:.3g} instead of {row.sense} {row.aim:g}."
    name = _SAMPLER.get(row.question, "").format(row.quantity.partition(":")[0])
    if name not in samplers.index:
        return text
    if pd.isna(samplers.loc[name, MEMORY]):
        return f"{text} A token takes {samplers.loc[name, 'median']:.0f} ns, memory not told apart."
    share = samplers.loc[name, MEMORY] / samplers.loc[name, "median"]
    best = row.value / (1 - share)
    return (
        f"{text} Memory is {share:.0%} of its time: without any wait it would be {best:.3g}, "
        f"{'enough' if best >= row.aim else 'still too little'}."
    )


_SAMPLER = {"prediction": "{}, sparse", "labelled_training": "training"}
