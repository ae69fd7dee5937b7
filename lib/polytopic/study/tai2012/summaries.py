"""Results of the protocol brought together: means and standard errors, M*, and the paper's tables beside ours."""

import numpy as np
import pandas as pd

from polytopic.datasets import load_corpus
from polytopic.metrics import VERTEX_MEASURES
from polytopic.study.printed import half_unit, reported
from polytopic.study.tai2012 import protocol

PAPER = "tai2012"
STANDARD_ERRORS = 2  # that ours and the paper's mean may differ by
MEASURES = (*VERTEX_MEASURES, "encoding_error")


def means(results, measure="hamming_loss"):
    """Return mean and standard error over partitions of one measure: columns corpus, regressor, model, n_dimensions,
    share (of the labels), mean, standard_error, partitions. Rows without the measure are left out.
    """
    if measure not in MEASURES:
        raise ValueError(f"measure must be one of {', '.join(MEASURES)}, got {measure!r}")
    kept = results.dropna(subset=[measure])
    over = kept.groupby(["corpus", "regressor", "model", "n_dimensions"], sort=False)[measure]
    frame = over.agg(mean="mean", standard_error="sem", partitions="size").reset_index()
    most = frame.groupby("corpus")["n_dimensions"].transform("max")
    frame.insert(4, "share", frame["n_dimensions"] / most)
    return frame


def smallest_as_good(losses):
    """Return M* of one corpus: the fewest dimensions at which PLST's mean loss differs from BR's by at most the sum
    of their standard errors; NaN where none does.

    losses has the columns of ``protocol.measure_dimensions``. Tai & Lin (2012), section 4.1, in the reading of their
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


def paper_dimensions():
    """Return the paper's M* by corpus."""
    printed = reported(PAPER, "table 3")
    rows = printed[printed["measure"] == "n_dimensions"]
    return dict(zip(rows["corpus"], rows["value"].astype(int), strict=True))


def stability(losses, n_samples=200, seed=0):
    """Return how M* moves: a row per corpus with the paper's M*, ours, that of the first and the second half of the
    partitions, and the middle 90 % of resampled ones.
    """
    paper = paper_dimensions()
    rows = []
    for corpus, block in losses.groupby("corpus", sort=False):
        half = block["partition"].nunique() // 2
        low, high = np.quantile(resampled_smallest(block, n_samples, seed), [0.05, 0.95])
        rows.append(
            {
                "corpus": corpus,
                "paper": paper.get(corpus, np.nan),
                "ours": smallest_as_good(block),
                "first half": smallest_as_good(block[block["partition"] < half]),
                "second half": smallest_as_good(block[block["partition"] >= half]),
                "5 %": low,
                "95 %": high,
            }
        )
    return pd.DataFrame(rows).set_index("corpus")


def table_2(names):
    """Return Table 2 for corpora by their names: documents, labels, cardinality, distinct label sets, hypercube
    sparsity (distinct / 2^labels) and the largest label set, the paper's values beside ours where it has them.

    Columns corpus, statistic, ours, paper.
    """
    rows = []
    for name in names:
        corpus = load_corpus(name)
        labels = corpus.labels.toarray()
        distinct = len(np.unique(np.packbits(labels, axis=1), axis=0))
        sizes = labels.sum(axis=1)
        power = np.log10(distinct) - corpus.n_labels * np.log10(2)
        values = {
            "documents": corpus.n_documents,
            "labels": corpus.n_labels,
            "cardinality": sizes.mean(),
            "distinct_labelsets": distinct,
            "hypercube_sparsity": float(f"{10 ** (power % 1):.6f}e{int(np.floor(power))}"),
            "largest_labelset": sizes.max(),
        }
        rows += [(name, statistic, float(value)) for statistic, value in values.items()]
    ours = pd.DataFrame(rows, columns=["corpus", "statistic", "ours"])
    paper = reported(PAPER, "table 2")[["corpus", "statistic", "value", "decimals"]]
    both = ours.merge(paper, on=["corpus", "statistic"], how="left").rename(columns={"value": "paper"})
    off = (both["ours"] - both["paper"]).abs()
    both["agrees"] = (off <= 0.5 * 10.0 ** -both["decimals"] * (1 + 1e-9)).where(both["paper"].notna())
    return both.drop(columns="decimals")


