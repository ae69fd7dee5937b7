"""What the study keeps of its computations."""

from joblib import Memory

from polytopic import paths


def memory():
    """Return the joblib.Memory that keeps finished chains."""
    return Memory(paths.cache() / "chains", verbose=0)
