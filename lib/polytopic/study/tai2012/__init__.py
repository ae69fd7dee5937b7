"""Tai & Lin (2012), principal label space transformation: what is computed, its tables, claims and drawings."""
