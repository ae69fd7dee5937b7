"""What the command line is given: values checked before anything is run, and what is said when they cannot stand."""

import argparse
import difflib
import importlib.util
import socket
from contextlib import contextmanager

MOST_NUMBERS = 10_000  # in one list: nothing in the study has more splits or units
PATIENCE_SECONDS = 5


class Refusal(Exception):
    """The command cannot be carried out as given; the message says why."""


def unknown(kind, name, known):
    """Return the ValueError for a name that is unknown, with the nearest of the known ones.

    ``known`` holds names, or maps spellings to names.
    """
    spellings = known if isinstance(known, dict) else dict(zip(known, known, strict=True))
    near = difflib.get_close_matches(name, spellings, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(dict.fromkeys(spellings[one] for one in near))}?"
    known = ", ".join(dict.fromkeys(spellings.values())) or "none at all"
    return ValueError(f"there is no {kind} {name!r}; {hint if near else f'known: {known}'}")


@contextmanager
def refusing():
    """Turn a ValueError about what the user named into a Refusal."""
    try:
        yield
    except ValueError as mistake:
        raise Refusal(str(mistake)) from None


def whole_numbers(text):
    """Return the numbers of a list such as ``0,1,2`` or ``0-4``: rising, from 0 up, none twice."""
    numbers = []
    for part in text.split(","):
        first, dash, last = (piece.strip() for piece in part.partition("-"))
        if not (first.isdecimal() and (last.isdecimal() if dash else not last)):
            raise argparse.ArgumentTypeError(
                f"{part!r} is no whole number and no range: write them as 0,1,2 or 0-4"
            )
        low, high = int(first), int(last or first)
        if low > high:
            raise argparse.ArgumentTypeError(f"{part!r} runs backwards: write {high}-{low}")
        if len(numbers) + high - low >= MOST_NUMBERS:
            raise argparse.ArgumentTypeError(f"{text!r} means more than {MOST_NUMBERS:,} numbers")
        numbers += range(low, high + 1)
    if len(set(numbers)) < len(numbers):
        raise argparse.ArgumentTypeError(f"{text!r} names a number twice")
    return numbers


def at_least(low):
    """Return what reads a whole number from ``low`` up."""

    def read(text):
        if not text.strip().isdecimal() or int(text) < low:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {low} up")
        return int(text)

    return read


def minutes(text):
    """Return a number of minutes above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of minutes above 0")
    return number


def check_dask(address):
    """Raise Refusal unless Dask is installed and something listens at the address, ``host:port`` or ``tcp://...``."""
    if importlib.util.find_spec("distributed") is None:
        raise Refusal("--dask needs Dask, which is not installed: pip install 'polytopic[study,cluster]'")
    host, _, port = address.rpartition("://")[2].rpartition(":")
    try:
        socket.create_connection((host, int(port)), PATIENCE_SECONDS).close()
    except (OSError, ValueError, OverflowError) as problem:
        raise Refusal(
            f"no Dask scheduler answers at {address!r} ({problem}): start one with `dask scheduler` and give --dask "
            "the address that it prints, such as tcp://127.0.0.1:8786"
        ) from None


def check_checkout(folder):
    """Raise Refusal unless the study's checkout has this folder: an installed library has none of it."""
    from polytopic import paths

    if not (paths.root() / folder).is_dir():
        raise Refusal(
            f"there is no folder {folder} in {paths.root()}: this command works in a checkout of the study. Go "
            f"there, or name it in {paths.HOME}"
        )


def unwritable(problem):
    """Return in one line that the system let nothing be written or read, and what to do."""
    from polytopic import paths

    where = f" {problem.filename}" if problem.filename else ""
    return (
        f"cannot write{where}: {problem.strerror or problem}. {paths.RUNS}, {paths.FIGURES} and {paths.CACHE} name "
        "other folders for runs, figures and the cache"
    )
