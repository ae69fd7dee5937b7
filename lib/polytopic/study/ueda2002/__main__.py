"""``python -m polytopic.study.ueda2002``: compute the paper-scale trials that are not stored yet."""

import argparse
import time

from tqdm.auto import tqdm

from polytopic.study.ueda2002 import units


def main(arguments=None):
    """Compute the units asked for and say how many are left; with --minutes begin none after that time."""
    parser = argparse.ArgumentParser(prog="python -m polytopic.study.ueda2002", description=__doc__)
    parser.add_argument("--problems", nargs="+", default=[*units.WHOLE, *units.REDUCED])
    parser.add_argument("--methods", nargs="+", default=[*units.METHODS, *units.READINGS])
    parser.add_argument("--trials", nargs="+", type=int, default=None)
    parser.add_argument("--scale", choices=list(units.SCALES), default="paper")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=None)
    asked = parser.parse_args(arguments)
    trials = range(units.SCALES[asked.scale]["trials"]) if asked.trials is None else asked.trials
    total = len(trials) * len(asked.problems) * len(asked.methods) * len(units.SCALES[asked.scale]["sizes"])
    until = None if asked.minutes is None else time.monotonic() + 60 * asked.minutes
    held = units.stored(asked.scale, asked.problems, asked.seed)
    held = held[held["method"].isin(asked.methods) & held["trial"].isin(trials)]
    with tqdm(total=total, initial=len(held), desc="trials", unit="unit") as bar:

        def tell(row):
            bar.set_postfix_str(f"{row['problem']} {row['size']} {row['method']} {row['f1']:.1f}")
            bar.update()

        rows = units.run(asked.problems, asked.methods, trials, asked.scale, asked.seed, until, tell)
    print(f"{len(rows)} of {total} units are stored")
    return 0 if len(rows) == total else 3


if __name__ == "__main__":
    raise SystemExit(main())
