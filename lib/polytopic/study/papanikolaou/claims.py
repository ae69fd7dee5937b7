"""What Papanikolaou et al. (2017) claim, case by case on the stored results."""

import itertools
from functools import partial

import numpy as np
import pandas as pd
from scipy import stats

from polytopic.metrics import MEASURES
from polytopic.study import claims, compare, store
from polytopic.study.claims import agree, cases, enter, page, so, sure
from polytopic.study.papanikolaou import experiments, labels, tables

__all__ = ["page", "so"]
PAPER, PLACE = tables.PAPER, tables.PLACE
CGS, CGS_Z, CGS_P, CGS_PZ, CVB0 = FIVE = tables.FIVE_MODELS
METHODS = [CGS, CGS_Z, CGS_P, CGS_PZ]
LEVEL = 0.1  # "roughly as well" is read as within a tenth


def beats(frame, firsts, seconds, by=(), measure="log_likelihood", **how):
    """Return the cases of every first model over every second one, paired by run."""
    return claims.beats(frame, firsts, seconds, [*PLACE, *by], ["run"], measure=measure, **how)


def least(found, pattern=r" over \S+"):
    """Return one case for those that differ only in what matches a pattern: it holds where all of them hold.

    Its value and bounds are the lowest ones. Without the second model, cases of pairs become cases of being the best.
    """
    setting = found["case"].str.replace(pattern, "", regex=True)
    table = found.groupby([*PLACE, setting], sort=False)[["value", "low", "high"]].min().reset_index()
    return cases(
        table, table["case"], table["value"], sure(table["low"], table["high"]), table["low"], table["high"]
    )


# Perplexity


def perplexities(firsts, seconds, **chosen):
    frame = store.read(experiments.perplexity, **chosen)
    return beats(frame, firsts, seconds, ["topics"], "perplexity", value="perplexity")


def cvb0_on_reuters():
    found = perplexities(METHODS, [CVB0], corpora=["reuters21578"])
    topics = found["case"].str.split().str[-1].rename("topics")
    sides = found.assign(ahead=found["holds"], behind=~found["holds"]).groupby([*PLACE, topics], sort=False)
    table = sides[["ahead", "behind"]].sum().reset_index()
    holds = (table["ahead"] > 2).astype("boolean").where((table["ahead"] > 2) | (table["behind"] >= 2))
    return cases(table, "CGS methods ahead, " + table["topics"], table["ahead"], holds)


def lowest():
    """Yield the perplexities of each of the paper's models at its scale, and the topics where they are lowest."""
    frame = store.read(experiments.perplexity, scale="paper")
    for _, rows in frame[frame["model"].isin(FIVE)].groupby(["corpus", "model"], sort=False):
        yield rows, rows.groupby("topics")["perplexity"].mean().idxmin()


def over_fitting():
    for rows, at in lowest():
        last, frame = rows["topics"].max(), rows.astype({"topics": str})
        if at < last:
            yield beats(frame, str(at), str(last), ["model"], "perplexity", of="topics", value="perplexity")
        else:
            yield cases(frame[:1], frame["model"], 0.0, False)


def smoothest_rise():
    found = []
    for rows, at in lowest():
        wide = rows.pivot(index=[*PLACE, "model", "run"], columns="topics", values="perplexity")
        found.append((wide[rows["topics"].max()] / wide[at] - 1).rename("value").reset_index())
    return least(beats(pd.concat(found, ignore_index=True), CGS_P, FIVE, measure="perplexity"))


# Log-likelihood


def last_sweep():
    frame = store.read(experiments.convergence)
    return frame[frame["sweep"] == frame["sweep"].max()]


def growing(first, second):
    """Return cases of a lead after the last sweep that is larger with the most topics than with the fewest."""
    last = last_sweep()
    wide = last.pivot(index=[*PLACE, "topics", "run"], columns="model", values="value")
    lead = (wide[first] - wide[second]).rename("value").reset_index().astype({"topics": str})
    return beats(lead, str(last["topics"].max()), str(last["topics"].min()), of="topics")


def steadily_above():
    return least(beats(store.read(experiments.convergence), CGS_P, CGS, ["topics", "sweep"]), r" \d+$")


