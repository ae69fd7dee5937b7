"""What a model has learned, put into words: of labels, of topics over labels, and of single documents."""

from polytopic.descriptions import documents, drawing, topics, words

__all__ = ["documents", "drawing", "topics", "words"]
