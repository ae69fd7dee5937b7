"""Results of the protocol brought together: means and their errors, M*, and the paper's tables beside ours."""

import numpy as np
import pandas as pd

from polytopic.metrics import MEASURES
from polytopic.study import compare, printed
from polytopic.study.tai2012.experiments import LABEL_RANKING, PAPER
from polytopic.study.tai2012.protocol import EMPTY, MAIN_MODELS, MODELS, PAPER_SETS, STARS
from polytopic.validation import check_name

WHERE = ["corpus", "regressor", "model", "n_dimensions"]
DRAW = ["corpus", "n_dimensions", "has_ones_row", "draw"]
OVER = ["partition"]
PAIRS = (("PLST", "PBR"), ("PLST", "CS"))
REFERENCES = (("PLST", "PLST-Origin"), ("PBR-Mean", "PBR"), ("CS-BestVertex", "CS"))
N_LABELS = {name: how.dimensions[-1] for name, how in PAPER_SETS.items()}
IMPROVED = tuple((one, other) for one in ("PLST", "PLST-Origin") for other in ("PBR-Mean", "CS-BestVertex"))


def averages(frame, by, measure="hamming_loss"):
    """Return ``compare.means`` over partitions with the columns ``by``, mean, standard_error, partitions."""
    table = compare.means(frame, by, OVER, measure)[[*by, "mean", "se", "n"]]
    return table.rename(columns={"se": "standard_error", "n": "partitions"})


def means(results, measure="hamming_loss"):
    """Return ``averages`` of one measure by WHERE; rows with it alone."""
    check_name("measure", measure, MEASURES)
    return averages(results, WHERE, measure)


def drawn(results, measures=("hamming_loss",), models=MAIN_MODELS, name=None):
    """Return {measure: means} of the models that a figure shows, or all measures in one table of that ``name``."""
    kept = results[results["model"].isin([*models, EMPTY, LABEL_RANKING])]
    found = {one: means(kept, one) for one in measures}
    together = [table.assign(measure=one) for one, table in found.items()]
    return {name: pd.concat(together, ignore_index=True)} if name else found


def curve_table(results, measure="hamming_loss"):
    """Return mean and standard error as text, a row per corpus and number of dimensions, a column per model."""
    table = means(results, measure).query("model != @EMPTY")
    text = table["mean"].map("{:.5f}".format) + table["standard_error"].map(" ± {:.5f}".format)
    wide = table.assign(text=text).pivot(index=["corpus", "n_dimensions"], columns="model", values="text")
    return wide.loc[results["corpus"].unique(), [model for model in MODELS if model in wide]].fillna("")


def below_full(results):
    """Return the rows with fewer dimensions than labels (than the most of another corpus): there codes coincide."""
    most = results.groupby("corpus")["n_dimensions"].transform("max")
    return results[results["n_dimensions"] < results["corpus"].map(N_LABELS).fillna(most)]


def gains(results, pairs=PAIRS, measure="hamming_loss"):
    """Return ``compare.paired`` of each pair of models at each number of dimensions of ``below_full``."""
    below, by = below_full(results), ["corpus", "n_dimensions"]
    found = [compare.paired(below, *pair, by, OVER, measure, measure=measure) for pair in pairs]
    return pd.concat(found, ignore_index=True)


def orders(results, pairs=PAIRS, measures=("hamming_loss",)):
    """Return at how many numbers of dimensions, ``of`` all below the labels, one model is better than another: a row
    per measure, corpus and pair. better and worse count means, ahead and behind 95 % intervals of the paired gain
    that lie on one side of 0; n counts partitions.
    """
    table = pd.concat([gains(results, pairs, one).assign(measure=one) for one in measures])
    signs = {"better": table["gain"] > 0, "worse": table["gain"] < 0}
    signs |= {"ahead": table["ahead"] == 1, "behind": table["ahead"] == -1}
    over = table.assign(**signs).groupby(["measure", "corpus", "first", "second"], sort=False)
    return over[[*signs]].sum().join(over.agg(of=("gain", "size"), n=("n", "max"))).reset_index()


