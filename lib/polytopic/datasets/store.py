"""Parsed corpora on disk: one uncompressed npz file each, written whole or not at all."""

import io
import json
from pathlib import Path

import numpy as np
from scipy import sparse

from polytopic.corpus import Corpus
from polytopic.files import write_whole


def save(corpus, file):
    """Write ``corpus`` beside ``file``, then rename it. Raises OSError and leaves no rest behind."""
    content = io.BytesIO()
    np.savez(content, **_arrays(corpus))
    write_whole(file, content.getvalue())


def load(file):
    """Return the Corpus that ``save`` wrote. Raises some exception for a damaged file."""
    with np.load(io.BytesIO(Path(file).read_bytes()), allow_pickle=False) as stored:
        notes = json.loads(stored["notes"].tobytes())
        splits = [(stored[f"train_{i}"], stored[f"test_{i}"]) for i in range(notes.pop("n_splits"))]
        return Corpus(
            counts=_matrix(stored, "counts"), labels=_matrix(stored, "labels"), splits=splits, **notes
        )


def _arrays(corpus):
    arrays = {}
    for part in ("counts", "labels"):
        matrix = getattr(corpus, part)
        arrays |= {
            f"{part}_{field}": getattr(matrix, field) for field in ("data", "indices", "indptr", "shape")
        }
    for i, (train, test) in enumerate(corpus.splits):
        arrays |= {f"train_{i}": train, f"test_{i}": test}
    notes = {field: getattr(corpus, field) for field in ("vocabulary", "label_names", "split_names", "name")}
    notes |= {"real_valued": corpus.real_valued, "n_splits": len(corpus.splits)}
    return arrays | {"notes": np.frombuffer(json.dumps(notes).encode(), np.uint8)}


def _matrix(stored, part):
    data, indices, indptr, shape = (
        stored[f"{part}_{field}"] for field in ("data", "indices", "indptr", "shape")
    )
    return sparse.csr_matrix((data, indices, indptr), shape=tuple(shape))
