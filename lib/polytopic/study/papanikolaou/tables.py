"""Tables about estimators of theta: means over runs, who is ahead where, ranks, the paper's numbers beside ours."""

import numpy as np
import pandas as pd

from polytopic.metrics import MEASURES
from polytopic.study import compare, printed

PAPER = "papanikolaou"
FIVE_MODELS = ("CGS", "CGS_z", "CGS_p", "CGS_p|z", "CVB0")
PLACE = ["corpus", "scale"]
BESIDE = ["mean", "paper", "difference", "allowed", "agrees"]
ALL_PAIRS = [(model, "CGS") for model in ("CGS_p", "CGS_z", "CGS_p|z", "CGS_rb")]
ALL_PAIRS += [("CGS_rb", "CGS_p"), ("CGS_p", "CVB0"), ("CGS then CVB0", "CGS_p"), ("CGS then CVB0", "CVB0")]
SAMPLED_PAIRS = [(a, b) for a in ("CGS_p", "CGS_rb") for b in ("CGS", "CGS_z", "CGS_p|z")] + ALL_PAIRS[1:3]


def made(table):
    """Return the code and settings that made the results of ``store.read``: a column for each corpus, as text."""
    rows = (one | {"code": one["code"] or "not recorded"} | one["settings"] for one in table.attrs["made"])
    frame = pd.DataFrame([{name: str(value) for name, value in row.items()} for row in rows])
    frame = frame.drop(columns=["unit", "settings", "notes", "made"], errors="ignore")
    return frame.drop_duplicates().fillna("").set_index("corpus").T


def sweeps(which, scale):
    """Return how many sweeps the models of ``experiments.gibbs1`` have at a scale, in words."""
    settings = which.scales[scale]
    return f"model I: {settings['n_sweeps']:,} sweeps, F and predictions: {settings['later']:,} more"


def drawn(table):
    """Return a table as figures keep its numbers: without the seed, numbers of topics before runs."""
    front = [name for name in (*PLACE, "topics", "run") if name in table]
    return table[[*front, *(name for name in table if name not in (*front, "seed"))]]


def standing(table, pairs, measure):
    """Return in how many settings the first model of each pair is ahead of the second, level and behind, as text.

    A row for each pair, a column for each corpus: "ahead/level/behind", then the mean gain, positive where the first
    is better. A setting is a number of topics; ahead is where the 95 % interval of the gain over runs lies above 0.
    """
    cells, by, value = {}, [*PLACE, "topics"], measure if measure in table else "value"
    for first, second in pairs:
        gains = compare.paired(table, first, second, by, ["run"], value, measure=measure)
        for corpus, rows in gains.groupby("corpus", sort=False):
            counts = "/".join(str((rows["ahead"] == side).sum()) for side in (1, 0, -1))
            cells[f"{first} over {second}", corpus] = f"{counts}, {rows['gain'].mean():+.4g}"
    return pd.Series(cells).unstack(sort=False)


def over_cgs(table, measure):
    """Return ``compare.paired`` of every other model over CGS, positive where the other is better.

    By corpus, scale, reading of the benchmark (where the table has one) and number of topics.
    """
    by = [name for name in (*PLACE, "benchmark", "topics") if name in table]
    others = [name for name in dict.fromkeys(table["model"]) if name != "CGS"]
    value = measure if measure in table else "value"
    found = [compare.paired(table, name, "CGS", by, ["run"], value, measure=measure) for name in others]
    return pd.concat(found, ignore_index=True).rename(columns={"first": "model"})


def minima(table, models=FIVE_MODELS):
    """Return at how many topics each model's mean perplexity is lowest, and how far it rises up to the most topics:
    a row for each corpus and model; columns topics, lowest, most (topics), rise (a share of the lowest).
    """
    kept = table[table["model"].isin(models)]
    found = compare.means(kept, [*PLACE, "model", "topics"], ["run"], "perplexity")
    rows = found.set_index("topics").groupby(["corpus", "model"], sort=False)["mean"]
    rise = rows.apply(lambda part: part[part.index.max()] / part.min() - 1)
    return rows.agg(topics="idxmin", lowest="min", most=lambda part: part.index.max()).assign(rise=rise)


def ends(curves):
    """Return each curve's value after the last sweep, a mean over runs, and the share of sweeps, over all runs, in
    which CVB0 is above CGS: a row for each corpus and number of topics.
    """
    by = [*PLACE, "topics"]
    last = compare.means(curves[curves["sweep"] == curves["sweep"].max()], [*by, "model"], ["run"])
    wide = last.set_index([*by, "model"])["mean"].unstack("model", sort=False)
    values = curves.pivot(index=[*by, "run", "sweep"], columns="model", values="value")
    return wide.assign(**{"CVB0 above CGS": (values["CVB0"] > values["CGS"]).groupby(level=by).mean()})


def switched(curves):
    """Return where each switch of ``blending`` starts and ends, by corpus, scale, switch and run: CGS and CGS_p at
    the switch, ``next`` sweep of CGS; of the blend its ``first`` sweep and its ``last``; CVB0, alone, after the last;
    ``late``: whether CGS stood above that at the switch.
    """
    values = curves.pivot(index=[*PLACE, "run", "sweep"], columns="model", values="value")
    last, parts = values.groupby(level=[*PLACE, "run"]).last(), []
    for name in values.columns[values.columns.str.startswith("CVB0 after ")]:
        switch = int(name.split()[-1])
        at, after = (values.xs(sweep, level="sweep") for sweep in (switch, switch + 1))
        own = {"next": after["CGS"], "first": after[name], "last": last[name], "CVB0": last["CVB0"]}
        parts.append(at[["CGS", "CGS_p"]].assign(**own, switch=switch, late=at["CGS"] > own["CVB0"]))
    return pd.concat(parts).reset_index().sort_values([*PLACE, "switch", "run"], ignore_index=True)


