"""Tables and sentences about estimators of theta: who is ahead where, mean ranks, the paper's numbers beside ours.

Tables come from ``estimation``; every sentence is computed from one.
"""

import numpy as np
import pandas as pd

from polytopic.study.printed import reported

PAPERS = ("CGS", "CGS_z", "CGS_p", "CGS_p|z", "CVB0")
LOWER_IS_BETTER = ("perplexity", "js_divergence")


def means(table, columns, value="value"):
    """Return the mean over runs, a row per model and a column per value of ``columns``, in the table's order."""
    cells = table.groupby(["model", *columns], sort=False)[value].mean()
    return cells.unstack(columns).reindex(list(dict.fromkeys(table["model"])))


def spread(table, columns, value="value"):
    """Return the standard deviation over runs, laid out like ``means``."""
    cells = table.groupby(["model", *columns], sort=False)[value].std()
    return cells.unstack(columns).reindex(list(dict.fromkeys(table["model"])))


def against(table, first, second, by=("corpus", "topics"), value="value"):
    """Return one row per setting: the mean difference of two models over runs, its standard error, and who is ahead.

    Differences are ``first`` minus ``second`` in the same run; ``ahead`` is 1 where the first is better by more than
    two standard errors, -1 where it is worse by as much, 0 between; with a single run the error is missing and the
    sign decides. Lower is better for perplexity and divergence; a table with several measures has to be cut to one.
    """
    lower = (value if "measure" not in table else table["measure"].iloc[0]) in LOWER_IS_BETTER
    keys = [*by, "run"]
    pair = [table[table["model"] == name].set_index(keys)[value] for name in (first, second)]
    difference = (pair[0] - pair[1]).groupby(list(by), sort=False)
    found = difference.agg(["mean", "sem"]).reset_index()
    clear = found["mean"].abs() > 2 * found["sem"].fillna(0)
    found["ahead"] = np.where(clear, np.sign(found["mean"]), 0).astype(int) * (-1 if lower else 1)
    return found


def say_against(table, pairs, by=("corpus", "topics"), value="value"):
    """Say for every pair of models and corpus in how many settings the first is ahead, level or behind, and where."""
    lines = []
    for first, second in pairs:
        for corpus, rows in against(table, first, second, by, value).groupby("corpus", sort=False):
            counted = [int((rows["ahead"] == sign).sum()) for sign in (1, 0, -1)]
            relative = rows["mean"].mean()
            line = (
                f"{corpus}: {first} against {second}: ahead in {counted[0]}, level in {counted[1]}, behind in "
                f"{counted[2]} of {len(rows)} settings; mean difference {relative:+.4g}."
            )
            places = {"Ahead": rows[rows["ahead"] == 1], "behind": rows[rows["ahead"] == -1]}
            where = [f"{word} at {_listed(part[by[-1]])}" for word, part in places.items() if len(part)]
            mixed = max(counted) < len(rows) and where
            lines.append(f"{line} {'; '.join(where).capitalize()} {by[-1]}." if mixed else line)
    return "\n".join(lines)


def say_minima(table, value="perplexity"):
    """Say at how many topics each model's mean is lowest, and by how much it rises from there to the most topics."""
    lines = []
    for corpus, rows in table.groupby("corpus", sort=False):
        cells = means(rows, ["topics"], value).sort_index(axis=1)
        for model, values in cells.iterrows():
            best, most = values.idxmin(), values.index[-1]
            if best == most:
                lines.append(
                    f"{corpus}, {model}: lowest at {most} topics, the most there are ({values.min():.1f})."
                )
                continue
            rise = values.iloc[-1] / values.min() - 1
            lines.append(
                f"{corpus}, {model}: lowest at {best} topics ({values.min():.1f}), {rise:.1%} above that at {most}."
            )
    return "\n".join(lines)


