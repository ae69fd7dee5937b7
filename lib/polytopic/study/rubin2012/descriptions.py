"""What the pages on words of labels, labels of topics and labels of documents share."""

import numpy as np
import pandas as pd
from scipy import stats

from polytopic.study import compare
from polytopic.study.printed import reported


def top(weights, n):
    """Return the places of the n largest positive weights of a vector, or of fewer; ties keep the vector's order."""
    weights = np.asarray(weights)
    order = np.argsort(-weights, kind="stable")[:n]
    return order[weights[order] > 0]


def top_table(weights, n):
    """Return ``top`` of each row of weights (R, W): columns row, place (from 1), column, value."""
    found = [(row, *one) for row, own in enumerate(weights) for one in enumerate(top(own, n), 1)]
    table = pd.DataFrame(found, columns=["row", "place", "column"], dtype=int)
    return table.assign(value=weights[table["row"], table["column"]])


def nearest(values, wanted):
    """Return the places (a list) of the values nearest to those wanted, each place once; ties go to the first.

    Missing values are never taken. Raises ValueError when there are fewer values than are wanted.
    """
    left, places = np.array(values, float), []
    if (count := np.isfinite(left).sum()) < len(wanted):
        raise ValueError(f"there are {count} values, fewer than the {len(wanted)} asked for")
    for one in wanted:
        places.append(int(np.nanargmin(np.abs(left - one))))
        left[places[-1]] = np.nan
    return places


def sign_tests(frame, over, of, value, pairs):
    """Return how often a value of one kind is above another's, paired by the column ``over``, by a column ``of``.

    Columns: first, second, items (their number), difference (mean of first - second), low and high (its 95 % interval
    by Student's t, missing for one item), above, level, below (items), p (two-sided sign test over the items that
    differ; 1 if none does). Pairs that lack a side have no row.
    """
    wide, rows = frame.pivot(index=over, columns=of, values=value), []
    for first, second in pairs:
        if {first, second} <= set(wide.columns):
            gains = (wide[first] - wide[second]).dropna().round(12)
            above, below = int((gains > 0).sum()), int((gains < 0).sum())
            p = stats.binomtest(above, above + below).pvalue if above + below else 1.0
            mean = compare.means(gains.reset_index(name="value").assign(of=first), ["of"], [over])
            ends = mean.loc[0, ["mean", "low", "high"]]
            rows.append((first, second, len(gains), *ends, above, len(gains) - above - below, below, p))
    columns = ["first", "second", "items", "difference", "low", "high", "above", "level", "below", "p"]
    return pd.DataFrame(rows, columns=columns)


def labels_and_words(train, documents, row):
    """Return the labels of a document, and a list of its distinct words in the vocabulary's order.

    The labels are a frame, rarest first: columns label (name) and training (training documents).
    """
    labels = np.sort(documents.labels[row].indices)
    frequency = train.label_frequencies[labels].astype(int)
    table = pd.DataFrame({"label": [documents.label_names[c] for c in labels], "training": frequency})
    words = [documents.vocabulary[word] for word in np.sort(documents.counts[row].indices)]
    return table.sort_values("training", kind="stable", ignore_index=True), words


def printed_lists(item, of):
    """Return the places of a printed item's lists, and what is printed of whole lists, by their column ``of``."""
    rows = reported("rubin2012", item)
    rows["place"] = pd.to_numeric(rows["place"])
    places = rows.dropna(subset="place").astype({"place": int}).reset_index(drop=True)
    return places, rows[rows["place"].isna()].set_index(of)["value"]


def short(values):
    """Return numbers as text with three decimals, and no 0 before the point."""
    return values.map("{:.3f}".format).str.lstrip("0")


def side_by_side(heading, place, cell):
    """Return lists as the paper prints them: rows are places, columns headings in their order."""
    frame = pd.DataFrame({"heading": heading, "place": place, "cell": cell})
    wide = frame.pivot(index="place", columns="heading", values="cell")[heading.unique()]
    return wide.fillna("").rename_axis(index=None, columns=None)


def draw_lists(axes, bars, right, size):
    """Draw a list on each of the axes: texts behind bars up to ``right``, from the top down.

    bars has the columns title (of the list), place, length, color, text and bold.
    """
    for (title, rows), ax in zip(bars.groupby("title", sort=False), axes, strict=True):
        ax.barh(rows["place"], rows["length"], 0.85, color=rows["color"])
        ax.set(title=title, ylim=(rows["place"].max() + 0.6, 0.4), xlim=(0, right), xticks=[], yticks=[])
        ax.grid(visible=False)
        ax.spines[:].set_visible(False)
        for row in rows.itertuples():
            style = {"color": row.color, "fontweight": "bold"} if row.bold else {}
            ax.text(1.04, row.place, row.text, va="center", fontsize=size, **style)
    return axes
