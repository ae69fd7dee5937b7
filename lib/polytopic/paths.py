"""Where the study keeps its files. Each function returns a pathlib.Path and creates nothing."""

import os
from pathlib import Path

import pooch

HOME = "POLYTOPIC_HOME"
CACHE = "POLYTOPIC_CACHE"
FIGURES = "POLYTOPIC_FIGURES"
RUNS = "POLYTOPIC_RUNS"
MIRROR = "POLYTOPIC_MIRROR"


def root():
    """Return the study's folder: $POLYTOPIC_HOME, else the checkout this package lies in, else the current folder."""
    if os.environ.get(HOME):
        return Path(os.environ[HOME]).resolve()
    return checkout() or Path.cwd()


def checkout():
    """Return the folder of the checkout this package lies in, or None for an installed wheel."""
    folder = Path(__file__).resolve().parents[2]
    return folder if (folder / "pyproject.toml").is_file() else None


def data():
    return root() / "data"


def results():
    """Return the folder of the stored paper-scale results, which belong to the repository."""
    return data() / "results"


def reported():
    """Return the folder of the numbers that the papers print."""
    return data() / "reported"


def notebooks():
    return root() / "notebooks"


def figures():
    """Return the folder that standard runs draw into: $POLYTOPIC_FIGURES, else ``figures``."""
    return Path(os.environ.get(FIGURES) or root() / "figures").absolute()


def runs():
    """Return the folder of executed notebooks and of what they draw otherwise: $POLYTOPIC_RUNS, else ``runs``."""
    return Path(os.environ.get(RUNS) or root() / "runs").absolute()


def cache():
    """Return the folder of what can be computed or downloaded again.

    $POLYTOPIC_CACHE, else ``.cache`` of the checkout, else the user's cache folder.
    """
    if os.environ.get(CACHE):
        return Path(os.environ[CACHE])
    home = checkout()
    return home / ".cache" if home and os.access(home, os.W_OK) else Path(pooch.os_cache("polytopic"))