def say_most_methods(table, model="CVB0", others=PAPERS[:4], value="perplexity"):
    """Say in how many settings a model is worse than at least three of the others, by the means over runs."""
    lines = []
    for corpus, rows in table.groupby("corpus", sort=False):
        cells = means(rows, ["topics"], value)
        better = (cells.loc[list(others)] < cells.loc[model]).sum()
        worse = better.index[better >= 3]
        lines.append(
            f"{corpus}: {model} is worse than most of {', '.join(others)} in {len(worse)} of {len(better)} settings"
            f"{f' ({_listed(worse)} topics)' if 0 < len(worse) < len(better) else ''}."
        )
    return "\n".join(lines)


def last_sweep(curves):
    """Return each curve's value after the last sweep, mean over runs: models in rows, topics in columns."""
    return means(_last(curves), ["corpus", "topics"])


def _last(curves):
    return curves[curves["sweep"] == curves["sweep"].max()]


def _listed(values):
    return ", ".join(str(one) for one in values)


def _spread(values):
    """Return a mean with its standard deviation, where there are several values."""
    spread = f" (sd {values.std():.4f})" if len(values) > 1 else ""
    return f"{values.mean():+.4f}{spread}"


def say_blending(curves):
    """Say of ``estimation.blending`` where each switch starts, against CVB0 alone, and where it ends.

    Then how often what the paper says of early and of late switches is so: a switch is late where CGS stands above
    CVB0's final value. Runs are compared each with its own CVB0.
    """
    lines = []
    for corpus, rows in curves.groupby("corpus", sort=False):
        values = rows.pivot(index=["run", "sweep"], columns="model", values="value")
        final = values.groupby("run").last()
        switches = sorted(int(name.split()[-1]) for name in values if name.startswith("CVB0 after"))
        late, ahead = pd.DataFrame(index=final.index), pd.DataFrame(index=final.index)
        for switch in switches:
            blend, at = f"CVB0 after {switch}", values.xs(switch, level="sweep")
            first = values.xs(switch + 1, level="sweep")[blend]
            late[switch], ahead[switch] = at["CGS"] > final["CVB0"], final[blend] > final["CVB0"]
            n_late = int(late[switch].sum())
            stood = "above" if n_late else "below"
            part = f" in {n_late} of {len(final)} runs" if 0 < n_late < len(final) else ""
            lines.append(
                f"{corpus}, switch at {switch}: CGS stood {stood} CVB0's final value{part}; the first sweep ends "
                f"{_spread(first - at['CGS'])} nats a token from CGS, {_spread(first - at['CGS_p'])} from CGS_p; the "
                f"last ends {_spread(final[blend] - final['CVB0'])} from CVB0 alone."
            )
        for word, kept, right in (("late", late, ahead), ("early", ~late, ~ahead)):
            n = int(kept.to_numpy().sum())
            hits = int((kept & right).to_numpy().sum())
            side = "above" if word == "late" else "below"
            if n:
                lines.append(
                    f"{corpus}: {hits} of {n} {word} switches end {side} CVB0 alone (the paper: all)."
                )
            else:
                lines.append(f"{corpus}: no switch was {word}.")
    return "\n".join(lines)


def labels_beside_paper(table, paper="papanikolaou"):
    """Return ours beside the paper's for tables 5 and 6: columns corpus, model, chains, measure, empty, ours, sd,
    paper, difference. Corpora and models that the paper does not have are left out.
    """
    theirs = pd.concat([reported(paper, item) for item in ("table 5", "table 6")])
    theirs = theirs[["corpus", "model", "chains", "measure", "value"]].rename(columns={"value": "paper"})
    theirs["chains"] = theirs["chains"].astype(int)
    ours = table.rename(columns={"value": "ours"}).drop(columns="scale")
    beside = ours.merge(theirs, on=["corpus", "model", "chains", "measure"])
    beside["difference"] = beside["ours"] - beside["paper"]
    order = ["corpus", "model", "chains", "measure", "empty", "ours", "sd", "paper", "difference"]
    return beside[order]


