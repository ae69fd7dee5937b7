"""From texts to labels: corpora of one's own, models that are kept, their labels and reasons, a server, Annif."""
