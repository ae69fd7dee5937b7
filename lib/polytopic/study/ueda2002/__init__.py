"""The room of Ueda & Saito (2002): their baselines, trials, tables and drawings."""
