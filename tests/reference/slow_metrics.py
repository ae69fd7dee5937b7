"""The measures straight from their definitions: loops over entries, no shared code with the package.

truth and scores are lists of lists, documents by labels.
"""

from itertools import combinations
from math import log, nan
from statistics import mean


def items(matrix, pivot):
    """Return the rows of a matrix for documents, its columns for labels."""
    rows = [list(row) for row in matrix]
    return rows if pivot == "document" else [list(column) for column in zip(*rows, strict=True)]


def ranked_truth(truth, scores):
    """Return one item's truth in ranking order: highest score first, ties in index order."""
    order = sorted(range(len(scores)), key=lambda j: (-scores[j], j))
    return [bool(truth[j]) for j in order]


def auc_roc(ranked):
    """Area under the ROC curve, stepping through the ranking by trapezoids from (0, 0) to (1, 1)."""
    n_positive, n_negative = sum(ranked), len(ranked) - sum(ranked)
    if n_negative == 0:
        return 1.0
    area, x, y = 0.0, 0.0, 0.0
    for n in range(1, len(ranked) + 1):
        hits = sum(ranked[:n])
        next_x, next_y = (n - hits) / n_negative, hits / n_positive
        area += (next_x - x) * (y + next_y) / 2
        x, y = next_x, next_y
    return area


def auc_pr(ranked):
    """Area under the precision-recall points of all ranks; up to the first hit, precision is that hit's."""
    n_positive, first = sum(ranked), ranked.index(True) + 1
    area, recall, precision = 0.0, 0.0, 1 / first
    for n in range(1, len(ranked) + 1):
        hits = sum(ranked[:n])
        next_recall, next_precision = hits / n_positive, hits / n if n >= first else 1 / first
        area += (next_recall - recall) * (precision + next_precision) / 2
        recall, precision = next_recall, next_precision
    return area


def average_precision(ranked):
    return mean(sum(ranked[:n]) / n for n in range(1, len(ranked) + 1) if ranked[n - 1])


def one_error(ranked):
    return 0.0 if ranked[0] else 100.0


def is_error(ranked):
    return 0.0 if all(ranked[: sum(ranked)]) else 100.0


def margin(ranked):
    if all(ranked):
        return 0
    last_positive = max(n for n, hit in enumerate(ranked) if hit)
    first_negative = min(n for n, hit in enumerate(ranked) if not hit)
    return max(0, last_positive - first_negative)


def ranking_loss(ranked):
    """Percentage of (positive, negative) pairs in the wrong order."""
    pairs = [(i, j) for i, hit in enumerate(ranked) if hit for j, other in enumerate(ranked) if not other]
    return 100 * sum(i > j for i, j in pairs) / len(pairs) if pairs else 0.0


MEASURES = (auc_roc, auc_pr, average_precision, one_error, is_error, margin, ranking_loss)


def ranking(truth, scores, pivot):
    """Return each measure's mean over the items with a positive."""
    kept = [
        ranked_truth(t, s) for t, s in zip(items(truth, pivot), items(scores, pivot), strict=True) if any(t)
    ]
    return {measure.__name__: mean(map(measure, kept)) for measure in MEASURES}


def f1(hits, predicted, true):
    return 2 * hits / (predicted + true) if predicted + true else 0.0


def median_rounded_up(values):
    values = sorted(values)
    n = len(values)
    if n % 2:
        return values[n // 2]
    total = values[n // 2 - 1] + values[n // 2]
    return total // 2 if total % 2 == 0 else total // 2 + 1


def proportional(train_labels, n_documents, pivot):
    """Return one number of predictions for each document or label."""
    if pivot == "document":
        return [median_rounded_up([sum(map(bool, row)) for row in train_labels])] * n_documents
    counts = []
    for column in zip(*train_labels, strict=True):
        n = 0
        while n * len(train_labels) < sum(map(bool, column)) * n_documents:
            n += 1
        counts.append(n)
    return counts


def best_f1(ranked):
    """Return the N from 0 up with the best F1, the first of several."""
    values = [f1(sum(ranked[:n]), n, sum(ranked)) for n in range(len(ranked) + 1)]
    return values.index(max(values))


def binary(truth, scores, pivot, cutoff, train_labels=None, empty="exclude"):
    """Return macro and micro F1, precision and recall."""
    ranked = [ranked_truth(t, s) for t, s in zip(items(truth, pivot), items(scores, pivot), strict=True)]
    if cutoff == "proportional":
        counts = proportional(train_labels, len(truth), pivot)
    elif cutoff == "calibrated":
        counts = [sum(r) for r in ranked]
    else:
        counts = [best_f1(r) for r in ranked]
    rows, totals = [], [0, 0, 0]
    for r, n in zip(ranked, counts, strict=True):
        if empty == "exclude" and not any(r):
            continue
        predicted = r[:n]
        hits, n_predicted, n_true = sum(predicted), len(predicted), sum(r)
        totals = [totals[0] + hits, totals[1] + n_predicted, totals[2] + n_true]
        if empty == "one" and n_predicted == 0 and n_true == 0:
            rows.append((1.0, 1.0, 1.0))
        else:
            rows.append(scored(hits, n_predicted, n_true))
    macro = [mean(column) for column in zip(*rows, strict=True)]
    micro = scored(*totals)
    names = ("f1", "precision", "recall")
    return {f"macro_{n}": v for n, v in zip(names, macro, strict=True)} | {
        f"micro_{n}": v for n, v in zip(names, micro, strict=True)
    }


def scored(hits, predicted, true):
    """Return F1, precision and recall, a quotient 0/0 being 0."""
    return f1(hits, predicted, true), hits / predicted if predicted else 0.0, hits / true if true else 0.0


def coherences(topics, counts, of_pair):
    """Return the mean of ``of_pair`` over the pairs of each topic's words that occur, given as sets of documents."""
    rows = [list(row) for row in counts]
    found = []
    for topic in topics:
        places = [{d for d, row in enumerate(rows) if row[w] > 0} for w in topic]
        pairs = combinations([place for place in places if place], 2)
        values = [of_pair(first, second, len(rows)) for first, second in pairs]
        found.append(mean(values) if values else nan)
    return found


def npmi(first, second, n_documents):
    """Normalised pointwise mutual information of the words of two sets of documents."""
    p, p_first, p_second = (len(place) / n_documents for place in (first & second, first, second))
    if p == 0:
        return -1.0
    return 0.0 if p == 1 else log(p / (p_first * p_second)) / -log(p)
