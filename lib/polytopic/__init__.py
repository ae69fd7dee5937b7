"""Multi-label topic models: a reproducible study and the samplers behind it."""

__version__ = "1.0.0"
__all__ = ["Labeller", "list_corpora", "load", "load_corpus"]


def __getattr__(name):
    """Import what is asked for when it first is, so that ``import polytopic`` stays quick."""
    if name in ("Labeller", "load"):
        from polytopic.practice import labeller

        return getattr(labeller, name)
    if name in __all__:
        from polytopic import datasets

        return getattr(datasets, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *__all__])