def average_ranks(table, models=PAPERS, empty="one"):
    """Return each model's rank, averaged over corpora: a row per model, columns measure and chains; 1 is best.

    Equal values share their mean rank. ``empty`` is the convention of an empty label's F1.
    """
    rows = table[table["model"].isin(models) & (table["empty"] == empty)].copy()
    by = ["corpus", "chains", "measure"]
    rows["rank"] = rows.groupby(by)["value"].rank(ascending=False)
    ranks = rows.groupby(["model", "measure", "chains"], sort=False)["rank"].mean()
    return ranks.unstack(["measure", "chains"]).reindex(list(models))


def together(stored, computed):
    """Return stored results with the computed ones of corpora that are not stored."""
    return pd.concat([stored, computed[~computed["corpus"].isin(stored["corpus"])]], ignore_index=True)


def label_table(table, empty):
    """Return F1 by model: a column per corpus, measure and number of chains, for one convention of empty labels."""
    rows = table[table["empty"] == empty]
    cells = rows.set_index(["model", "corpus", "measure", "chains"])["value"]
    return cells.unstack(["corpus", "measure", "chains"]).reindex(list(dict.fromkeys(rows["model"])))


def effects(table):
    """Return the mean effect of every factor on the value, by corpus, measure and samples.

    Each column is a mean over runs and over the other factor's levels: ``dropped`` is dropping the prior against
    adding it, ``left_out`` is conditionals with the own count left out against topics (the variance alone: both have
    the same expectation), ``kept`` is the own count kept against left out.
    """
    by = ["corpus", "measure", "samples"]
    cells = table.pivot_table(index=[*by, "run"], columns=["summed", "prior"], values="value", sort=False)
    prior = cells.xs("dropped", axis=1, level="prior") - cells.xs("added", axis=1, level="prior")
    summed = cells.T.groupby(level="summed").mean().T
    found = pd.DataFrame(
        {
            "dropped": prior.mean(axis=1),
            "left_out": summed["own count left out"] - summed["topics"],
            "kept": summed["own count kept"] - summed["own count left out"],
        }
    )
    return found.groupby(level=by, sort=False).mean()


def parts_of_the_lead(table):
    """Return CGS_p's difference from CGS, taken apart along a path from one to the other, step by step.

    By corpus, measure and samples, means over runs: ``variance`` from topics to conditionals with the own count left
    out (the prior added), ``own count`` from there to the count kept, ``prior`` from there to the prior dropped;
    ``whole`` is their sum, CGS_p minus CGS.
    """
    by = ["corpus", "measure", "samples"]
    cells = table.groupby([*by, "estimator"], sort=False)["value"].mean().unstack("estimator")
    steps = {
        "variance": cells["cgs_rb"] - cells["cgs"],
        "own count": cells["cgs_p_prior"] - cells["cgs_rb"],
        "prior": cells["cgs_p"] - cells["cgs_p_prior"],
        "whole": cells["cgs_p"] - cells["cgs"],
    }
    return pd.DataFrame(steps)


def say_parts(parts):
    """Say of ``parts_of_the_lead`` how much each step makes, with the fewest samples and with the most."""
    lines = []
    for (corpus, measure), rows in parts.groupby(level=["corpus", "measure"], sort=False):
        sign = -1 if measure in LOWER_IS_BETTER else 1
        for samples in dict.fromkeys([rows.index[0][2], rows.index[-1][2]]):
            row = rows.xs(samples, level="samples").iloc[0]
            verdict = "ahead" if sign * row["whole"] > 0 else "behind"
            steps = ", ".join(f"{name} {row[name]:+.4g}" for name in ("variance", "own count", "prior"))
            lines.append(
                f"{corpus}, {measure}, {samples} sample{'s' if samples > 1 else ''}: CGS_p is {verdict} of CGS by "
                f"{abs(row['whole']):.4g} ({steps})."
            )
    return "\n".join(lines)


def factor_table(table):
    """Return the mean over runs by summed tokens and prior, a column per corpus, measure and number of samples."""
    by = ["summed", "prior", "corpus", "measure", "samples"]
    return table.groupby(by, sort=False)["value"].mean().unstack(["corpus", "measure", "samples"])


