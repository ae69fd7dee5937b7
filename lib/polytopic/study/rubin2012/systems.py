"""The systems that are compared: the paper's five, other readings of them, and what other papers and we add.

A system is an entry of SYSTEMS, by its display name. Whatever compares systems goes by what its results hold, so that
another entry takes part wherever it is asked for by name and changes nothing elsewhere.
"""

import inspect
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from polytopic.datasets import load_corpus
from polytopic.models import (
    PMM,
    BinaryRelevanceRidge,
    BinaryRelevanceSVM,
    DependencyLDA,
    FlatLDA,
    HybridClassifier,
    LearnedDependencyLDA,
    PriorLDA,
)
from polytopic.models.labelled_lda import priors_by_rule
from polytopic.study import store
from polytopic.validation import check_name

# Chains, sweeps and samples, and the weights that SVMs try, of which "quick" alone has fewer. "paper" is Rubin et al.
# (2012), appendix B.2, "medium" for thousands of labels on a small machine, "small" is "quick" with stored results.
QUICK = {
    "train": {"n_chains": 8, "n_sweeps": 50},
    "topics": {"n_topic_chains": 2, "n_topic_sweeps": 100},
    "test": {"n_test_chains": 16, "burn_in": 15, "n_samples": 4, "lag": 3},
}
CHAINS = {
    "quick": QUICK | {"tuning": {"candidates": (1, 10, 100)}},
    "small": QUICK,
    "medium": {
        "train": {"n_chains": 16, "n_sweeps": 100},
        "topics": {"n_topic_chains": 4, "n_topic_sweeps": 300},
        "test": {"n_test_chains": 16, "burn_in": 40, "n_samples": 10, "lag": 5},
    },
    "paper": {
        "train": {"n_chains": 48, "n_sweeps": 100},
        "topics": {"n_topic_chains": 10, "n_topic_sweeps": 500},
        "test": {"n_test_chains": 60, "burn_in": 50, "n_samples": 15, "lag": 5},
    },
}
MOST = {"quick": 1000}  # documents of either side of a split that the larger experiments take; else all

# Rubin et al. (2012), table 6, with the names of its rows put right.
YAHOO = {
    "Dependency-LDA": {"n_topics": 20, "beta_c": 1.0, "gamma_sum": 1.0, "eta": 100.0, "alpha_sum": 1.0},
    "Prior-LDA": {"beta_c": 10.0, "eta": 70.0, "alpha_sum": 30.0},
    "Flat-LDA": {"alpha_sum": 100.0},
}
PRIORS = {"yahoo_arts_rubin": YAHOO, "yahoo_health_rubin": YAHOO}


class System(NamedTuple):
    """How a system is made.

    kind: "paper" for the paper's five, "reading" for another reading of the one named by ``of``, "other paper",
    "learned" (settings from the training data), "combined" (of the scores of ``parents``), "step" (a linear model
    between the paper's and today's) or "today" (what one would take now). phases are the parts of
    CHAINS that it takes; ``priors`` takes ``prior_settings`` and gives settings.
    """

    estimator: type
    kind: str = "paper"
    settings: dict = {}
    phases: tuple = ()
    priors: Callable | None = None
    of: str = ""
    parents: tuple = ()


