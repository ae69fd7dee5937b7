"""Section 2 of Tai & Lin (2012): label sets as vertices of a cube, and the family of methods in one frame."""

import numpy as np
import pandas as pd

from polytopic import metrics
from polytopic.models import (
    PLST,
    CalibratedLabelRanking,
    CompressiveSensing,
    GeneralisedTopicModel,
    LabelPowerset,
    PartialBinaryRelevance,
)
from polytopic.models.label_space import codes
from polytopic.study.tai2012.experiments import LABEL_RANKING
from polytopic.study.tai2012.protocol import Data

MOST_RANKED = 12  # labels that are compared pair by pair


def cubes():
    """Return {title: (occupied vertices (D, 3), code)} for ``drawing.plot_hypercube``."""
    equal = np.array([[0, 0, 0], [1, 1, 0], [1, 1, 1]])
    exclusive = np.array([[0, 0, 0], [1, 0, 1], [0, 1, 1]])
    nested = np.array([[0, 0, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1]])
    directions = np.linalg.qr(np.array([[0.55, 0.4, 0.8], [-0.6, 0.8, 0.0]]).T)[0].T
    return {
        "labels 1 and 2 equal: a line": (equal, codes.principal(equal, 1)),
        "exclusive sub-classes: a plane": (exclusive, codes.principal(exclusive, 2)),
        "the paper's plane through (½, ½, ½)": (nested, codes.FlatCode(np.full(3, 0.5), directions)),
        "its PLST plane": (nested, codes.principal(nested, 2)),
    }


def landings(lessons):
    """Return where every vertex of ``cubes`` lands and what it rounds to: lesson, vertex, x, y, z, rounded."""
    rows = []
    for title, (occupied, code) in lessons.items():
        points = code.decode(code.encode(occupied))
        for vertex, point, back in zip(occupied, points, codes.vertices(points).astype(int), strict=True):
            rows.append((title, "".join(map(str, vertex)), *point, "".join(map(str, back))))
    return pd.DataFrame(rows, columns=["lesson", "vertex", "x", "y", "z", "rounded"])


def returning(landed):
    """Return how many occupied vertices of each lesson come back by rounding, and of how many."""
    back = landed["vertex"] == landed["rounded"]
    return back.groupby(landed["lesson"], sort=False).agg(back="sum", of="size")


def family(corpus, n_dimensions=4, most_labels=10, seed=0):
    """Return the measures of every member of the frame on partition 0 of a corpus's commonest labels, a row each."""
    data = Data(corpus, 0, seed, most_labels=most_labels, most_features=300)
    m = min(n_dimensions, data.Y.shape[1])
    members = {
        "Binary relevance": PartialBinaryRelevance(),
        "PBR": PartialBinaryRelevance(m),
        "PBR-Mean": PartialBinaryRelevance(m, shift=True),
        "PLST": PLST(m),
        "PLST-Origin": PLST(m, shift=False),
        "CS": CompressiveSensing(m, data.sparsity, random_state=seed),
        "CS-BestVertex": CompressiveSensing(m, data.sparsity, best_vertex=True, random_state=seed),
        "Label powerset": LabelPowerset(),
        "Generalised topic model": GeneralisedTopicModel(m, random_state=seed),
    }
    if data.Y.shape[1] <= MOST_RANKED:
        members[LABEL_RANKING] = CalibratedLabelRanking()
    nothing = metrics.vertex_measures(data.truth, np.zeros(data.truth.shape))
    rows = {}
    for name, model in members.items():
        points = model.fit(data.X, data.Y).decision_function(data.X_test)
        is_ranking = name == LABEL_RANKING
        n = len(model.pairs_) if is_ranking else model.code_.encode(data.Y[:1]).shape[1]
        rows[name] = {"regressors": n} | metrics.vertex_measures(data.truth, points)
    rows["No label at all"] = {"regressors": 0} | nothing
    shown = ["regressors", "hamming_loss", "misordered_pairs", "macro_auc", "macro_f1"]
    return pd.DataFrame(rows.values(), pd.Index(rows, name="member"))[shown]