def beside_empty(results, models=MAIN_MODELS):
    """Return each model's smallest mean Hamming loss against that of predicting no label at all, in percent, and at
    which number of dimensions: a row per corpus.
    """
    table = means(results)
    empty = table[table["model"] == EMPTY].set_index("corpus")["mean"]
    best = _best(table[table["model"].isin(models)])
    percent = 100 * (best["mean"] / best["corpus"].map(empty) - 1)
    text = percent.map("{:+.1f} %".format) + " at " + best["n_dimensions"].astype(str)
    wide = best.assign(text=text).pivot(index="corpus", columns="model", values="text")[list(models)]
    wide.insert(0, "no label at all", empty.map("{:.5f}".format))
    return wide.loc[results["corpus"].unique()].rename_axis(columns=None)


def _best(table):
    """Return the rows of ``means`` with the smallest mean of each corpus and model."""
    return table.sort_values("mean", kind="stable").drop_duplicates(["corpus", "model"])


def of_trees(trees):
    """Return how many features may divide the documents, and what the trees are like, a row per corpus."""
    named = {"features": ("n_features", "mean"), "dividing": ("n_dividing", "mean")}
    named |= {"mean leaves": ("n_leaves", "mean"), "of a single leaf": ("n_single", "sum")}
    return trees.groupby("corpus", sort=False).agg(**named, trees=("n_dimensions", "sum")).round(1)


def beside_label_ranking(results, ranking, measures=("misordered_pairs", "hamming_loss")):
    """Return ``compare.paired`` of label ranking over PLST with the n_dimensions of its smallest mean, the best in
    hindsight: a row per corpus and measure.
    """
    found, plst = [], results[results["model"] == "PLST"]
    for measure in measures:
        best = _best(means(plst, measure)).set_index("corpus")["n_dimensions"]
        both = pd.concat([ranking, plst[plst["n_dimensions"] == plst["corpus"].map(best)]])
        gain = compare.paired(both, LABEL_RANKING, "PLST", ["corpus"], OVER, measure, measure=measure)
        found.append(gain.assign(measure=measure, n_dimensions=gain["corpus"].map(best)))
    columns = ["corpus", "measure", "n_dimensions", "first", "second", "first_mean", "second_mean"]
    return pd.concat(found, ignore_index=True)[[*columns, "gain", "low", "high", "ahead"]]


def smallest_as_good(losses, chosen=slice(None)):
    """Return M* of one corpus: the fewest dimensions at which PLST's mean loss differs from BR's by at most the sum
    of their standard errors; NaN where none does, and for a single partition.

    losses has the columns of ``experiments.every_dimension``. chosen are places of partitions, (..., n): each row
    gives an M* of its own. Tai & Lin (2012), section 4.1, in the reading of their program.
    """
    plst = losses.pivot(index="n_dimensions", columns="partition", values="hamming_loss").to_numpy()
    full = losses.groupby("partition")["full_loss"].first().to_numpy()
    plst, full = plst[:, chosen], full[chosen]
    if full.shape[-1] < 2:
        return np.nan
    room = (plst.std(axis=-1, ddof=1) + full.std(axis=-1, ddof=1)) / np.sqrt(full.shape[-1])
    within = np.abs(plst.mean(axis=-1) - full.mean(axis=-1)) <= room
    return np.where(within.any(axis=0), within.argmax(axis=0) + 1.0, np.nan)[()]


def stability(losses):
    """Return how M* moves: a row per corpus with the paper's M*, ours, that of the first and the second half of the
    partitions, and the middle 90 % of 200 samples of them with replacement, all dimensions where none is as good.
    Duplicates make the samples' standard errors a little too small.
    """
    rows = {}
    for corpus, block in losses.groupby("corpus", sort=False):
        n, is_first = block["partition"].nunique(), block["partition"] < block["partition"].nunique() // 2
        ours = [smallest_as_good(part) for part in (block, block[is_first], block[~is_first])]
        moved = smallest_as_good(block, np.random.default_rng(0).integers(n, size=(200, n)))
        ends = np.quantile(np.nan_to_num(moved, nan=block["n_dimensions"].nunique()), [0.05, 0.95])
        rows[corpus] = (STARS.get(corpus, np.nan), *ours, *ends)
    counts = ["paper", "ours", "first half", "second half"]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=[*counts, "5 %", "95 %"])
    return table.astype(dict.fromkeys(counts, "Int64")).rename_axis("corpus")


