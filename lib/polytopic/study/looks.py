"""How every named series looks, in every figure of the study, and what a room and a corpus are called.

Nine colours, each at least three times as far from white in luminance as WCAG 2.2 asks of graphics, and far apart
also for those who do not see red or green; a marker of its own goes with each. A series has one look over the whole
study, and no two systems have the same. Topic models over labels are blue and green, SVMs of 2012 rust and orange,
linear models on TF-IDF black, hybrids indigo, online models, mixtures and label codes purple, trees olive; estimators
and random codes take any. Series that are steps of one thing are shades of one colour.
"""

import itertools

BLUE, NAVY, GREEN = "#2D78D2", "#1E3C69", "#3CA578"
RUST, ORANGE, MAUVE = "#962D00", "#D2780F", "#A587B4"
INDIGO, OLIVE, BLACK = "#2D0FA5", "#4B4B3C", "#000000"
PALETTE = (BLUE, GREEN, RUST, ORANGE, INDIGO, MAUVE, NAVY, OLIVE, BLACK)
BRICK = "#C84B32"  # between rust and orange
PLUM, GRAPE, AUBERGINE = "#7E5C94", "#573473", "#2E1A40"  # mauve, darker and darker
INK, GREY, PALE = "#444444", "#808080", "#BBBBBB"  # lines and letters; what stands back; areas alone
MARKERS = "osDv^PX*<>hpd"

_DASHED, _HOLLOW = {"linestyle": "--"}, {"linestyle": "--", "markerfacecolor": "white"}


def _look(color, marker="", **others):
    return {"color": color, "marker": marker, **others}


OF_RUBIN = {
    "Dependency-LDA": _look(BLUE, "o"),
    "Prior-LDA": _look(NAVY, "s"),
    "Flat-LDA": _look(GREEN, "D"),
    "Tuned SVM": _look(RUST, "^"),
    "Vanilla SVM": _look(ORANGE, "v"),
}
LOOKS = OF_RUBIN | {  # readings of the SVMs of 2012
    "Tuned SVM, both weights": _look(BRICK, "<"),
    "Tuned SVM, unit length": _look(RUST, ">"),
    "Vanilla SVM, no bias": _look(BRICK, "P"),
    "Vanilla SVM, unit length": _look(ORANGE, "X"),
    "BR(SVM)": _look(ORANGE, ">"),
    # linear models on TF-IDF, and trees
    "Vanilla SVM, TF-IDF": _look(BLACK, "P"),
    "SVM, tf-idf": _look(BLACK, "d"),
    "TF-IDF SVM": _look(BLACK, "X"),
    "TF-IDF ridge": _look(BLACK, "h"),
    "Binary relevance, ridge": _look(BLACK, "X", **_DASHED),
    "Word counts": _look(BLACK, "*"),
    "FastXML": _look(OLIVE, ">"),
    "PD Sparse": _look(OLIVE, "X"),
    "Label frequencies": _look(OLIVE, "*"),
    "frequencies so far": _look(GREY, "*"),
    # hybrids
    "Hybrid": _look(INDIGO, "h"),
    "Default hybrid": _look(INDIGO, "*"),
    # topic models over labels
    "Dependency-LDA, mean field": _look(NAVY, "p"),
    "Learned Dependency-LDA": _look(NAVY, "h"),
    "a fifth of the words shared": _look(GREEN, "h"),
    "sampling": _look(BLUE, "d"),
    "fast": _look(BLACK, "s"),  # inference
    "Fast-Dep.-LLDA S1": _look(NAVY, "<"),
    "Fast-Dep.-LLDA S2": _look(GREEN, "s"),
    "S1 by token": _look(NAVY, "<", markerfacecolor="white"),
    "S2 rescored": _look(GREEN, "s", markerfacecolor="white"),
    "not greedy": _look(NAVY, "o"),
    "Author-topic": _look(BLACK, "p"),
    # online
    "SCVB-Dep.": _look(PLUM, "p"),
    "SCVB": _look(MAUVE, "h"),
    "SCVB-Dep., program's steps": _look(PLUM, "p", **_HOLLOW),
    "SCVB, program's steps": _look(MAUVE, "h", **_HOLLOW),
    # mixtures
    "PMM1": _look(GRAPE, "*"),
    "PMM2": _look(MAUVE, "X"),
    "PMM1, xi 1.01": _look(PLUM, "d"),
    # estimators
    "CGS": _look(BLACK, "o"),
    "CGS_z": _look(GREEN, "v"),
    "CGS_p": _look(BLUE, "s"),
    "CGS_p|z": _look(NAVY, "^"),
    "CVB0": _look(RUST, "D"),
    "CGS_rb": _look(OLIVE, "P"),
    "CGS then CVB0": _look(ORANGE, "P"),
    "CGS_p over phi_p": _look(MAUVE, "<"),
    "CVB0 over the chain's phi": _look(PLUM, ">"),
} | {
    f"CVB0 after {n}": _look(color, marker, linestyle=dash)
    for n, color, marker, dash in (
        (5, MAUVE, "<", ":"), (10, PLUM, ">", "--"), (20, GRAPE, "h", "-."), (30, AUBERGINE, "p", "--")
    )
} | {
    f"proper, M = {n_label_tokens}{scored}": _look(color, marker, linestyle=dash)
    for n_label_tokens, color, marker in ((10, GREEN, "v"), (100, BLUE, "s"), (1000, RUST, "D"))
    for scored, dash in (("", "-"), (", Eq. 12", "--"))
} | {  # label codes
    "PLST": _look(GRAPE, "o"),
    "PLST-Origin": _look(MAUVE, "o", **_DASHED),
    "PBR": _look(RUST, "s"),
    "PBR-Mean": _look(ORANGE, "s", **_DASHED),
    "CS": _look(GREEN, "^"),
    "CS-BestVertex": _look(OLIVE, "^", **_DASHED),
    "Label ranking": _look(BLACK, linestyle="-."),
} | {
    f"PLST, {n}": _look(color, "^")
    for n, color in ((10, MAUVE), (50, PLUM), (200, GRAPE), (800, AUBERGINE))
}  # fmt: skip
SAME = {  # another name of a system, in another paper
    "Labeled-LDA": "Flat-LDA",
    "Dep.-LLDA": "Dependency-LDA",
    "mean field, power .7": "Dependency-LDA, mean field",
    "Fast-Dep.-LLDA": "Fast-Dep.-LLDA S2",
    "greedy": "Fast-Dep.-LLDA S2",
    "TF-IDF SVM, cost 1": "Vanilla SVM, TF-IDF",
    "CVB0 after 4": "CVB0 after 5",
}
LOOKS |= {name: LOOKS[other] for name, other in SAME.items()}