PHI_AND_TEST, ALL = ("train", "test"), ("train", "topics", "test")
TUNED, UNIT = {"tuning": "positive_weight"}, {"normalize": "l2"}
TUNED_SVM = partial(System, BinaryRelevanceSVM, phases=("tuning",))
TF_IDF, COSTS, STEP = (
    {"normalize": "tfidf"},
    (0.1, 0.3, 1.0, 3.0, 10.0),
    partial(System, BinaryRelevanceSVM, "step"),
)
CHOSEN_COST = {"tuning": "shared_C", "candidates": COSTS, "solver": "together"}
FIXED_POINTS = partial(System, LearnedDependencyLDA, "learned", {"held_out": 0}, ALL)
SYSTEMS = {
    "Dependency-LDA": System(DependencyLDA, phases=ALL, priors=lambda of: of["Dependency-LDA"]),
    "Prior-LDA": System(PriorLDA, phases=PHI_AND_TEST, priors=lambda of: of["Prior-LDA"]),
    "Flat-LDA": System(FlatLDA, phases=PHI_AND_TEST, priors=lambda of: of["Flat-LDA"]),
    "Tuned SVM": TUNED_SVM(settings=TUNED),
    "Vanilla SVM": System(BinaryRelevanceSVM),
    "Tuned SVM, both weights": TUNED_SVM("reading", {"tuning": "both_weights"}, of="Tuned SVM"),
    "Vanilla SVM, no bias": System(BinaryRelevanceSVM, "reading", {"fit_intercept": False}, of="Vanilla SVM"),
    "Vanilla SVM, unit length": System(BinaryRelevanceSVM, "reading", UNIT, of="Vanilla SVM"),
    "Tuned SVM, unit length": TUNED_SVM("reading", TUNED | UNIT, of="Tuned SVM"),
    "PMM1": System(PMM, "other paper", {"order": 1}),
    "PMM2": System(PMM, "other paper", {"order": 2}),
    "PMM1, xi 1.01": System(PMM, "other paper", {"order": 1, "xi": 1.01}),
    "Dependency-LDA, table 6": System(DependencyLDA, "learned", phases=ALL),
    "Dependency-LDA, fixed points": FIXED_POINTS(
        priors=lambda of: {"n_topics": (of["Dependency-LDA"]["n_topics"],)}
    ),
    "Learned Dependency-LDA": System(LearnedDependencyLDA, "learned", phases=ALL),
    "Vanilla SVM, chosen cost": STEP(settings={"tuning": "shared_C"}, phases=("tuning",)),
    "Vanilla SVM, log counts": STEP(settings={"normalize": "log"}),
    "Vanilla SVM, idf": STEP(settings={"normalize": "idf"}),
    "Vanilla SVM, TF-IDF": STEP(settings=TF_IDF),
    "Tuned SVM, TF-IDF": TUNED_SVM("step", TUNED | TF_IDF),
    "TF-IDF SVM": System(BinaryRelevanceSVM, "today", CHOSEN_COST | TF_IDF),
    "TF-IDF ridge": System(BinaryRelevanceRidge, "today", {"candidates": COSTS}),
    "Dependency-LDA, mean field": System(
        DependencyLDA, "today", {"inference": "mean_field"}, ALL, lambda of: of["Dependency-LDA"]
    ),
    "TF-IDF SVM, cost .1": STEP(settings=TF_IDF | {"C": 0.1}),
    "Hybrid, SVMs alone": System(
        HybridClassifier, "today", parents=("TF-IDF SVM, cost .1", "Vanilla SVM, TF-IDF")
    ),
    "Default hybrid": System(HybridClassifier, "today"),
    "Hybrid": System(HybridClassifier, "combined", parents=("Dependency-LDA", "Vanilla SVM")),
}
PAPER_FIVE = tuple(name for name, system in SYSTEMS.items() if system.kind == "paper")
BOTH_WEIGHTS = "Tuned SVM, both weights"  # the reading nearest to print, see svm_settings
WITH_TODAY = (*PAPER_FIVE, "Vanilla SVM, TF-IDF", "Default hybrid")
SYSTEMS |= {
    f"Calibrated {name}": System(HybridClassifier, "combined", parents=(name,)) for name in PAPER_FIVE
}


def scales(**settings):
    """Return the scales of an experiment that takes the same settings and ``chains``, a name of CHAINS, at each.

    A setting that differs between scales is a mapping of their names; what it lacks is None.
    """
    of_scales = {name: value for name, value in settings.items() if isinstance(value, dict)}
    return {
        scale: settings | {name: value.get(scale) for name, value in of_scales.items()} | {"chains": scale}
        for scale in CHAINS
    }


def of_kind(*kinds):
    """Return the names of the systems of some kinds, in the order of SYSTEMS."""
    return [name for name, system in SYSTEMS.items() if system.kind in kinds]


def build(model, corpus_name, train, scale="quick", seed=0, **how):
    """Return the estimator, not fitted, of one system by its display name, with the chains of a scale.

    ``how`` holds n_jobs, memory (without it the study's own) and verbose, which change no number. Raises ValueError
    for an unknown name.
    """
    check_name("model", model, SYSTEMS)
    check_name("scale", scale, CHAINS)
    system, given = SYSTEMS[model], (corpus_name, train, scale, seed)
    settings = dict(system.settings)
    for phase in system.phases:
        settings |= CHAINS[scale].get(phase, {})
    if system.priors:
        settings |= system.priors(prior_settings(corpus_name, train))
    if system.parents:
        settings["estimators"] = [(name, build(name, *given, **how)) for name in system.parents]
    taken, others = inspect.signature(system.estimator).parameters, {"memory": store.memory()} | how
    others = {name: value for name, value in (others | {"random_state": seed}).items() if name in taken}
    return system.estimator(**settings, **others)


def prior_settings(name, train):
    """Return {model: settings} of the topic models' priors for a training corpus.

    Corpora of Rubin et al. (2012), table 6, take its values, others those of ``models.labelled_lda.priors_by_rule``.
    """
    if name in PRIORS:
        return PRIORS[name]
    names = {DependencyLDA: "Dependency-LDA", PriorLDA: "Prior-LDA", FlatLDA: "Flat-LDA"}
    return {names[of]: settings for of, settings in priors_by_rule(train.counts, train.labels).items()}


def counted(corpus):
    """Return a corpus, or that of a name. Raises ValueError for one of real values or without words."""
    corpus = load_corpus(corpus) if isinstance(corpus, str) else corpus
    if corpus.real_valued or not corpus.n_words:
        raise ValueError(
            f"{corpus.name} has no word counts, which topic models need: choose a corpus that has them"
        )
    return corpus