def at_every_dimension(losses):
    """Return PLST's mean loss at every number of dimensions, BR's, their standard errors, and the empty loss."""
    table = averages(losses, ["corpus", "n_dimensions"]).drop(columns="partitions")
    once = losses.drop_duplicates(["corpus", "partition"]).groupby("corpus")
    full = once["full_loss"].agg(full_mean="mean", full_error="sem")
    return table.join(full.assign(empty_mean=once["empty_loss"].mean()), on="corpus")


def against_full(choices):
    """Return what each rule chooses and what that costs against BR, a row per corpus and rule: median, least and most
    number of dimensions over partitions, the test loss over BR's less 1, in percent, and whether it is ``ahead``
    (``compare.paired``).
    """
    by = ["corpus", "rule"]
    columns = {"chosen": "hamming_loss", "BR": "full_loss"}
    long = pd.concat([choices.assign(model=name, loss=choices[column]) for name, column in columns.items()])
    gain = compare.paired(long, *columns, by, OVER, "loss", measure="hamming_loss")
    chosen = choices.groupby(by, sort=False)["n_dimensions"].agg(median="median", least="min", most="max")
    table = gain.join(chosen, on=by)
    over = 100 * (table["first_mean"] / table["second_mean"] - 1)
    return table.assign(**{"% over BR": over})[[*by, *chosen.columns, "% over BR", "ahead"]].round(2)


def at_the_choice(held):
    """Return the held-out loss at what each rule of ``experiments.held_out`` chooses, at the smallest bound, and
    with all dimensions: columns rule, n_dimensions, bound, hamming_loss.
    """
    curve = held["curve"].set_index("n_dimensions")
    ends = {"rule": ["(smallest bound)", "(all)"], "n_dimensions": [curve["bound"].idxmin(), curve.index[-1]]}
    table = pd.concat([held["chosen"], pd.DataFrame(ends)], ignore_index=True)
    return table.join(curve[["bound", "hamming_loss"]], on="n_dimensions")


def table_2(statistics):
    """Return ``experiments.statistics`` beside table 2: columns corpus, statistic, ours, and those of
    ``printed.beside``; counts are exact, so that ours agree within half a unit of the last digit in print.
    """
    ours = statistics.rename(columns={"value": "mean"})[["corpus", "statistic", "mean"]].assign(se=0.0)
    table = printed.beside(ours, printed.reported(PAPER, "table 2"), ["corpus", "statistic"])
    return table.rename(columns={"mean": "ours"}).drop(columns=["se", "paper_se", "excess"])


def losses_in_print():
    """Return the Hamming losses of table 3: the columns of ``printed.reported``, and se."""
    rows = printed.reported(PAPER, "table 3").query("measure == 'hamming_loss'")
    error = rows[rows["statistic"] == "standard_error"].set_index(["corpus", "model"])["value"].rename("se")
    return rows[rows["statistic"] == "mean"].join(error, on=["corpus", "model"])


def star_in_print():
    """Return ``losses_in_print`` where figure 2 has them: BR at all labels, the others at the paper's M*."""
    rows = losses_in_print()
    full, star = (rows["corpus"].map(which) for which in (N_LABELS, STARS))
    return rows.assign(n_dimensions=full.where(rows["model"] == "BR", star))


def at_star(results, stars):
    """Return the rows of BR, with all labels, and of PLST and CS at the number of dimensions in {corpus: number}."""
    own = results[results["model"].isin(MAIN_MODELS)].replace({"model": {"PBR": "BR"}})
    full, star = (own["corpus"].map(which) for which in (N_LABELS, stars))
    return own[own["n_dimensions"] == full.where(own["model"] == "BR", star)]