def switches(curves):
    """Return ``switched`` in differences, means over runs, by corpus and switch: late (share of runs), the first
    sweep after the switch beside CGS and CGS_p at the switch, the last beside CVB0 alone, and the deviation of this.
    """
    rows, by = switched(curves), ["corpus", "switch"]
    sides = (("first", "CGS"), ("first", "CGS_p"), ("last", "CVB0"))
    found = {f"{one}_over_{other.lower()}": rows[one] - rows[other] for one, other in sides}
    each = rows[[*by, "late"]].assign(**found).groupby(by, sort=False)
    return each.mean().assign(sd=each["last_over_cvb0"].std())


def aligned(side_by_side):
    """Return figure 1: a row for each place, of each topic the words of I and F and their probabilities."""
    columns = ["word_i", "p_i", "word_f", "p_f"]
    wide = side_by_side.set_index(["topic", "place"])[columns].round(4).unstack("topic", sort=False)
    topics = side_by_side["topic"].unique()
    return wide.swaplevel(axis=1)[[(topic, name) for topic in topics for name in columns]]


def shared_words(side_by_side):
    """Return how many of a topic's top words models I and F share: columns topic, shared, of."""
    each = side_by_side.groupby("topic", sort=False)[["word_i", "word_f"]]
    shared = each.apply(lambda rows: rows["word_i"].isin(rows["word_f"]).sum())
    return pd.DataFrame({"shared": shared, "of": each.size()}).reset_index()


def statistics_beside_paper(table):
    """Return ``words.word_statistics`` beside table 3: ours, exact, must round to the digits in print."""
    ours = table.rename(columns={"value": "mean"}).assign(se=0.0)
    found = printed.beside(ours, printed.reported(PAPER, "table 3"), ["corpus", "statistic"])
    return found[["corpus", "scale", "statistic", *BESIDE]]


def labels_beside_paper(table):
    """Return ``printed.beside`` of ``labels``' rows and tables 5 and 6. A printed value of one chain is taken to vary
    from chain to chain as ours do; one of five chains, like ours, is a single run, and is not judged.
    """
    on, n_chains = ["corpus", "model", "chains", "measure"], table["chains"].max()
    rows = table.rename(columns={"value": "mean", "sd": "se"}).astype({"chains": str})
    theirs = printed.spelled_as(rows["corpus"], printed.reported(PAPER))[[*on, "value", "decimals"]]
    theirs = theirs.merge(rows[[*on, "se"]].drop_duplicates(on), on=on)
    return printed.beside(rows.assign(se=rows["se"] / np.sqrt(n_chains)), theirs, on)[[*on, "empty", *BESIDE]]


def ranks_beside_paper(table, empty="one"):
    """Return each model's rank, averaged over corpora, ours beside the paper's: columns side, measure, chains. 1 is
    best; equal values share their mean rank. ``empty`` is the convention of an empty label's F1.
    """
    rows = table[table["model"].isin(FIVE_MODELS) & (table["empty"] == empty)]
    ranks = rows.groupby(["corpus", "chains", "measure"])["value"].rank(ascending=False)
    ours = ranks.groupby([rows["model"], rows["measure"], rows["chains"]], sort=False).mean()
    theirs = pd.concat([printed.reported(PAPER, item) for item in ("table 5", "table 6")])
    theirs = theirs.dropna(subset="ranked_by").astype({"chains": int})
    theirs = theirs.set_index(["model", "ranked_by", "chains"])["value"].rename_axis(ours.index.names)
    ours = ours.unstack([1, 2]).reindex(list(FIVE_MODELS))
    return pd.concat({"ours": ours, "paper": theirs.unstack([1, 2])[ours.columns]}, axis=1)


def label_table(table, empty):
    """Return F1 by model: a column for each corpus, measure and number of chains, for one convention."""
    rows = table[table["empty"] == empty]
    cells = rows.set_index(["model", "corpus", "measure", "chains"])["value"]
    return cells.unstack(["corpus", "measure", "chains"]).reindex(list(dict.fromkeys(rows["model"])))


def parts_of_the_lead(table):
    """Return CGS_p's gain over CGS, positive where CGS_p is better, taken apart along a path from one to the other.

    By corpus, measure and samples, means over runs: ``variance`` from topics to conditionals with the own count left
    out (the prior added), ``own count`` on to the count kept, ``prior`` on to the prior dropped, ``whole`` their sum.
    """
    by = ["corpus", "measure", "samples", "estimator"]
    cells = compare.means(table, ["scale", *by], ["run"]).set_index(by)["mean"].unstack("estimator")
    path = cells[["cgs", "cgs_rb", "cgs_p_prior", "cgs_p"]]
    path = path.mul(cells.index.get_level_values("measure").map(lambda name: MEASURES[name].sign), axis=0)
    steps = path.diff(axis=1).iloc[:, 1:].set_axis(["variance", "own count", "prior"], axis=1)
    return steps.assign(whole=path["cgs_p"] - path["cgs"])
