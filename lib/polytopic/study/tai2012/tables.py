"""Results of the protocol brought together: means and their errors, M*, and the paper's tables beside ours."""

import numpy as np
import pandas as pd

from polytopic.metrics import MEASURES
from polytopic.study import compare, printed
from polytopic.study.tai2012.experiments import LABEL_RANKING, PAPER
from polytopic.study.tai2012.protocol import EMPTY, MAIN_MODELS, MODELS, PAPER_SETS, STARS
from polytopic.validation import check_name

WHERE = ["corpus", "regressor", "model", "n_dimensions"]
OVER = ["partition"]
PAIRS = (("PLST", "PBR"), ("PLST", "CS"))
REFERENCES = (("PLST", "PLST-Origin"), ("PBR-Mean", "PBR"), ("CS-BestVertex", "CS"))
IMPROVED = tuple((one, other) for one in ("PLST", "PLST-Origin") for other in ("PBR-Mean", "CS-BestVertex"))


# Curves


def averages(frame, by, measure="hamming_loss"):
    """Return ``compare.means`` over partitions with the columns ``by``, mean, standard_error, partitions."""
    table = compare.means(frame, by, OVER, measure).rename(
        columns={"se": "standard_error", "n": "partitions"}
    )
    return table[[*by, "mean", "standard_error", "partitions"]]


def means(results, measure="hamming_loss"):
    """Return mean and standard error over partitions of one measure: columns corpus, regressor, model, n_dimensions,
    share (of the labels), mean, standard_error, partitions. Rows without the measure are left out.
    """
    check_name("measure", measure, MEASURES)
    table = averages(results, WHERE, measure)
    table.insert(4, "share", table["n_dimensions"] / table.groupby("corpus")["n_dimensions"].transform("max"))
    return table


def drawn(results, measures=("hamming_loss",), models=MAIN_MODELS, name=None):
    """Return {measure: means} of the models that a figure shows, the empty prediction among them.

    With a ``name`` all measures stand in one table of that name.
    """
    kept = results[results["model"].isin([*models, EMPTY, LABEL_RANKING])]
    found = {measure: means(kept, measure) for measure in measures}
    if name is None:
        return found
    return {name: pd.concat([table.assign(measure=m) for m, table in found.items()], ignore_index=True)}


def curve_table(results, measure="hamming_loss"):
    """Return mean and standard error as text, a row per corpus and number of dimensions, a column per model."""
    table = means(results, measure)
    table = table[table["model"] != EMPTY]
    text = table["mean"].map("{:.5f}".format) + table["standard_error"].map(" ± {:.5f}".format)
    index = ["corpus", "n_dimensions"]
    wide = table.assign(text=text).pivot_table("text", index, "model", aggfunc="first", sort=False)
    wide = wide[[model for model in MODELS if model in wide]].fillna("")
    wide = wide.sort_index(level="n_dimensions", sort_remaining=False)
    return wide.loc[list(dict.fromkeys(results["corpus"]))]


def n_labels(corpus):
    """Return the number of labels of one of the paper's sets, NaN of another corpus."""
    return PAPER_SETS[corpus].dimensions[-1] if corpus in PAPER_SETS else np.nan


def below_full(results):
    """Return the rows with fewer dimensions than labels: where all labels are measured together, codes coincide.

    Of a corpus that is not one of the paper's sets the largest number of dimensions is left out.
    """
    full = results["corpus"].map(n_labels)
    full = full.fillna(results.groupby("corpus")["n_dimensions"].transform("max"))
    return results[results["n_dimensions"] < full]


def gains(results, pairs=PAIRS, measure="hamming_loss"):
    """Return ``compare.paired`` of each pair of models at each number of dimensions, partition by partition.

    All labels together, where codes coincide, are left out.
    """
    below, by = below_full(results), ["corpus", "n_dimensions"]
    found = [compare.paired(below, *pair, by, OVER, measure, measure=measure) for pair in pairs]
    return pd.concat(found, ignore_index=True)


def orders(results, pairs=PAIRS, measures=("hamming_loss",)):
    """Return at how many numbers of dimensions one model is better than another: a row per measure, corpus and pair.

    better and worse count means, ahead and behind 95 % intervals of the paired gain that lie on one side of 0; of is
    how many numbers of dimensions were measured below all labels, n on how many partitions.
    """
    rows = []
    for measure in measures:
        table = gains(results, pairs, measure)
        for (corpus, first, second), part in table.groupby(["corpus", "first", "second"], sort=False):
            signs = [part["gain"] > 0, part["gain"] < 0, part["ahead"] == 1, part["ahead"] == -1]
            counts = [int(sign.sum()) for sign in signs]
            rows.append((measure, corpus, first, second, *counts, len(part), part["n"].max()))
    columns = ["measure", "corpus", "first", "second", "better", "worse", "ahead", "behind", "of", "n"]
    return pd.DataFrame(rows, columns=columns)