def table_3(results):
    """Return Table 3 beside the paper: Hamming loss of BR at all labels, PLST and CS at the paper's M*.

    Columns corpus, model, n_dimensions, ours, standard_error, paper, paper_error, difference in units of the two
    standard errors together (root of the sum of squares), agrees: within two of them and half a last digit. Rows of
    CS come twice more, for partitions whose draw has the all-ones row and whose draw has not.
    """
    printed, at = reported(PAPER, "table 3"), paper_dimensions()
    losses = printed[printed["measure"] == "hamming_loss"]
    rows = []
    for corpus, block in results[results["regressor"] == "ridge"].groupby("corpus", sort=False):
        if corpus not in at:
            continue
        full = block["n_dimensions"].max()
        cs = (block["model"] == "CS") & (block["n_dimensions"] == at[corpus])
        is_ones = block["has_ones_row"].astype("boolean").fillna(False).astype(bool)
        cases = {
            "BR": (block["model"] == "PBR") & (block["n_dimensions"] == full),
            "PLST": (block["model"] == "PLST") & (block["n_dimensions"] == at[corpus]),
            "CS": cs,
            "CS, all-ones row drawn": cs & is_ones,
            "CS, not drawn": cs & ~is_ones,
        }
        for model, rows_of in cases.items():
            theirs = losses[(losses["corpus"] == corpus) & (losses["model"] == model.split(",")[0])]
            value = theirs.set_index("statistic")["value"]
            loss = block.loc[rows_of, "hamming_loss"]
            rows.append(
                {
                    "corpus": corpus,
                    "model": model,
                    "n_dimensions": full if model == "BR" else at[corpus],
                    "partitions": len(loss),
                    "ours": loss.mean(),
                    "standard_error": loss.sem() if len(loss) > 1 else np.nan,
                    "paper": value["mean"],
                    "paper_error": value["standard_error"],
                }
            )
    frame = pd.DataFrame(rows)
    error = np.hypot(frame["standard_error"], frame["paper_error"])
    frame["off"] = (frame["ours"] - frame["paper"]) / error
    slack = STANDARD_ERRORS * error + half_unit(5)
    frame["agrees"] = ((frame["ours"] - frame["paper"]).abs() <= slack).where(error.notna())
    return frame


def table_4(times):
    """Return Table 4 twice: seconds and savings against BR with regressors one by one and jointly, SVD counted.

    Columns corpus, model, n_dimensions, then one by one and jointly: regression, total (with encoding and decoding),
    saving (BR's total over this total); and the paper's regression saving.
    """
    wide = times.assign(
        part=times["step"] + times["way"].map({"both": "", "jointly": ", jointly"}).fillna(", alone")
    )
    wide = wide.pivot_table(
        index=["corpus", "model", "n_dimensions"], columns="part", values="seconds", sort=False
    )
    coding = wide["encode"] + wide["decode"]
    out = pd.DataFrame(
        {
            "coding": coding,
            "regression, one by one": wide["regression, alone"],
            "regression, jointly": wide["regression, jointly"],
        }
    )
    for way, column in (("one by one", "regression, one by one"), ("jointly", "regression, jointly")):
        total = out[column] + coding.where(coding.index.get_level_values("model") != "BR", 0.0)
        full = total.xs("BR", level="model").groupby("corpus").first()
        out[f"saving, {way}"] = full.reindex(out.index.get_level_values("corpus")).to_numpy() / total
    printed = reported(PAPER, "table 4")
    spent = printed.groupby(["corpus", "model"])["value"].sum()
    regression = printed[printed["measure"] == "regression_time"].set_index(["corpus", "model"])["value"]
    keys = [(corpus, model) for corpus, model, _ in out.index]
    for heading, seconds in (("paper's saving, regression", regression), ("paper's saving, in all", spent)):
        saved = [
            regression.get((c, "BR"), np.nan) / seconds.get((c, m), np.nan)
            if (c, m) in seconds.index
            else np.nan
            for c, m in keys
        ]
        out[heading] = saved
    return out.reset_index()


def sentences_table_3(frame):
    """Say of ``table_3`` which values agree with the paper's and how far off the others are."""
    lines = []
    for row in frame.itertuples():
        if pd.isna(row.off):
            lines.append(
                f"{row.corpus}, {row.model}: {row.ours:.5f} on {row.partitions} partition(s), not judged."
            )
            continue
        verdict = "agrees" if row.agrees else "does not agree"
        lines.append(
            f"{row.corpus}, {row.model} with {row.n_dimensions}: {row.ours:.5f} here, {row.paper:.5f} in the paper, "
            f"{row.off:+.1f} standard errors: {verdict}."
        )
    return "\n".join(lines)


