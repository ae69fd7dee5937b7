"""What Burkhardt & Kramer (2018) claim of their models, case by case on the stored results.

What their printed numbers say of their prose is judged apart: see ``study.audit.burkhardt2018``.
"""

import numpy as np
import pandas as pd

from polytopic.metrics import MEASURES
from polytopic.study import claims, compare, corpora, store
from polytopic.study.burkhardt2018 import online, standing, tables, training
from polytopic.study.burkhardt2018.protocol import (
    BR,
    CHAINED,
    DEPENDENCY,
    FASTXML,
    FREQUENCIES,
    LASSO,
    MEAN,
    PD_SPARSE,
    PROPORTIONAL,
    S1,
    S2,
    SHOWN,
)
from polytopic.study.claims import cases, enter, page, so, sure

__all__ = ["page", "so"]
PLACE = tables.PLACE
AREAS = ["micro_auc", "macro_auc"]
BINARY = ["micro_f1", "micro_precision", "micro_recall", "hamming_loss"]  # of table 5, but for Macro-F
CLOSE = 0.05  # "competitive" is read as no further behind than a twentieth of the other's value
SETTLED = 0.01  # a chain has converged where the gain still to come is less than a hundredth of the whole
RARE = 50  # training documents of a label; the paper's EUR-Lex and Ohsumed have 26 and 50 in all, Amazon 452
HOURS = 24  # of CPU time in "several days"


def of(frame, **wanted):
    """Return the rows whose columns have the wanted values; an empty frame, which has no columns, as it is."""
    for column, values in wanted.items() if len(frame) else ():
        frame = frame[frame[column].isin(np.atleast_1d(values))]
    return frame


# Tables 5 and 6


def on_chains(firsts, seconds, measures):
    """Return cases of one topic model over another, paired by single chain."""
    frame = tables.stored()
    if frame.empty:
        return claims.NO_CASES
    kept = of(tables.of_one_chain(frame), measure=measures)
    return claims.beats(kept, firsts, seconds, [*PLACE, "measure"], ["taken"])


def leading(firsts, seconds, measures):
    """Return, for each corpus and measure, whether the best of the first is better than all of the second.

    By the means over repetitions of what table 5 shows, as a paper reads its table; no test of significance.
    """
    wide = by_model(measures)
    if wide.empty:
        return claims.NO_CASES
    wide = wide.dropna(subset=[*firsts, *seconds])
    gap = wide[firsts].max(axis=1) - wide[seconds].max(axis=1)
    return cases(
        wide, f"{' or '.join(firsts)} over {' and '.join(seconds)}, " + wide["heading"], gap, gap > 0
    )


def by_model(measures):
    """Return what table 5 shows, means over repetitions: a row for each corpus and measure, a column for each model.

    A measure that is better when lower has its sign turned; what a model lacks is missing. Column heading is the
    measure's.
    """
    frame = tables.stored()
    if frame.empty:
        return frame
    rows = of(tables.of_all_chains(frame), measure=measures)
    means = compare.means(rows, [*PLACE, "measure", "model"], ["run"])
    means["mean"] *= means["measure"].map(lambda name: MEASURES[name].sign)
    wide = means.pivot(index=[*PLACE, "measure"], columns="model", values="mean")
    wide = wide.reindex(columns=[*CHAINED, BR, PD_SPARSE, FASTXML]).reset_index()
    return wide.assign(heading=wide["measure"].map(lambda name: MEASURES[name].heading))


def s2_competitive():
    frame = tables.stored()
    if frame.empty:
        return claims.NO_CASES
    kept = of(tables.of_one_chain(frame), measure=[*BINARY, "macro_f1"])
    table = compare.paired(kept, S2, DEPENDENCY, [*PLACE, "measure"], ["taken"])
    lost = -table["gain"] / table["second_mean"]
    heading = table["measure"].map(lambda name: MEASURES[name].heading)
    return cases(table, f"{S2} behind {DEPENDENCY}, share of its value, " + heading, lost, lost <= CLOSE)