def beside_empty(results, models=MAIN_MODELS):
    """Return each model's smallest mean Hamming loss against that of predicting no label at all, in percent, and at
    which number of dimensions: a row per corpus.
    """
    table = means(results)
    empty = table[table["model"] == EMPTY].set_index("corpus")["mean"]
    best = table[table["model"].isin(models)].sort_values("mean", kind="stable")
    best = best.groupby(["corpus", "model"]).first().reset_index()
    percent = 100 * (best["mean"] / best["corpus"].map(empty) - 1)
    text = percent.map("{:+.1f} %".format) + " at " + best["n_dimensions"].astype(str)
    wide = best.assign(text=text).pivot(index="corpus", columns="model", values="text")[list(models)]
    wide.insert(0, "no label at all", empty.map("{:.5f}".format))
    return wide.loc[list(dict.fromkeys(results["corpus"]))].rename_axis(columns=None)


def of_trees(trees):
    """Return how many features may divide the documents, and what the trees are like, a row per corpus."""
    over = trees.groupby("corpus", sort=False)
    frame = over.agg(
        features=("n_features", "mean"),
        dividing=("n_dividing", "mean"),
        leaves=("n_leaves", "mean"),
        single_leaf=("n_single", "sum"),
        trees=("n_dimensions", "sum"),
    )
    return frame.rename(columns={"leaves": "mean leaves", "single_leaf": "of a single leaf"}).round(1)


def beside_label_ranking(results, ranking, measures=("misordered_pairs", "hamming_loss")):
    """Return ``compare.paired`` of label ranking over PLST, a row per corpus and measure.

    PLST takes the number of dimensions, n_dimensions, with its smallest mean: the best in hindsight.
    """
    found = []
    for measure in measures:
        table = means(results[results["model"] == "PLST"], measure).sort_values("mean", kind="stable")
        best = table.groupby("corpus")["n_dimensions"].first()
        is_best = (results["model"] == "PLST") & (results["n_dimensions"] == results["corpus"].map(best))
        both = pd.concat([ranking, results[is_best]])
        gain = compare.paired(both, LABEL_RANKING, "PLST", ["corpus"], OVER, measure, measure=measure)
        found.append(gain.assign(measure=measure, n_dimensions=gain["corpus"].map(best)))
    columns = ["corpus", "measure", "n_dimensions", "first", "second", "first_mean", "second_mean"]
    return pd.concat(found, ignore_index=True)[[*columns, "gain", "low", "high", "ahead"]]


# M*


def smallest_as_good(losses):
    """Return M* of one corpus: the fewest dimensions at which PLST's mean loss differs from BR's by at most the sum
    of their standard errors; NaN where none does.

    losses has the columns of ``experiments.every_dimension``. Tai & Lin (2012), section 4.1, in the reading of their
    program.
    """
    full = losses.groupby("partition")["full_loss"].first()
    over = losses.groupby("n_dimensions")["hamming_loss"].agg(["mean", "sem"])
    within = (over["mean"] - full.mean()).abs() <= over["sem"] + full.sem()
    return int(within.idxmax()) if within.any() else np.nan


def resampled_smallest(losses, n_samples=200, seed=0):
    """Return M* of ``n_samples`` samples of the partitions with replacement: one integer each, (n_samples,).

    How far M* would move with other partitions; duplicates make the standard errors a little too small.
    """
    rng = np.random.default_rng(seed)
    table = losses.pivot(index="n_dimensions", columns="partition", values="hamming_loss").to_numpy()
    full = losses.groupby("partition")["full_loss"].first().to_numpy()
    n = len(full)
    found = []
    for _ in range(n_samples):
        chosen = rng.integers(n, size=n)
        losses_of, full_of = table[:, chosen], full[chosen]
        room = (losses_of.std(axis=1, ddof=1) + full_of.std(ddof=1)) / np.sqrt(n)
        within = np.abs(losses_of.mean(axis=1) - full_of.mean()) <= room
        found.append(int(within.argmax()) + 1 if within.any() else len(table))
    return np.array(found)


