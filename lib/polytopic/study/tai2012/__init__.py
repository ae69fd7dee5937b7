"""Tai & Lin (2012), redone: protocol, results, summaries and drawings."""

from polytopic.study.tai2012 import drawing, lessons, protocol, results, summaries, timing

__all__ = ["drawing", "lessons", "protocol", "results", "summaries", "timing"]