def rare_labels():
    """Where a label has few training documents on average, Macro-F of the topic models against BR's."""
    found = leading([DEPENDENCY, S1, S2], [BR], ["macro_f1"])
    if found.empty:
        return found
    per_label = found["corpus"].map(_statistic("train_label_frequency"))
    found["case"] += ", " + per_label.round().astype("Int64").astype(str) + " documents a label"
    return found[per_label <= RARE]


def _statistic(name):
    """Return a statistic of each surveyed corpus, a series."""
    table = corpora.surveyed()
    return table[table["statistic"] == name].set_index("corpus")["value"]


def extreme_classifiers():
    """Each of BR and the topic models over each of the two, by the binary measures and the rank-one error."""
    wide = by_model([*BINARY, "macro_f1", "rank_one_error"])
    if wide.empty:
        return claims.NO_CASES
    found = []
    for model in (PD_SPARSE, FASTXML):
        for other in (BR, *CHAINED):
            some = wide.dropna(subset=[other, model])
            gap = some[other] - some[model]
            found.append(cases(some, f"{other} over {model}, " + some["heading"], gap, gap > 0))
    return found


def cut_offs():
    """The Lasso over each fixed number: the mean of training, and the median where that is another."""
    frame = tables.stored("cutoffs")
    if frame.empty:
        return claims.NO_CASES
    frame = frame[frame["model"] != FREQUENCIES]  # no classifier of the paper's
    wide = frame.pivot_table("value", [*PLACE, "model", "measure"], "cutoff").reset_index()
    other = wide[PROPORTIONAL].ne(wide[MEAN]).groupby(wide["corpus"]).transform("any")
    found = []
    for fixed, rows in ((MEAN, wide), (PROPORTIONAL, wide[other])):
        gap = rows[LASSO] - rows[fixed]
        heading = rows["measure"].map(lambda name: MEASURES[name].heading)
        found.append(cases(rows, f"{LASSO} over {fixed}, " + rows["model"] + ", " + heading, gap, gap > 0))
    return found


# Greedy training, and how long a chain takes


def last_sweep():
    frame = of(store.read(training.layers), measure="log_likelihood")
    return frame[frame["sweep"] == frame.groupby("corpus")["sweep"].transform("max")] if len(frame) else frame


def greedy():
    frame = last_sweep().rename(columns={"training": "model"})
    return claims.beats(frame, "greedy", "not greedy", [*PLACE, "measure"], ["run"])


def falls_after_a_rise():
    """Without greedy training: the highest point lies before the end and above it, and the end below greedy's."""
    frame = of(store.read(training.layers), measure="log_likelihood")
    if frame.empty:
        return claims.NO_CASES
    curves = frame.groupby([*PLACE, "training", "sweep"])["value"].mean().unstack("sweep")
    free, kept = (curves.xs(name, level="training") for name in ("not greedy", "greedy"))
    table = free.reset_index()[PLACE]
    drop = (free.max(axis=1) - free.iloc[:, -1]).to_numpy()
    below = (kept.iloc[:, -1] - free.iloc[:, -1]).to_numpy()
    return [
        cases(table, "fall from the highest point", drop, drop > 0),
        cases(table, "end below greedy's", below, below > 0),
    ]


def by_cardinality():
    """The sweeps until a greedy chain has converged, set in order of the labels that documents have."""
    frame = of(store.read(training.layers), measure="log_likelihood", training="greedy")
    if frame.empty:
        return claims.NO_CASES
    curves = frame.groupby([*PLACE, "sweep"])["value"].mean().unstack("sweep")
    start, end = curves.iloc[:, 0], curves.iloc[:, -1]
    reached = curves.ge(end - SETTLED * (end - start), axis=0).idxmax(axis=1).rename("sweeps").reset_index()
    reached["cardinality"] = reached["corpus"].map(_statistic("train_cardinality"))
    reached = reached.dropna().sort_values("cardinality", ignore_index=True)
    rows = []
    for low, high in zip(reached.index[:-1], reached.index[1:], strict=True):
        one, other = reached.loc[low], reached.loc[high]
        told = f"{other.corpus} ({other.cardinality:.1f} labels, {other.sweeps} sweeps) over {one.corpus} "
        told += f"({one.cardinality:.1f}, {one.sweeps})"
        holds = other.sweeps > one.sweeps or (pd.NA if other.sweeps == one.sweeps else False)
        rows.append({"corpus": other.corpus, "scale": other.scale, "case": told,
                     "value": other.sweeps - one.sweeps, "low": np.nan, "high": np.nan, "holds": holds})  # fmt: skip
    return pd.DataFrame(rows).astype({"holds": "boolean"})


