"""Ueda & Saito (2002), parametric mixture models: their baselines, the trials, and what these say together."""
