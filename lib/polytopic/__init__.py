"""Multi-label topic models: a reproducible study and the samplers behind it."""

__version__ = "0.1.0"