def stability(losses, n_samples=200, seed=0):
    """Return how M* moves: a row per corpus with the paper's M*, ours, that of the first and the second half of the
    partitions, and the middle 90 % of resampled ones.
    """
    rows = {}
    for corpus, block in losses.groupby("corpus", sort=False):
        half = block["partition"].nunique() // 2
        low, high = np.quantile(resampled_smallest(block, n_samples, seed), [0.05, 0.95])
        rows[corpus] = {
            "paper": STARS.get(corpus, np.nan),
            "ours": smallest_as_good(block),
            "first half": smallest_as_good(block[block["partition"] < half]),
            "second half": smallest_as_good(block[block["partition"] >= half]),
            "5 %": low,
            "95 %": high,
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("corpus")


def at_every_dimension(losses):
    """Return PLST's mean loss and its standard error at every number of dimensions, BR's and that of no label at all:
    one row each.
    """
    table = averages(losses, ["corpus", "n_dimensions"]).drop(columns="partitions")
    once = losses.drop_duplicates(["corpus", "partition"]).groupby("corpus")
    levels = once.agg(
        full_mean=("full_loss", "mean"), full_error=("full_loss", "sem"), empty_mean=("empty_loss", "mean")
    )
    return table.join(levels, on="corpus")


def against_full(choices):
    """Return what each rule chooses and what that costs against BR, a row per corpus and rule.

    Columns: median, least and most number of dimensions over partitions, the test loss over BR's less 1, in percent,
    and ahead: 1 where the 95 % interval of the paired gain over BR lies above 0, -1 where it lies below.
    """
    by = ["corpus", "rule"]
    columns = {"chosen": "hamming_loss", "BR": "full_loss"}
    long = pd.concat([choices.assign(model=name, loss=choices[column]) for name, column in columns.items()])
    gain = compare.paired(long, *columns, by, OVER, "loss", measure="hamming_loss")
    chosen = choices.groupby(by, sort=False)["n_dimensions"].agg(median="median", least="min", most="max")
    table = gain.join(chosen, on=by)
    over = 100 * (table["first_mean"] / table["second_mean"] - 1)
    return table.assign(**{"% over BR": over})[[*by, *chosen.columns, "% over BR", "ahead"]].round(2)


# The paper's tables beside ours


def table_2(statistics):
    """Return ``experiments.statistics`` beside table 2: columns corpus, statistic, ours, and those of
    ``printed.beside``; counts are exact, so that ours agree within half a unit of the last digit in print.
    """
    ours = statistics.rename(columns={"value": "mean"})[["corpus", "statistic", "mean"]].assign(se=0.0)
    table = printed.beside(ours, printed.reported(PAPER, "table 2"), ["corpus", "statistic"])
    return table.rename(columns={"mean": "ours"}).drop(columns=["se", "paper_se", "excess"])


def sparsity_exponents(table):
    """Return minus the decimal logarithm of the hypercube sparsity of ``table_2``: corpus, whose, minus_log10."""
    rows = table[table["statistic"] == "hypercube_sparsity"]
    long = rows.melt(id_vars="corpus", value_vars=["ours", "paper"], var_name="whose", value_name="sparsity")
    return long.assign(minus_log10=-np.log10(long["sparsity"])).drop(columns="sparsity")


def losses_in_print():
    """Return the Hamming losses of table 3: the columns of ``printed.reported``, and se."""
    rows = printed.reported(PAPER, "table 3").query("measure == 'hamming_loss'")
    error = rows[rows["statistic"] == "standard_error"].set_index(["corpus", "model"])["value"].rename("se")
    return rows[rows["statistic"] == "mean"].join(error, on=["corpus", "model"])


def at_star(results, stars):
    """Return the rows of BR, with all labels, and of PLST and CS at the number of dimensions in {corpus: number}."""
    is_full = (results["model"] == "PBR") & (results["n_dimensions"] == results["corpus"].map(n_labels))
    is_star = results["model"].isin(["PLST", "CS"]) & (
        results["n_dimensions"] == results["corpus"].map(stars)
    )
    return results[is_full | is_star].replace({"model": {"PBR": "BR"}})


def table_3(results):
    """Return Table 3 beside the paper: Hamming loss of BR at all labels, PLST and CS at the paper's M*.

    Columns corpus, model, rows, n_dimensions, ours, se, n, and those of ``printed.beside``. Rows of CS come twice
    more, for partitions whose draw has the all-ones row and whose draw has not.
    """
    chosen = at_star(results, STARS)
    drawn = chosen["model"].eq("CS") & chosen["has_ones_row"].astype("boolean").fillna(False)
    parts = {"all": chosen, "all-ones row drawn": chosen[drawn]}
    parts["not drawn"] = chosen[chosen["model"].eq("CS") & ~drawn]
    by = ["corpus", "model", "rows", "n_dimensions"]
    found = [compare.means(part.assign(rows=name), by, OVER, "hamming_loss") for name, part in parts.items()]
    ours = pd.concat(found, ignore_index=True)[[*by, "mean", "se", "n"]]
    ours = ours.sort_values(["corpus", "model"], key=_in_order, kind="stable")
    return printed.beside(ours, losses_in_print(), ["corpus", "model"]).rename(columns={"mean": "ours"})


def _in_order(column):
    order = {name: place for place, name in enumerate((*PAPER_SETS, "BR", "PLST", "CS"))}
    return column.map(order)


def of_draws(draws):
    """Return each draw's mean loss over partitions: columns corpus, n_dimensions, has_ones_row, draw, mean,
    standard_error, partitions.
    """
    return averages(draws, ["corpus", "n_dimensions", "has_ones_row", "draw"])


def draws_beside_paper(draws):
    """Return what CS loses when one draw of its rows serves all partitions, beside the paper's Hamming loss.

    A row per corpus and whether the all-ones row is among them: draws, n (partitions), least, middle and most (of the
    draws' means), se (the median of their standard errors), paper, paper_se, agree: how many draws agree with the
    paper's value by ``printed.RULE``.
    """
    by = ["corpus", "n_dimensions", "has_ones_row"]
    ours = compare.means(draws, [*by, "draw"], OVER, "hamming_loss")
    spread = ours.groupby(by, sort=False).agg(
        draws=("draw", "size"), n=("n", "min"), least=("mean", "min"), middle=("mean", "median"),
        most=("mean", "max"), se=("se", "median"),
    )  # fmt: skip
    theirs = losses_in_print().query("model == 'CS'")
    judged = printed.beside(ours, theirs, ["corpus"]).groupby(by)
    found = judged.agg(paper=("paper", "first"), paper_se=("paper_se", "first"), agree=("agrees", "sum"))
    return spread.join(found).reset_index()


def table_4(times):
    """Return Table 4 twice: seconds and savings against BR with regressors one by one and jointly, SVD counted.

    Columns corpus, model, n_dimensions, coding, one by one and jointly: regression, saving (BR's regression over the
    time with coding); and the paper's savings, of regression and in all.
    """
    part = times["step"] + times["way"].map({"both": "", "jointly": ", jointly"}).fillna(", one by one")
    index = ["corpus", "model", "n_dimensions"]
    wide = times.assign(part=part).pivot_table("seconds", index, "part", sort=False)
    out = pd.DataFrame({"coding": wide["encode"] + wide["decode"]})
    model = out.index.get_level_values("model")
    for way in ("one by one", "jointly"):
        out[f"regression, {way}"] = wide[f"regression, {way}"]
    for way in ("one by one", "jointly"):
        total = out[f"regression, {way}"] + out["coding"].where(model != "BR", 0.0)
        full = total[model == "BR"].droplevel(["model", "n_dimensions"])
        out[f"saving, {way}"] = full.reindex(out.index.get_level_values("corpus")).to_numpy() / total
    return out.reset_index().merge(_savings_in_print(), on=["corpus", "model"], how="left")


def _savings_in_print():
    rows = printed.reported(PAPER, "table 4")
    seconds = rows.pivot(index=["corpus", "model"], columns="measure", values="value")
    alone = seconds["regression_time"]
    full = alone.xs("BR", level="model").reindex(seconds.index.get_level_values("corpus")).to_numpy()
    whole = alone + seconds["coding_time"].fillna(0.0)
    columns = {"paper's saving, regression": full / alone, "paper's saving, in all": full / whole}
    return pd.DataFrame(columns).reset_index()


def savings(table):
    """Return ``table_4``'s savings of PLST in long form: corpus, model, case, saving."""
    named = {
        "saving, one by one": "one by one",
        "saving, jointly": "jointly",
        "paper's saving, regression": "paper, regression",
        "paper's saving, in all": "paper, in all",
    }
    kept = table[table["model"] == "PLST"]
    long = kept.melt(["corpus", "model"], list(named), var_name="case", value_name="saving")
    return long.assign(case=long["case"].map(named))
