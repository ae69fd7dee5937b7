"""How many dimensions PLST needs, chosen without the test documents: what Tai & Lin (2012) leave to future work."""

import numpy as np
import pandas as pd

from polytopic.datasets import load_corpus
from polytopic.models.label_space import compare_rules
from polytopic.models.label_space.dimensions import RULES
from polytopic.study.tai2012.protocol import Data


def held_out(corpus="debtags", seed=0, **limits):
    """Return {"curve": Theorem 1's terms and the loss at every M, held out; "chosen": what each rule takes} on the
    training part of partition 0. limits are those of ``protocol.Data``.
    """
    data = Data(load_corpus(corpus), 0, seed, **limits)
    found = compare_rules(data.X, data.Y, random_state=seed)
    known = found[RULES[0]]
    curve = pd.DataFrame(
        {
            "n_dimensions": np.arange(len(known.loss)),
            "prediction_error": known.prediction_error,
            "encoding_error": known.encoding_error,
            "bound": known.prediction_error + known.encoding_error,
            "hamming_loss": known.loss,
            "empty_loss": float(data.Y.mean()),
        }
    )
    chosen = pd.DataFrame({"rule": list(found), "n_dimensions": [one.n_dimensions for one in found.values()]})
    return {"curve": curve, "chosen": chosen}


def at_the_choice(held):
    """Return the held-out loss at what each rule of ``held_out`` chooses, where the bound is smallest, and with all
    dimensions: columns rule, n_dimensions, bound, hamming_loss.
    """
    curve = held["curve"].set_index("n_dimensions")
    ends = {"rule": ["(smallest bound)", "(all)"], "n_dimensions": [curve["bound"].idxmin(), curve.index[-1]]}
    table = pd.concat([held["chosen"], pd.DataFrame(ends)], ignore_index=True)
    return table.join(curve[["bound", "hamming_loss"]], on="n_dimensions")
