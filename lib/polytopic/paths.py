"""Where the study keeps its files. Each function returns a pathlib.Path, and all but ``cache`` create nothing."""

import logging
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

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

    $POLYTOPIC_CACHE, else ``.cache`` of the checkout, else the user's cache folder. Where that cannot be written to,
    it is a temporary folder of the user alone: that is made, said once, and named in $POLYTOPIC_CACHE, so that the
    processes that this one starts take the same. Without any, it is the user's cache folder after all.
    """
    if os.environ.get(CACHE):
        return Path(os.environ[CACHE])
    home = checkout()
    if home and os.access(home, os.W_OK):
        return home / ".cache"
    import pooch

    usual = Path(pooch.os_cache("polytopic"))
    with suppress(OSError):
        if usual.is_absolute():  # "~" stays as it is where no home is known
            usual.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=usual).close()
            return usual
    with suppress(OSError):
        folder = _own_temporary()
        os.environ[CACHE] = str(folder)
        logging.getLogger("polytopic").warning(
            "%s cannot be written to: what is compiled or downloaded goes to %s; %s names another folder",
            usual, folder, CACHE,
        )  # fmt: skip
        return folder
    return usual.absolute()


def _own_temporary():
    """Return a folder that nobody else can write to, of a name that the next process knows, else of a new one.

    What lies in it is executed at reading: one that somebody else has made, or can write to, is not taken.
    """
    folder = Path(tempfile.gettempdir(), f"polytopic-{os.getuid()}" if hasattr(os, "getuid") else "polytopic")
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    state = folder.lstat()
    closed = stat.S_ISDIR(state.st_mode) and not state.st_mode & 0o077
    is_own = closed and hasattr(os, "getuid") and state.st_uid == os.getuid()
    return folder if is_own else Path(tempfile.mkdtemp(prefix="polytopic-"))
