"""``python -m polytopic.study.papanikolaou``: compute and store an experiment, going on where it stopped."""

import argparse

from polytopic.study import papanikolaou as estimation

EXPERIMENTS = {
    one.__name__: one
    for one in (
        estimation.perplexity,
        estimation.convergence,
        estimation.blending,
        estimation.gibbs1,
        estimation.labels,
        estimation.lead_labels,
        estimation.lead_completion,
        estimation.word_statistics,
    )
}
WITH_RUNS = ("perplexity", "convergence", "blending", "gibbs1")


def main(arguments=None):
    """Compute one experiment on each of the corpora, telling the time that is left."""
    parser = argparse.ArgumentParser(prog="python -m polytopic.study.papanikolaou", description=main.__doc__)
    parser.add_argument("experiment", choices=list(EXPERIMENTS))
    parser.add_argument("corpora", nargs="+", metavar="corpus")
    parser.add_argument("--scale", choices=list(estimation.SCALES), default="medium")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--runs", type=int, help="the scale's first so many runs; all by default")
    asked = parser.parse_args(arguments)
    fewer = {} if asked.runs is None else {"runs": asked.runs}
    if fewer and asked.experiment not in WITH_RUNS:
        parser.error(f"--runs is for {', '.join(WITH_RUNS)}")
    for corpus in asked.corpora:
        table = EXPERIMENTS[asked.experiment](corpus, asked.scale, asked.seed, **fewer)
        print(f"{asked.experiment} on {corpus}, {asked.scale} scale: {len(table)} values", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
