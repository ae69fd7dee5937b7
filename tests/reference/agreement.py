"""Whether draws follow a distribution, or two sets of draws the same one."""

from collections import Counter

import numpy as np
from scipy import stats

from reference.enumeration import total_variation

FEWEST = 5  # expected draws in a cell of a chi-square test; rarer states share a cell


def starts(exact, n, rng):
    """Return n states (n, N), drawn from {state: probability}."""
    states = np.array(list(exact))
    return states[rng.choice(len(states), size=n, p=list(exact.values()))]


def tally(rows):
    """Return {row: number of times} for an integer table."""
    found, times = np.unique(rows, axis=0, return_counts=True)
    return Counter({tuple(map(int, row)): int(n) for row, n in zip(found, times, strict=True)})


def fit(exact, rows):
    """Return (p-value, total variation) of independent draws (n, N) against {state: probability}.

    Chi-square with the states that expect fewer than FEWEST draws in one cell. A draw of a state that cannot be has
    the p-value 0.
    """
    seen = tally(rows)
    if any(exact.get(state, 0) == 0 for state in seen):
        return 0.0, total_variation(exact, seen)
    observed = np.array([seen.get(state, 0) for state in exact])
    expected = np.array(list(exact.values())) * len(rows)
    rare = expected < FEWEST
    if rare.sum() > 1 and not rare.all():
        observed = np.append(observed[~rare], observed[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
    if len(expected) == 1:
        return 1.0, total_variation(exact, seen)
    return float(stats.chisquare(observed, expected).pvalue), total_variation(exact, seen)


def same(first, second):
    """Return the p-value of two tables of independent draws (n, N) having one distribution, by chi-square."""
    tables = tally(first), tally(second)
    both = np.array([[table.get(state, 0) for state in {**tables[0], **tables[1]}] for table in tables])
    rare = both.sum(axis=0) < 2 * FEWEST
    if rare.any():
        both = np.column_stack([both[:, ~rare], both[:, rare].sum(axis=1)])
    return float(stats.chi2_contingency(both, correction=False).pvalue) if both.shape[1] > 1 else 1.0


def count_vectors(exact, n_labels):
    """Return {tokens on each label: probability} from {label of each token: probability}."""
    total = Counter()
    for state, p in exact.items():
        total[tuple(map(int, np.bincount(state, minlength=n_labels)))] += p
    return dict(total)


def both_count_vectors(exact, n_labels):
    """Return {(words on each label, label tokens on each label): probability} from {(z, c, z'): probability}."""
    total = Counter()
    for (z, c, _), p in exact.items():
        total[tuple(int(n) for labels in (z, c) for n in np.bincount(labels, minlength=n_labels))] += p
    return dict(total)
