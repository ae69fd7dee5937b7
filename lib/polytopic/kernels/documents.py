"""What the samplers of unseen documents share: the documents, when samples are taken, and the random numbers."""

from typing import NamedTuple

import numpy as np

from polytopic.kernels import generator
from polytopic.kernels.compiling import compiled, inlined

WARM_UP = 2  # sweeps under the flat prior, and over the topics, before the alternation starts


class Documents(NamedTuple):
    """Tokens of documents; those of document d are words[ptr[d]:ptr[d + 1]]."""

    ptr: np.ndarray  # (D + 1,)
    words: np.ndarray  # (N,) int32
    names: np.ndarray  # (D,) uint64  of their random numbers


class Schedule(NamedTuple):
    """When samples are taken: after sweep burn_in, then every lag sweeps, in each of n_chains chains."""

    burn_in: int
    n_samples: int
    lag: int
    n_chains: int


class Streams(NamedTuple):
    """The generators' states of the chains that run side by side, one stream for labels and one for topics."""

    labels: np.ndarray  # (4, L) uint32
    topics: np.ndarray  # (4, L) uint32


@inlined
def last_sweep(schedule):
    """Return the number of the sweep after which the last sample is taken."""
    return schedule.burn_in + (schedule.n_samples - 1) * schedule.lag


@inlined
def sample_after(step, schedule):
    """Return the number of the sample that is taken after sweep ``step``, or -1 if there is none."""
    since = step - schedule.burn_in
    return since // schedule.lag if since >= 0 and since % schedule.lag == 0 else -1


@compiled
def seed(streams, chains, k, item):
    """Seed the streams of as many chains as there are lanes, from chain k on, for one document.

    chains (2, K) uint64 names the chains' streams for labels and for topics; item is the document's name.
    """
    n_lanes = streams.labels.shape[1]
    generator.seed(streams.labels, chains[0, k : k + n_lanes], item)
    generator.seed(streams.topics, chains[1, k : k + n_lanes], item)


@inlined
def write_labels(z, row, labels):
    """Write the labels of a document's tokens to a row of labels (samples, N)."""
    for i in range(labels.shape[1]):
        labels[row, i] = z[i]
