"""One chain of the samplers side by side, token by token in plain Python, with float32 and the same random numbers.

They share no line with the kernels and know of no lanes: counts are dense tables, a document's topics a Python list
of pairs. A kernel's lane has to agree with its twin bit for bit.
"""

import numpy as np

from polytopic.kernels import generator

FLOAT = np.float32
BLOCK = 16


class Counts:
    """All tables of counts of topics z, tokens in order of items."""

    def __init__(self, docs, items, z, n_topics, n_items, alpha, beta, random):
        self.docs, self.items, self.z, self.random = docs, items, z, random
        self.n_wt, self.n_t = np.zeros((n_items, n_topics), int), np.zeros(n_topics, int)
        self.n_dt = np.zeros((max(docs) + 1, n_topics), int)
        self.alpha, self.beta, self.smooth = alpha.astype(FLOAT), FLOAT(beta), FLOAT(beta * n_items)
        for i in range(len(z)):
            self.move(i, 1)

    def move(self, i, step):
        for table in (self.n_dt[self.docs[i]], self.n_wt[self.items[i]], self.n_t):
            table[self.z[i]] += step

    def q(self, w):
        return (self.n_wt[w].astype(FLOAT) + self.beta) / (self.n_t.astype(FLOAT) + self.smooth)

    def uniform(self):
        return FLOAT(generator.uniform(self.random))

    def blocks(self, weights):
        """Return the weights by blocks of sixteen, zeros behind the last."""
        return np.pad(weights, (0, -len(weights) % BLOCK)).reshape(-1, BLOCK)


def dense(counts, n_sweeps):
    """Sweep like ``lda_lanes``; return the topics."""
    for _ in range(n_sweeps):
        for i, (d, w) in enumerate(zip(counts.docs, counts.items, strict=True)):
            counts.move(i, -1)
            weights = (counts.n_dt[d].astype(FLOAT) + counts.alpha) * counts.q(w)
            within = np.cumsum(counts.blocks(weights), axis=1, dtype=FLOAT)
            over_blocks = np.cumsum(within[:, -1], dtype=FLOAT)
            target = counts.uniform() * over_blocks[-1]
            block = (over_blocks[:-1] <= target).sum()
            target = counts.uniform() * within[block, -1]
            t = block * BLOCK + (within[block, :-1] <= target).sum()
            counts.z[i] = min(t, len(counts.alpha) - 1)
            counts.move(i, 1)
    return counts.z


def tree(counts, n_sweeps):
    """Sweep like ``lda_lanes_tree``; return the topics."""
    lists = [[] for _ in counts.n_dt]
    for i, d in enumerate(counts.docs):
        cell = next((cell for cell in lists[d] if cell[0] == counts.z[i]), None)
        if cell is None:
            lists[d].append(cell := [counts.z[i], 0])
        cell[1] += 1
    for _ in range(n_sweeps):
        lists = [[cell for cell in cells if cell[1] > 0] for cells in lists]
        for i, d in enumerate(counts.docs):
            counts.move(i, -1)
            next(cell for cell in lists[d] if cell[0] == counts.z[i])[1] -= 1
            cell = _drawn(counts, lists[d], counts.q(counts.items[i]))
            cell[1] += 1
            counts.z[i] = cell[0]
            counts.move(i, 1)
    return counts.z


def _drawn(counts, cells, q):
    """Return the cell of the topic drawn, made if need be."""
    by_prior = counts.blocks(counts.alpha * q)
    climbed = np.cumsum([_by_halves(block) for block in by_prior], dtype=FLOAT)
    within = np.cumsum([FLOAT(n) * q[t] for t, n in cells], dtype=FLOAT)
    target, in_tree, in_block = (counts.uniform() for _ in range(3))
    target = target * (within[-1] + climbed[-1])
    if target < within[-1]:
        return cells[(within <= target).sum()]
    block = min((climbed <= in_tree * climbed[-1]).sum(), len(climbed) - 1)
    sums = _by_doubling(by_prior[block]).astype(float)
    t = min(block * BLOCK + (sums <= float(in_block) * sums[-1]).sum(), len(q) - 1)
    cell = next((cell for cell in cells if cell[0] == t), None)
    if cell is None:
        cell = next((cell for cell in cells if cell[1] == 0), None)
        if cell is None:
            cells.append(cell := [t, 0])
        cell[0] = t
    return cell


def _by_halves(block):
    while len(block) > 1:
        block = block[: len(block) // 2] + block[len(block) // 2 :]
    return block[0]


def _by_doubling(block):
    for step in (1, 2, 4, 8):
        block = np.concatenate([block[:step], block[step:] + block[:-step]])
    return block
