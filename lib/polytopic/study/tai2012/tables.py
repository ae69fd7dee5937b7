"""Results of the protocol brought together: means, paired gains, M*, and the losses in print."""

import numpy as np
import pandas as pd

from polytopic.metrics import MEASURES
from polytopic.study import claims, compare, printed
from polytopic.study.tai2012.experiments import LABEL_RANKING, PAPER
from polytopic.study.tai2012.protocol import EMPTY, MAIN_MODELS, PAPER_SETS, STARS
from polytopic.validation import check_name

WHERE = ["corpus", "regressor", "model", "n_dimensions"]
OVER = ["partition"]
PAIRS = (("PLST", "PBR"), ("PLST", "CS"))
N_LABELS = {name: how.dimensions[-1] for name, how in PAPER_SETS.items()}
SPARSE, DENSE = ("delicious", "corel5k"), ("yeast", "emotions")  # label sets, in the paper's words


def averages(frame, by, measure="hamming_loss"):
    """Return ``compare.means`` over partitions with the columns ``by``, mean, standard_error, partitions."""
    table = compare.means(frame, by, OVER, measure)[[*by, "mean", "se", "n"]]
    return table.rename(columns={"se": "standard_error", "n": "partitions"})


def means(results, measure="hamming_loss"):
    """Return ``averages`` of one measure by WHERE; rows with it alone."""
    check_name("measure", measure, MEASURES)
    return averages(results, WHERE, measure)


def curves(results, measures=("hamming_loss",), models=MAIN_MODELS):
    """Return {measure: means} of the models that a figure shows, of the empty prediction and of label ranking."""
    shown = results[results["model"].isin([*models, EMPTY, LABEL_RANKING])]
    return {measure: means(shown, measure) for measure in measures}


def below_full(results):
    """Return the rows with fewer dimensions than labels (than the most of another corpus): there codes coincide."""
    most = results.groupby("corpus")["n_dimensions"].transform("max")
    return results[results["n_dimensions"] < results["corpus"].map(N_LABELS).fillna(most)]


def up_to_star(results):
    """Return the rows of the paper's sets with few dimensions, up to its M*; it does not say what few are."""
    return results[results["n_dimensions"] <= results["corpus"].map(STARS)]


def gains(results, pairs=PAIRS, measure="hamming_loss"):
    """Return ``compare.paired`` of each pair of models at each number of dimensions of ``below_full``."""
    below, by = below_full(results), ["corpus", "n_dimensions"]
    found = [compare.paired(below, *pair, by, OVER, measure, measure=measure) for pair in pairs]
    return pd.concat(found, ignore_index=True)


def beats(results, pairs=PAIRS, measure="hamming_loss"):
    """Return the cases of ``claims.beats`` of each pair at each number of dimensions of ``below_full``."""
    below, by = below_full(results), ["corpus", "n_dimensions"]
    found = [claims.beats(below, *pair, by, OVER, value=measure, measure=measure) for pair in pairs]
    return claims.together(found)


def orders(results, pairs=PAIRS, measures=("hamming_loss",)):
    """Return at how many numbers of dimensions, ``of`` all below the labels, one model is better than another: a row
    per measure (named where there are several), corpus and pair. better and worse count means, ahead and behind 95 %
    intervals of the paired gain that lie on one side of 0.
    """
    table = pd.concat([gains(results, pairs, one).assign(measure=one) for one in measures])
    signs = {"better": table["gain"] > 0, "worse": table["gain"] < 0}
    signs |= {"ahead": table["ahead"] == 1, "behind": table["ahead"] == -1}
    by = [*(["measure"] if len(measures) > 1 else []), "corpus", "first", "second"]
    over = table.assign(**signs).groupby(by, sort=False)
    return over[[*signs]].sum().assign(of=over.size()).reset_index()


def best(table):
    """Return the rows of ``means`` with the smallest mean of each corpus and model."""
    return table.sort_values("mean", kind="stable").drop_duplicates(["corpus", "model"])


def beside_empty(results, models=MAIN_MODELS):
    """Return each model's smallest mean Hamming loss against that of predicting no label at all, in percent, and at
    which number of dimensions: a row per corpus.
    """
    table = means(results)
    empty = table[table["model"] == EMPTY].set_index("corpus")["mean"]
    least = best(table[table["model"].isin(models)])
    percent = 100 * (least["mean"] / least["corpus"].map(empty) - 1)
    text = percent.map("{:+.1f} %".format) + " at " + least["n_dimensions"].astype(str)
    wide = least.assign(text=text).pivot(index="corpus", columns="model", values="text")[list(models)]
    wide.insert(0, "no label at all", empty.map("{:.5f}".format))
    return wide.loc[results["corpus"].unique()].rename_axis(columns=None)


def at_star(results, stars):
    """Return the rows of BR, with all labels, and of PLST and CS at the number of dimensions in {corpus: number}."""
    own = results[results["model"].isin(MAIN_MODELS)].replace({"model": {"PBR": "BR"}})
    full, star = (own["corpus"].map(which) for which in (N_LABELS, stars))
    return own[own["n_dimensions"] == full.where(own["model"] == "BR", star)]


def smallest_as_good(losses, partitions=slice(None)):
    """Return M* of one corpus: the fewest dimensions at which PLST's mean loss differs from BR's by at most the sum
    of their standard errors; NaN where none does, and for a single partition.

    losses has the columns of ``experiments.every_dimension``. partitions are places of partitions, (..., n): each row
    gives an M* of its own. Tai & Lin (2012), section 4.1, in the reading of their program.
    """
    plst = losses.pivot(index="n_dimensions", columns="partition", values="hamming_loss").to_numpy()
    full = losses.groupby("partition")["full_loss"].first().to_numpy()
    plst, full = plst[:, partitions], full[partitions]
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


def losses_in_print():
    """Return the Hamming losses of table 3: the columns of ``printed.reported``, and se."""
    rows = printed.reported(PAPER, "table 3").query("measure == 'hamming_loss'")
    error = rows[rows["statistic"] == "standard_error"].set_index(["corpus", "model"])["value"].rename("se")
    return rows[rows["statistic"] == "mean"].join(error, on=["corpus", "model"])