def two_columns(frame, by, first, second):
    """Return two columns as models of one frame, to be compared in pairs."""
    return frame.melt([*PLACE, *by, "run"], [first, second], "model", "value")


def switches(first, second, which=None):
    """Return cases of one of ``tables.switched``'s columns above another, of those switches that are late or not."""
    rows = tables.switched(store.read(experiments.blending))
    rows = rows if which is None else rows[rows["late"] == which]
    return beats(two_columns(rows, ["switch"], first, second), first, second, ["switch"])


# Topics of unseen documents


def beside_final_model(measure, benchmark):
    """Return the cases of CGS_p being nearer to model F than the other readings are."""
    frame = store.read(experiments.gibbs1).query("measure == @measure and benchmark == @benchmark")
    return beats(frame, CGS_P, METHODS, ["topics"], measure)


def nearest_to_final_model(measure, benchmark):
    return least(beside_final_model(measure, benchmark))


# Labels


def differences(terms, case):
    """Return cases of a sum of F1 that should be positive: ``terms`` maps (model, chains) to a sign.

    An empty label counts 1, as with the authors. The interval is over the chains taken alone; what several chains
    give together is taken to vary no more than what one chain gives.
    """
    frame = store.read(labels.labels)
    n = frame["chains"].max()
    cells = frame[frame["empty"] == "one"].set_index([*PLACE, "measure", "model", "chains"])
    value, spread = (cells[name].unstack(["model", "chains"], sort=False) for name in ("value", "sd"))
    gain = sum(sign * value[place] for place, sign in terms.items())
    error = np.sqrt(sum(spread[model, 1] ** 2 / (n if chains == 1 else 1) for model, chains in terms))
    half = stats.t.ppf((1 + compare.CONFIDENCE) / 2, n - 1) * error
    table = pd.DataFrame({"gain": gain, "low": gain - half, "high": gain + half}).reset_index()
    told = f"{case}, " + table["measure"].map(lambda measure: MEASURES[measure].heading)
    return cases(table, told, table["gain"], sure(table["low"], table["high"]), table["low"], table["high"])


def over(firsts, seconds, chains=(1, 5), heading=""):
    """Return cases of models with a higher F1 than others, for each corpus and number of chains.

    They are of each measure, or of that with the heading alone.
    """
    places = itertools.product(firsts, seconds, chains)
    found = [differences({(a, n): 1, (b, n): -1}, f"{a} over {b} by {n} MC") for a, b, n in places]
    found = pd.concat(found, ignore_index=True)
    return found[found["case"].str.endswith(heading)]


def best_of_five(heading):
    """Return cases of CGS_p ahead of all others with one chain, but on sets like EUR-Lex, which the paper excepts."""
    found = least(over([CGS_P], [CGS, CGS_Z, CGS_PZ, CVB0], [1], heading))
    return found[~found["corpus"].str.startswith("eurlex")]


def not_ahead(chains):
    """Return cases of CGS_z that brings no significant improvement over CGS."""
    found = over([CGS_Z], [CGS], [chains])
    return found.assign(holds=found["low"] <= 0)


def all_over_cvb0():
    found = over(METHODS, [CVB0], [5])
    exception = f"{CGS_PZ} over {CVB0} by 5 MC, Micro-F1"
    return found[(found["corpus"] != "delicious") | (found["case"] != exception)]


def level_on_delicious():
    frame = store.read(labels.labels, ["delicious"]).query("chains == 5 and empty == 'one'")
    value = frame.pivot(index=[*PLACE, "measure"], columns="model", values="value")
    table = value[METHODS].rdiv(value[CVB0], axis=0).stack().rename("ratio").reset_index()
    case = "CVB0 beside " + table["model"] + ", " + table["measure"]
    return cases(table, case, table["ratio"], (table["ratio"] - 1).abs() <= LEVEL, 1 - LEVEL, 1 + LEVEL)