def say_exact(right, wrong):
    """Say of two tables of ``models.exact.lead`` which estimator loses least, with one sample and with many."""
    lines = []
    for prior, table in (("the right prior", right), ("the prior too heavy", wrong)):
        losses = (
            table.set_index("estimator").round(12) + 0.0
        )  # what is less is rounding, and a zero has no sign
        for column, samples in (("loss_1", "one sample"), ("loss_inf", "many")):
            best = losses[column].idxmin()
            lead = losses.loc["cgs", column] - losses.loc["cgs_p", column]
            of_variance = losses.loc["cgs", column] - losses.loc["cgs_rb", column]
            lines.append(
                f"{prior}, {samples}: {best} loses least ({losses.loc[best, column]:.3g} nats); CGS_p's gain over "
                f"CGS is {lead:+.3g}, of which CGS_rb, with the smaller variance alone, has {of_variance:+.3g}."
            )
    return "\n".join(lines)


def say_aligned(side_by_side):
    """Say of ``estimation.aligned_topics`` how many of a topic's top words the two models share."""
    lines = []
    for topic, rows in side_by_side.groupby("topic", sort=False):
        shared = len(set(rows["word_i"]) & set(rows["word_f"]))
        lines.append(f"Topic {topic}: {shared} of the {len(rows)} top words of I are among those of F.")
    return "\n".join(lines)


def say_convergence(curves):
    """Say of ``estimation.convergence`` which model ends highest, and where CVB0 and CGS_p end beside CGS."""
    lines = []
    for (corpus, n_topics), rows in curves.groupby(["corpus", "topics"], sort=False):
        values = rows.pivot(index=["run", "sweep"], columns="model", values="value")
        final = values.groupby("run").last()
        best, share = final.mean().idxmax(), (values["CVB0"] > values["CGS"]).mean()
        lines.append(
            f"{corpus}, {n_topics} topics: {best} ends highest; CVB0 is above CGS in {share:.0%} of the "
            f"sweeps and ends {_spread(final['CVB0'] - final['CGS'])} from it; CGS_p ends "
            f"{_spread(final['CGS_p'] - final['CGS'])} from it."
        )
    return "\n".join(lines)


def say_labels(beside):
    """Say of ``labels_beside_paper`` how far ours are from the paper's and whether the order of the models agrees."""
    lines = []
    for (corpus, measure, chains), rows in beside.groupby(["corpus", "measure", "chains"], sort=False):
        worst = rows.loc[rows["difference"].abs().idxmax()]
        order = [" > ".join(rows.sort_values(side, ascending=False)["model"]) for side in ("ours", "paper")]
        agreed = rows[["ours", "paper"]].corr("kendall").iloc[0, 1]
        lines.append(
            f"{corpus}, {measure}, {chains} chain{'s' if chains > 1 else ''}: typical distance "
            f"{rows['difference'].abs().median():.4f}, largest {worst['difference']:+.4f} ({worst['model']}).\n"
            f"    ours:  {order[0]}\n    paper: {order[1]}   (Kendall's tau {agreed:.2f})"
        )
    return "\n".join(lines)


def say_conventions(table):
    """Say by corpus how far Macro-F1 rises, at most, when an empty label counts 1 instead of 0."""
    cells = table[table["measure"] == "macro_f1"].pivot_table(
        index=["corpus", "model", "chains"], columns="empty", values="value", sort=False
    )
    rise = (cells["one"] - cells["zero"]).groupby(level="corpus", sort=False)
    return "\n".join(f"{corpus}: Macro-F1 rises by up to {one:.4f}." for corpus, one in rise.max().items())


