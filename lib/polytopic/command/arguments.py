"""What the command line is given: values checked before anything is run, and what is said when they cannot stand."""

import argparse
import asyncio
import importlib.util
import re
from contextlib import contextmanager

MOST_NUMBERS = 10_000  # in one list: nothing in the study has more splits or units
PATIENCE_SECONDS = 5


class Refusal(Exception):
    """The command cannot be carried out as given; the message says why."""


@contextmanager
def refusing():
    """Turn what is wrong with a user's files, names or settings into a Refusal."""
    try:
        yield
    except (ValueError, FileNotFoundError) as mistake:
        raise Refusal(str(mistake)) from mistake


def check(holds, message):
    """Raise what argparse shows beside the option's name, unless the condition holds."""
    if not holds:
        raise argparse.ArgumentTypeError(message)


def whole_numbers(text):
    """Return the numbers of a list such as ``0,1,2`` or ``0-4``: rising, from 0 up, none twice."""
    numbers = []
    for part in text.split(","):
        found = re.fullmatch(r"\s*(\d+)\s*(?:-\s*(\d+)\s*)?", part)
        check(found, f"{part!r} is no whole number and no range: write them as 0,1,2 or 0-4")
        low, high = int(found[1]), int(found[2] or found[1])
        check(low <= high, f"{part!r} runs backwards: write {high}-{low}")
        check(len(numbers) + high - low < MOST_NUMBERS, f"{text!r} means more than {MOST_NUMBERS:,} numbers")
        numbers += range(low, high + 1)
    check(len(set(numbers)) == len(numbers), f"{text!r} names a number twice")
    return numbers


def at_least(low):
    """Return what reads a whole number from ``low`` up."""

    def read(text):
        check(text.strip().isdecimal() and int(text) >= low, f"{text!r} is no whole number from {low} up")
        return int(text)

    return read


def minutes(text):
    """Return a number of minutes above 0."""
    positive = re.fullmatch(r"\d+|\d*\.\d+", text) and float(text) > 0
    check(positive, f"{text!r} is no number of minutes above 0")
    return float(text)


def check_dask(address):
    """Raise Refusal unless a Dask scheduler with workers listens at the address, ``host:port`` or ``tcp://...``."""
    if importlib.util.find_spec("distributed") is None:
        raise Refusal("--dask needs Dask, which is not installed: pip install 'polytopic[study,cluster]'")
    try:
        n_workers = asyncio.run(asyncio.wait_for(_count_workers(address), PATIENCE_SECONDS))
    except (OSError, ValueError, KeyError) as problem:
        reason = str(problem) or f"nothing within {PATIENCE_SECONDS} seconds"
        raise Refusal(
            f"no Dask scheduler answers at {address!r} ({reason}): start one with `dask scheduler` and give --dask "
            "the address that it prints, such as tcp://127.0.0.1:8786"
        ) from None
    if not n_workers:
        raise Refusal(f"the scheduler at {address!r} has no workers: start some with `dask worker {address}`")


async def _count_workers(address):
    from distributed.core import rpc

    async with rpc(address) as scheduler:
        return len((await scheduler.identity(n_workers=-1))["workers"])


def check_checkout(folder):
    """Raise Refusal unless the study's checkout has this folder: an installed library has none of it."""
    from polytopic import paths

    if not (paths.root() / folder).is_dir():
        where = f"there is no folder {folder} in {paths.root()}"
        remedy = f"Go there, or name it in {paths.HOME}"
        raise Refusal(f"{where}: this command works in a checkout of the study. {remedy}")