def average_ranks():
    ranks = tables.ranks_beside_paper(store.read(labels.labels))["ours"]
    for measure, best in (("micro_f1", [CGS_P]), ("macro_f1", [CGS_P, CGS_PZ])):
        mean = ranks[measure, 5]
        case = f"average rank of {' and '.join(best)}, {MEASURES[measure].heading}"
        worst = mean[best].max()
        yield cases(pd.DataFrame({"corpus": ["all stored"]}), case, worst, worst < mean.drop(best).min())


def richer_representation():
    """The smaller variance alone, which CGS_rb has, against the rest of the lead, with the paper's samples."""
    found = []
    for which, samples in ((experiments.lead_completion, 1), (labels.lead_labels, 20)):
        frame = store.read(which)
        frame = frame[frame["samples"] == samples]
        frame["value"] *= [MEASURES[measure].sign for measure in frame["measure"]]
        wide = frame.pivot(index=[*PLACE, "measure", "run"], columns="estimator", values="value")
        steps = {"variance": wide["cgs_rb"] - wide["cgs"], "the rest": wide["cgs_p"] - wide["cgs_rb"]}
        found.append(two_columns(wide.assign(**steps).reset_index(), ["measure"], *steps))
    frame = pd.concat(found, ignore_index=True).rename(columns={"measure": "part of"})
    return beats(frame, "variance", "the rest", ["part of"], "micro_f1")


def steady():
    topics = [beside_final_model(name, experiments.ADDED) for name in ("js_divergence", "macro_f1")]
    found = pd.concat([perplexities(CGS_P, CGS), *topics, over([CGS_P], [CGS])], ignore_index=True)
    return found[found["case"].str.startswith(f"{CGS_P} over {CGS} ")]


CHECKS = {
    "CGS_p over CGS": steady,
    "CGS_p over CVB0": lambda: [perplexities(CGS_P, CVB0), over([CGS_P], [CVB0])],
    "all of the mass": richer_representation,
    "perplexity, CGS_p over CGS": lambda: perplexities(CGS_P, CGS),
    "perplexity, CGS_p over CVB0 on Reuters": lambda: perplexities(CGS_P, CVB0, corpora=["reuters21578"]),
    "perplexity, CGS_p over both z": lambda: perplexities(CGS_P, [CGS_Z, CGS_PZ]),
    "perplexity, CGS over both z": lambda: perplexities(CGS, [CGS_Z, CGS_PZ]),
    "perplexity, CVB0 on Reuters": cvb0_on_reuters,
    "over-fitting": over_fitting,
    "the smoothest rise": smoothest_rise,
    "CVB0 with few topics": lambda: beats(
        last_sweep().query("topics <= 100"), CVB0, [CGS, CGS_P], ["topics"]
    ),
    "CGS catches up": lambda: growing(CGS, CVB0),
    "the lead grows": lambda: growing(CGS_P, CGS),
    "CGS_p at every sweep": steadily_above,
    "the first sweep of CVB0": lambda: switches("first", "next"),
    "a late switch": lambda: switches("last", CVB0, True),
    "an early switch": lambda: switches(CVB0, "last", False),
    **{
        f"figure {number} {reading}": partial(nearest_to_final_model, measure, benchmark)
        for number, measure in ((5, "js_divergence"), (6, "macro_f1"))
        for reading, benchmark in (("by Eq. 3", experiments.ADDED), ("without prior", experiments.DROPPED))
    },
    "statistics of Reuters": lambda: agree(
        tables.statistics_beside_paper(store.read(experiments.word_statistics)), "statistic"
    ),
    "best of five by Micro-F1": lambda: best_of_five("Micro-F1"),
    "CGS_z with one chain": lambda: not_ahead(1),
    "CGS_z with five chains": lambda: not_ahead(5),
    "gain by several chains": lambda: differences(
        {(CGS, 5): 1, (CGS, 1): -1, (CVB0, 5): -1, (CVB0, 1): 1}, "gain by five chains, CGS over CVB0"
    ),
    "CGS methods over CVB0": all_over_cvb0,
    "CVB0 level on Delicious": level_on_delicious,
    "average ranks": average_ranks,
    "best of five by Macro-F1": lambda: best_of_five("Macro-F1"),
    "CGS_p|z over CGS": lambda: over([CGS_PZ], [CGS], [5], "Macro-F1"),
}
enter("papanikolaou", CHECKS)