def table_3(results):
    """Return Table 3 beside the paper: Hamming loss of BR at all labels, PLST and CS at the paper's M*, and of CS
    twice more, for partitions whose draw has the all-ones row and whose draw has not. Columns corpus, model, rows,
    n_dimensions, ours, se, n, and those of ``printed.beside``.
    """
    chosen = at_star(results, STARS)
    measured = chosen[chosen["model"] == "CS"]
    is_drawn = measured["has_ones_row"].eq(True)
    parts = {"all": chosen, "all-ones row drawn": measured[is_drawn], "not drawn": measured[~is_drawn]}
    by = ["corpus", "model", "rows", "n_dimensions"]
    found = [compare.means(part.assign(rows=name), by, OVER, "hamming_loss") for name, part in parts.items()]
    place = {name: number for number, name in enumerate((*PAPER_SETS, "BR", "PLST", "CS"))}
    ours = pd.concat(found, ignore_index=True)[[*by, "mean", "se", "n"]]
    ours = ours.sort_values(["corpus", "model"], key=lambda names: names.map(place), kind="stable")
    return printed.beside(ours, losses_in_print(), ["corpus", "model"]).rename(columns={"mean": "ours"})


def draws_beside_paper(draws):
    """Return what CS loses when one draw of its rows serves all partitions, beside the paper's Hamming loss, by
    corpus and whether the all-ones row is drawn: draws, n (partitions), least, middle and most (of the draws' means),
    se (the median of theirs), paper, paper_se, and how many draws agree with it by ``printed.RULE``.
    """
    ours, by = compare.means(draws, DRAW, OVER, "hamming_loss"), DRAW[:-1]
    each, shown = ours.groupby(by, sort=False), {"least": "min", "middle": "median", "most": "max"}
    spread = each.agg(draws=("draw", "size"), n=("n", "min")).join(each["mean"].agg(**shown))
    spread["se"] = each["se"].median()
    theirs = losses_in_print().query("model == 'CS'")
    judged = printed.beside(ours, theirs, ["corpus"]).groupby(by)
    found = judged[["paper", "paper_se"]].first().assign(agree=judged["agrees"].sum())
    return spread.join(found).reset_index()


def table_4(times):
    """Return Table 4 twice: seconds and savings against BR with regressors one by one and jointly, SVD counted.
    Columns corpus, model, n_dimensions, coding, one by one and jointly: regression, saving (BR's regression over the
    time with coding); and the paper's savings, of regression and in all.
    """
    wide = times.pivot_table("seconds", ["corpus", "model", "n_dimensions"], ["step", "way"], sort=False)
    coding, ways = wide["encode", "both"] + wide["decode", "both"], ("one by one", "jointly")
    parts = {"coding": coding} | {f"regression, {way}": wide["regression", way] for way in ways}
    counted = coding.where(coding.index.get_level_values("model") != "BR", 0.0)
    parts |= {f"saving, {way}": _saving(wide["regression", way] + counted) for way in ways}
    seconds = printed.reported(PAPER, "table 4").set_index(["corpus", "model", "measure"])["value"].unstack()
    alone, coding = seconds["regression_time"], seconds["coding_time"].fillna(0.0)
    theirs = {"paper's saving, regression": _saving(alone), "paper's saving, in all": _saving(alone + coding)}
    ours = pd.DataFrame(parts).reset_index()
    return ours.merge(pd.DataFrame(theirs).reset_index(), on=["corpus", "model"], how="left")


def _saving(seconds):
    """Return BR's seconds on each corpus over these, whose index has the levels corpus and model."""
    full = seconds.xs("BR", level="model").groupby(level="corpus").first()
    return full.reindex(seconds.index.get_level_values("corpus")).to_numpy() / seconds


def savings(table):
    """Return ``table_4``'s savings of PLST in long form: corpus, model, case, saving."""
    kept, cases = table[table["model"] == "PLST"], [name for name in table if "saving" in name]
    long = kept.melt(["corpus", "model"], cases, var_name="case", value_name="saving")
    return long.assign(case=long["case"].str.removeprefix("saving, ").str.replace("'s saving", ""))
