"""Where in a text the words stand that a vectoriser counts."""

import re


def spans_of(vectorizer, text):
    """Return {column: [(start, end), ...]}: where in the text each word of a vectoriser's vocabulary stands.

    vectorizer is a fitted scikit-learn vectoriser of texts. A phrase (``ngram_range``) has a place for each of its
    words, one after the other. Returns None where places cannot be told: for an analyser of characters, functions of
    one's own, and a text whose preparation does not go letter by letter.
    """
    if vectorizer.analyzer != "word" or vectorizer.tokenizer is not None:
        return None
    prepared = _prepared(vectorizer, text)
    if prepared is None:
        return None
    letters, origin = prepared
    stop_words = vectorizer.get_stop_words() or ()
    pattern = re.compile(vectorizer.token_pattern)
    tokens = [
        (
            found.group(pattern.groups),
            (origin[found.start(pattern.groups)], origin[found.end(pattern.groups) - 1] + 1),
        )
        for found in pattern.finditer(letters)
        if found.group(pattern.groups) and found.group(pattern.groups) not in stop_words
    ]
    places, (shortest, longest) = {}, vectorizer.ngram_range
    for n in range(shortest, longest + 1):
        for first in range(len(tokens) - n + 1):
            some = tokens[first : first + n]
            column = vectorizer.vocabulary_.get(" ".join(word for word, _ in some))
            if column is not None:
                places.setdefault(int(column), []).extend(place for _, place in some)
    return places


def _prepared(vectorizer, text):
    """Return the text as the vectoriser prepares it, and for each of its letters the place that it comes from."""
    prepare = vectorizer.build_preprocessor()
    whole, by_letter = prepare(text), [prepare(letter) for letter in text]
    origin = [place for place, letters in enumerate(by_letter) for _ in letters]
    return (whole, origin) if len(origin) == len(whole) else None