def orders(results, measure="hamming_loss", pairs=(("PLST", "PBR"), ("PLST", "CS")), lower_is_better=True):
    """Return at how many of the measured numbers of dimensions one model's mean beats another's: columns corpus,
    regressor, first, second, wins, ties, of. All labels together, where codes coincide, are left out.
    """
    table = means(results, measure)
    rows = []
    for (corpus, regressor), block in table.groupby(["corpus", "regressor"], sort=False):
        wide = block[block["share"] < 1].pivot(index="n_dimensions", columns="model", values="mean")
        for first, second in pairs:
            if first not in wide or second not in wide:
                continue
            both = wide[[first, second]].dropna()
            gap = both[second] - both[first] if lower_is_better else both[first] - both[second]
            rows.append(
                (corpus, regressor, first, second, int((gap > 0).sum()), int((gap == 0).sum()), len(both))
            )
    return pd.DataFrame(rows, columns=["corpus", "regressor", "first", "second", "wins", "ties", "of"])


def sentences_orders(counted):
    """Say ``orders`` in words."""
    return "\n".join(
        f"{r.corpus}, {r.regressor}: {r.first} beats {r.second} at {r.wins} of {r.of} numbers of dimensions"
        + (f", ties at {r.ties}." if r.ties else ".")
        for r in counted.itertuples()
    )


def against_empty(results):
    """Say how each model's best mean Hamming loss compares with predicting no label at all."""
    table = means(results, "hamming_loss")
    lines = []
    for (corpus, regressor), block in table.groupby(["corpus", "regressor"], sort=False):
        empty = block.loc[block["model"] == protocol.EMPTY, "mean"].mean()
        best = (
            block[block["model"] != protocol.EMPTY].sort_values("mean").groupby("model", sort=False).first()
        )
        told = [
            f"{model} {row['mean'] / empty - 1:+.1%} with {row['n_dimensions']:g}"
            for model, row in best.iterrows()
        ]
        lines.append(f"{corpus}, {regressor}: no label at all {empty:.5f}; at their best {', '.join(told)}.")
    return "\n".join(lines)


# For notebooks: what is drawn, and sentences about it


def heading(measure):
    """Return a line that names a measure, to stand above sentences about it."""
    return f"{measure.replace('_', ' ')}:"


def drawn(results, measures=("hamming_loss",), models=protocol.MAIN_MODELS, names=None):
    """Return {measure: means} of the models that a figure shows, the empty prediction among them.

    names: what the tables are called, the measures themselves if None; one name takes all measures in one table.
    """
    kept = results[results["model"].isin([*models, protocol.EMPTY, "Label ranking"])]
    found = {measure: means(kept, measure) for measure in measures}
    if names is None:
        return found
    return {names[0]: pd.concat([table.assign(measure=m) for m, table in found.items()], ignore_index=True)}


def curve_table(results, measure="hamming_loss"):
    """Return mean and standard error as text, a row per corpus and number of dimensions, a column per model."""
    table = means(results, measure)
    table = table[table["model"] != protocol.EMPTY]
    text = table["mean"].map("{:.5f}".format) + table["standard_error"].map(" ± {:.5f}".format)
    wide = table.assign(text=text).pivot_table(
        index=["corpus", "n_dimensions"], columns="model", values="text", aggfunc="first", sort=False
    )
    order = [model for model in (*protocol.MODELS, "Label ranking") if model in wide]
    wide = wide[order].fillna("").sort_index(level="n_dimensions", sort_remaining=False)
    return wide.loc[list(dict.fromkeys(results["corpus"]))]


def sentences_trees(trees):
    """Say of each corpus by how many features a tree may divide the documents, and how large the trees are."""
    lines = []
    for corpus, block in trees.groupby("corpus", sort=False):
        n_trees = int(block["n_dimensions"].sum())
        lines.append(
            f"{corpus}: {block['n_dividing'].mean():.4g} of {block['n_features'].mean():.4g} features can divide all "
            f"training documents; {block['n_leaves'].mean():.1f} leaves in a tree, "
            f"{int(block['n_single'].sum())} of {n_trees} trees are a single leaf."
        )
    return "\n".join(lines)


