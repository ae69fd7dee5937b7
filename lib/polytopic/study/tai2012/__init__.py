"""Tai & Lin (2012), principal label space transformation: the protocol, what is computed, means and curves."""