# Online


def online_over_plain():
    """The mean over all batches of an order, paired by order, with the paper's steps."""
    frame = store.read(online.streams)
    if frame.empty:
        return claims.NO_CASES
    kept = of(frame, model=[online.ONLINE, online.PLAIN], measure=AREAS)
    within = ["seed", "seen"]
    return claims.beats(kept, online.ONLINE, online.PLAIN, [*PLACE, "measure"], ["order"], within=within)


def sooner():
    """CPU seconds until a model is within a hundredth of the lower of the two ends of micro AUC."""
    frame = of(store.read(online.convergence), measure="micro_auc", model=[online.BATCH, online.ONLINE])
    if frame.empty:
        return claims.NO_CASES
    rows = []
    for place, block in frame.groupby([*PLACE, "run"], sort=False):
        curves = {name: part.sort_values("cpu_seconds") for name, part in block.groupby("model")}
        aim = min(part["value"].iloc[-1] for part in curves.values()) - SETTLED
        took = {name: part.loc[part["value"] >= aim, "cpu_seconds"].min() for name, part in curves.items()}
        rows.append((*place, np.log(took[online.BATCH] / took[online.ONLINE])))
    table = pd.DataFrame(rows, columns=[*PLACE, "run", "value"])
    table = compare.means(table, PLACE, ["run"])
    told = "logarithm of the CPU seconds of the batch model over the online one's"
    return cases(table, told, table["mean"], sure(table["low"], table["high"]), table["low"], table["high"])


# Time


def seconds(measure, models):
    """Return the stored CPU seconds, a row for each corpus that has all of these models, a column for each."""
    frame = of(store.read(standing.standing), measure=measure)
    if frame.empty:
        return pd.DataFrame(columns=[*PLACE, *models])
    wide = frame.pivot_table("value", PLACE, "model").reindex(columns=models)
    return wide.dropna().reset_index()


def s1_faster():
    """Prediction by a sweep over the documents: the models were timed with unlike numbers of chains and sweeps."""
    names = ["Dependency-LDA", S1, S2]
    time = seconds("test_seconds", names)
    for name in names:
        model = standing.SYSTEMS[name](0)
        time[name] /= model.n_test_chains * (model.burn_in + (model.n_samples - 1) * model.lag)
    ratio, own = time["Dependency-LDA"] / time[S1], time[S2] / time["Dependency-LDA"]
    return [
        cases(time, "CPU seconds of a sweep at prediction, Dependency-LDA over S1", ratio, ratio > 1),
        cases(time, "the same, S2 over Dependency-LDA", own, own.between(1 / 2, 2)),
    ]


def days():
    models = [BR, S2, online.ONLINE]
    time = seconds("fit_seconds", models)
    hours = {name: time[name] / 3600 for name in models}
    found = [cases(time, f"{BR}: CPU hours of training", hours[BR], hours[BR] >= HOURS)]
    return found + [
        cases(time, f"{name}: CPU hours", hours[name], hours[name] <= HOURS) for name in models[1:]
    ]


CHECKS = {
    "greedy over not greedy": greedy,
    "a rise and a fall": falls_after_a_rise,
    "time of S1 and S2": s1_faster,
    "a predicted number": cut_offs,
    "S2 over S1": lambda: on_chains(S2, S1, SHOWN),
    "best AUCs": lambda: leading([S1, S2], [DEPENDENCY, BR], AREAS),
    "BR on binary measures": lambda: leading([BR], [PD_SPARSE, FASTXML, *CHAINED], BINARY),
    "rare labels": rare_labels,
    "extreme classifiers": extreme_classifiers,
    "S2 over Dep.-LLDA": lambda: on_chains(S2, DEPENDENCY, AREAS),
    "S2 competitive": s2_competitive,
    "dependencies online": online_over_plain,
    "online sooner": sooner,
    "minutes against days": days,
    "cardinality": by_cardinality,
}
enter("burkhardt2018", CHECKS)