def extent(results):
    """Say how many partitions of each corpus a frame holds, and up to how many dimensions."""
    lines = []
    for (corpus, regressor), block in results.groupby(["corpus", "regressor"], sort=False):
        models = [model for model in dict.fromkeys(block["model"]) if model != protocol.EMPTY]
        n = block["partition"].nunique()
        unit = "pairs of labels" if models == ["Label ranking"] else "dimensions"
        lines.append(
            f"{corpus}, {regressor}: {n} partition{'s' * (n != 1)}, {', '.join(models)}, "
            f"up to {block['n_dimensions'].max()} {unit}."
        )
    return "\n".join(lines)


def beside_label_ranking(results, ranking):
    """Say of each corpus what label ranking loses, and PLST at the number of dimensions with its smallest mean.

    Differences are taken partition by partition; level means within two standard errors of theirs. That number is
    the best in hindsight, which favours PLST.
    """
    lines = []
    for corpus in dict.fromkeys(ranking["corpus"]):
        for measure in ("ranking_loss", "hamming_loss"):
            theirs = ranking[ranking["corpus"] == corpus].set_index("partition")[measure]
            plst = results[(results["corpus"] == corpus) & (results["model"] == "PLST")]
            table = plst.pivot(index="partition", columns="n_dimensions", values=measure)
            best = table.mean().idxmin()
            gap = table[best] - theirs
            error = gap.sem()
            level = not abs(gap.mean()) > STANDARD_ERRORS * error
            verdict = "level" if level else "worse" if gap.mean() > 0 else "better"
            lines.append(
                f"{corpus}, {measure.replace('_', ' ')}: label ranking {theirs.mean():.4f}, PLST {gap.mean():+.4f} ± "
                f"{error:.4f} from that with {best} dimensions: PLST is {verdict}."
            )
    return "\n".join(lines)


def sentences_table_2(frame):
    """Say of ``table_2`` which of the paper's values ours repeat, and which differ."""
    judged = frame.dropna(subset=["paper"])
    agrees = judged["agrees"].astype(bool)
    lines = [f"{agrees.sum()} of {len(judged)} values agree to the last digit in print."]
    lines += [
        f"{r.corpus}, {r.statistic}: {r.ours:g} here, {r.paper:g} in print."
        for r in judged[~agrees].itertuples()
    ]
    return "\n".join(lines)


def sparsity_exponents(frame):
    """Return minus the decimal logarithm of the hypercube sparsity: corpus, whose (ours, paper), minus_log10."""
    rows = frame[frame["statistic"] == "hypercube_sparsity"]
    long = rows.melt(id_vars="corpus", value_vars=["ours", "paper"], var_name="whose", value_name="sparsity")
    return long.assign(minus_log10=-np.log10(long["sparsity"])).drop(columns="sparsity")


def every_dimension(losses):
    """Return PLST's mean loss and its standard error at every number of dimensions, BR's and that of no label at all:
    one row each.
    """
    over = losses.groupby(["corpus", "n_dimensions"], sort=False)
    table = over["hamming_loss"].agg(mean="mean", standard_error="sem").reset_index()
    once = losses.drop_duplicates(["corpus", "partition"]).groupby("corpus")
    levels = once.agg(
        full_mean=("full_loss", "mean"), full_error=("full_loss", "sem"), empty_mean=("empty_loss", "mean")
    )
    return table.join(levels, on="corpus")


def means_of_draws(draws):
    """Return each draw's mean loss over partitions: columns corpus, n_dimensions, has_ones_row, draw, mean,
    standard_error, partitions.
    """
    over = draws.groupby(["corpus", "n_dimensions", "has_ones_row", "draw"], sort=False)["hamming_loss"]
    return over.agg(mean="mean", standard_error="sem", partitions="size").reset_index()


