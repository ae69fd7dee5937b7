"""The study: five papers, a room each, and what they share: stores, printed numbers, comparison, claims, drawing."""

import pandas as pd

pd.set_option("display.max_colwidth", None)  # a claim is shown whole
