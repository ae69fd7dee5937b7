"""``python -m polytopic.study.tai2012``: compute the partitions of Tai & Lin's protocol that are not stored yet."""

import argparse

from polytopic.study.tai2012 import results


def main(arguments=None):
    """Compute what is asked for, kind by kind, and store each partition once it is done; a later call goes on."""
    parser = argparse.ArgumentParser(prog="python -m polytopic.study.tai2012", description=__doc__)
    parser.add_argument("--corpora", nargs="+", default=["emotions", "yeast", "corel5k", "delicious"])
    parser.add_argument("--kinds", nargs="+", choices=list(results.KINDS), default=["ridge", "ideal", "plst"])
    parser.add_argument("--partitions", type=int, default=results.PARTITIONS["paper"])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most-dimensions", type=int, help="of the kinds ridge, ideal, m5p and plst")
    parser.add_argument("--again", action="store_true", help="compute what is stored as well")
    asked = parser.parse_args(arguments)
    how = {} if asked.most_dimensions is None else {"most_dimensions": asked.most_dimensions}
    for corpus in asked.corpora:
        for kind in asked.kinds:
            frame = results.complete(kind, corpus, asked.partitions, asked.seed, asked.again, **how)
            print(f"{corpus}, {kind}: {frame['partition'].nunique()} partitions are stored", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