def draws_beside_paper(draws):
    """Return what CS loses when one draw of its rows serves all partitions, beside the paper's Hamming loss.

    A row per corpus and whether the all-ones row is among them: draws, partitions, least, middle and most (of the
    draws' means), error (the median of their standard errors), paper, paper_error, agree: how many draws are within
    two standard errors of the paper's value, as in ``table_3``.
    """
    printed = reported(PAPER, "table 3")
    printed = printed[(printed["measure"] == "hamming_loss") & (printed["model"] == "CS")]
    value = printed.set_index(["corpus", "statistic"])["value"]
    rows = []
    for (corpus, m, is_ones), block in means_of_draws(draws).groupby(
        ["corpus", "n_dimensions", "has_ones_row"], sort=False
    ):
        paper, paper_error = (value.get((corpus, what), np.nan) for what in ("mean", "standard_error"))
        slack = STANDARD_ERRORS * np.hypot(block["standard_error"], paper_error) + half_unit(5)
        rows.append(
            {
                "corpus": corpus,
                "n_dimensions": m,
                "has_ones_row": is_ones,
                "draws": len(block),
                "partitions": block["partitions"].min(),
                "least": block["mean"].min(),
                "middle": block["mean"].median(),
                "most": block["mean"].max(),
                "error": block["standard_error"].median(),
                "paper": paper,
                "paper_error": paper_error,
                "agree": int(((block["mean"] - paper).abs() <= slack).sum()),
            }
        )
    return pd.DataFrame(rows)


def sentences_draws(draws):
    """Say how far CS's loss moves with the draw of its rows, and how many draws give the paper's value."""
    lines = []
    for r in draws_beside_paper(draws).itertuples():
        line = (
            f"{r.corpus}, M = {r.n_dimensions}, {'with' if r.has_ones_row else 'without'} the all-ones row: "
            f"{r.least:.5f} to {r.most:.5f} over {r.draws} draws, the middle one {r.middle:.5f}"
        )
        if r.partitions > 1:
            line += f", each on {r.partitions} partitions with a standard error of about {r.error:.5f}"
        if not pd.isna(r.paper):
            line += f"; {r.agree} of the {r.draws} agree with the paper's {r.paper:.5f} ± {r.paper_error:.5f}"
        lines.append(line + ".")
    return "\n".join(lines)


def savings(table):
    """Return ``table_4``'s savings of PLST and CS in long form: corpus, model, case, saving."""
    named = {
        "saving, one by one": "one by one",
        "saving, jointly": "jointly",
        "paper's saving, regression": "paper, regression",
        "paper's saving, in all": "paper, in all",
    }
    kept = table[table["model"] == "PLST"]
    long = kept.melt(
        id_vars=["corpus", "model"], value_vars=list(named), var_name="case", value_name="saving"
    )
    return long.assign(case=long["case"].map(named))


def sentences_table_4(table):
    """Say what PLST saves on each corpus, one by one and jointly."""
    lines = []
    for row in table[table["model"] == "PLST"].to_dict("records"):
        alone, jointly = row["saving, one by one"], row["saving, jointly"]
        paper = row["paper's saving, regression"], row["paper's saving, in all"]
        lines.append(
            f"{row['corpus']}, M = {row['n_dimensions']}: one by one {alone:.1f} times as fast as BR "
            f"(paper: {paper[0]:.1f} in regression, {paper[1]:.1f} in all); jointly {jointly:.2f} times, "
            f"so that reducing the labels {'saves' if jointly > 1 else 'costs'} time."
        )
    return "\n".join(lines)


def choices_beside_paper(choices, losses):
    """Return a row per corpus and rule: the chosen number of dimensions (median, least, most over partitions), the
    paper's M*, ours, and the mean test loss at the choice over BR's, minus one.
    """
    star = stability(losses, n_samples=20)
    rows = []
    for (corpus, rule), block in choices.groupby(["corpus", "rule"], sort=False):
        chosen = block["n_dimensions"]
        rows.append(
            {
                "corpus": corpus,
                "rule": rule,
                "partitions": len(block),
                "median": chosen.median(),
                "least": chosen.min(),
                "most": chosen.max(),
                "paper's M*": star["paper"].get(corpus, np.nan),
                "our M*": star["ours"].get(corpus, np.nan),
                "test loss over BR's": block["hamming_loss"].mean() / block["full_loss"].mean() - 1,
            }
        )
    return pd.DataFrame(rows).round(4)


def sentences_choices(choices):
    """Say what each rule costs against all dimensions."""
    lines = []
    for (corpus, rule), block in choices.groupby(["corpus", "rule"], sort=False):
        gap = block["hamming_loss"] - block["full_loss"]
        error = gap.std() / np.sqrt(len(gap))
        verdict = "no different" if abs(gap.mean()) <= 2 * error else "worse" if gap.mean() > 0 else "better"
        lines.append(
            f"{corpus}, {rule}: {block['n_dimensions'].median():g} dimensions, test loss "
            f"{gap.mean():+.5f} ± {error:.5f} against BR: {verdict}."
        )
    return "\n".join(lines)