ROOMS = {  # of the study, in their order
    "rubin2012": "Rubin et al. (2012)",
    "papanikolaou": "Papanikolaou et al. (2017)",
    "burkhardt2018": "Burkhardt & Kramer (2018)",
    "ueda2002": "Ueda & Saito (2002)",
    "tai2012": "Tai & Lin (2012)",
    "today": "Models of today",
    "audit": "Printed numbers",
}
DISPLAYED = {
    "nyt": "New York Times",
    "eurlex": "EUR-Lex",
    "rcv1": "RCV1",
    "debtags-labels": "debtags (tags as words)",
    "bills-109-labels": "bills (subjects as words)",
    "ohsumed": "OHSUMED",
    "amazoncat": "AmazonCat",
    "yahoo_arts_rubin": "Yahoo! Arts",
    "yahoo_health_rubin": "Yahoo! Health",
    "yahoo_arts": "Yahoo! Arts, all pages",
    "yahoo_health": "Yahoo! Health, all pages",
    "eurlex-titles": "EU titles",
    "eurlex-labelsets": "EUR-Lex label sets",
    "eurlex-years": "EU titles, by year",
    "eurlex57k": "EU acts",
    "bills-109": "US bills",
    "eurlex-papers": "EUR-Lex in part",
    "rcv1-subsets": "RCV1 subsets",
    "reuters21578": "Reuters-21578",
    "stackex-cooking": "Stack Exchange, cooking",
    "stackex-cs": "Stack Exchange, computing",
    "stackex-chemistry": "Stack Exchange, chemistry",
    "tibkat-en": "TIBKAT, English",
    "tibkat-de": "TIBKAT, German",
    "tibkat": "TIBKAT",
}


def in_order(models):
    """Return the distinct models: those of OF_RUBIN first, in its order, then others as they come."""
    present = list(dict.fromkeys(models))
    return [one for one in OF_RUBIN if one in present] + [one for one in present if one not in OF_RUBIN]


def styles(names):
    """Return {name: colour, marker and maybe line style} for the series of one figure.

    What is named in LOOKS looks as there. Any other series takes the first pair of a colour and a marker of which
    neither is taken in this figure; when one of them has run out, the first pair that is not taken. Raises ValueError
    where two of LOOKS cannot be told apart, which must not stand in one figure.
    """
    names = list(dict.fromkeys(names))
    found = {name: LOOKS[name] for name in names if name in LOOKS}
    told = {}
    for name, look in found.items():
        other = told.setdefault(tuple(sorted(look.items())), name)
        if other != name:
            raise ValueError(f"{other!r} and {name!r} look the same: give one of them another look")
    for name in names:
        if name not in found:
            found[name] = _free(found.values())
    return {name: found[name] for name in names}


def _free(taken):
    """Return a look whose colour and marker are free, or whose pair is."""
    taken = [(look["color"], look["marker"]) for look in taken]
    colors, markers = ({pair[place] for pair in taken} for place in (0, 1))
    free = itertools.product(
        [one for one in PALETTE if one not in colors] or PALETTE,
        [one for one in MARKERS if one not in markers] or MARKERS,
    )
    color, marker = next(pair for pair in free if pair not in taken)
    return {"color": color, "marker": marker}


def displayed(corpus):
    """Return what a corpus is called in figures: a name for people, or its own. What is displayed stays as it is."""
    if corpus in DISPLAYED or corpus in DISPLAYED.values():
        return DISPLAYED.get(corpus, corpus)
    whole, _, documents = corpus.rpartition("-")
    if whole and documents.isdigit():
        return f"{displayed(whole)}, {documents} documents"
    if corpus.startswith("yahoo5k_"):
        return f"Yahoo! {corpus.removeprefix('yahoo5k_').capitalize()}, 5,000 pages"
    if corpus.startswith("yahoo_"):
        return f"Yahoo! {corpus.removeprefix('yahoo_').capitalize()}"
    return corpus