def label_claims(table, empty="one", paper="papanikolaou"):
    """Return in how many corpora each comparison of section 5.4 comes out, here and in the paper's own tables.

    A row per comparison, columns micro_f1 and macro_f1 under ours and paper, as "2 of 3"; ``empty`` is the convention
    of ours.
    """
    ours = table[table["model"].isin(PAPERS) & (table["empty"] == empty)]
    theirs = pd.concat([reported(paper, item) for item in ("table 5", "table 6")])
    theirs = theirs[theirs["measure"].notna() & (theirs["corpus"] != "")]
    found = {}
    for side, rows in (("ours", ours), ("paper", theirs)):
        rows = rows.assign(chains=rows["chains"].astype(int))
        cells = rows.pivot(index=["chains", "measure", "corpus"], columns="model", values="value")
        for measure in ("micro_f1", "macro_f1"):
            one, five = (cells.loc[(chains, measure)] for chains in (1, 5))
            found[side, measure] = {
                name: f"{int(won.sum())} of {len(won)}" for name, won in _comparisons(one, five).items()
            }
    return pd.DataFrame(found)


def _comparisons(one, five):
    ahead = {
        f"{chains}: {first} above {second}": cells[first] > cells[second]
        for chains, cells in (("1 chain", one), ("5 chains", five))
        for first, second in (
            ("CGS_p", "CGS"),
            ("CGS_p", "CVB0"),
            ("CGS_p", "CGS_p|z"),
            ("CGS_z", "CGS"),
            ("CGS_p|z", "CGS"),
            ("CGS", "CVB0"),
        )
    }
    methods = [name for name in PAPERS if name != "CVB0"]
    return {
        "1 chain: CGS_p best of the five": one.idxmax(axis=1) == "CGS_p",
        "5 chains: CGS_p best of the five": five.idxmax(axis=1) == "CGS_p",
        "5 chains: all CGS methods above CVB0": five[methods].min(axis=1) > five["CVB0"],
        "CGS gains by chains more than CVB0": five["CGS"] - one["CGS"] > five["CVB0"] - one["CVB0"],
        **ahead,
    }


def say_label_claims(claims):
    """Say of ``label_claims`` which comparisons do not go the same way on most corpora here and in the paper."""
    share = claims.map(lambda cell: int(cell.split()[0]) / int(cell.split()[-1]))
    lines, agreed, clear = [], 0, 0
    for measure in ("micro_f1", "macro_f1"):
        for name, row in share.xs(measure, axis=1, level=1).iterrows():
            if row["paper"] == 0.5:
                continue
            clear += 1
            if (row["ours"] > 0.5) == (row["paper"] > 0.5) and row["ours"] != 0.5:
                agreed += 1
                continue
            ours, paper = claims.loc[name, ("ours", measure)], claims.loc[name, ("paper", measure)]
            lines.append(
                f"Not so here: {name}, {measure.replace('_', '-')}: {ours} corpora, in the paper {paper}."
            )
    head = (
        f"Of the {clear} comparisons that go one way on most of the paper's corpora, {agreed} go the same way on "
        "most of these."
    )
    return "\n".join([head, *lines])


def say_chains(table, empty="one"):
    """Say how much each model gains by five chains over one, a mean over corpora, beside CVB0's own gain."""
    rows = table[table["model"].isin(PAPERS) & (table["empty"] == empty)]
    cells = rows.pivot(index=["measure", "model", "corpus"], columns="chains", values="value")
    gains = (cells[5] - cells[1]).groupby(level=["measure", "model"], sort=False)
    lines = []
    for measure in ("micro_f1", "macro_f1"):
        told = ", ".join(f"{model} {gains.mean()[measure, model]:+.4f}" for model in PAPERS)
        lines.append(f"{measure}: five chains against one, mean over corpora: {told}.")
    return "\n".join(lines)


def ranks_beside_paper(table, paper="papanikolaou"):
    """Return ``average_ranks`` beside the paper's: a row per model, columns side, measure and chains."""
    theirs = pd.concat([reported(paper, item) for item in ("table 5", "table 6")])
    theirs = theirs[theirs["ranked_by"].notna()] if "ranked_by" in theirs else theirs.iloc[:0]
    theirs = theirs.assign(chains=theirs["chains"].astype(int))
    theirs = theirs.set_index(["model", "ranked_by", "chains"])["value"].unstack(["ranked_by", "chains"])
    ours = average_ranks(table)
    found = {"ours": ours, "paper": theirs.reindex(index=ours.index, columns=ours.columns)}
    return pd.concat(found, axis=1).round(2)
