"""Rubin, Chambers, Smyth & Steyvers (2012): topic models and SVMs for many and rare labels."""
