"""How does the cost of a sweep grow with tokens, labels and topics, beside the orders of Rubin et al.'s table 3?

Of every sampler as it is used, and of those that weigh all labels or topics for every token.
"""

import _harness as harness

from polytopic.study.rubin2012 import costs, drawing


def main():
    options = harness.arguments(__doc__, quick={"scale": "quick"}, scale="full")
    table = costs.measure(options.scale, options.seed, options.repeats)
    harness.save(
        "sweep_costs", table, drawing.plot_sweep_costs(costs.summary(table), costs.exponents(table)), options
    )


if __name__ == "__main__":
    main()
