"""The experiments of Papanikolaou et al.: what one chain says of unseen documents, read in several ways.

Every experiment is a table put together from units, each computed once and kept in the cache, so that an interrupted
run goes on where it was. Larger scales are also stored in ``data/results/papanikolaou``, one file each.
"""

import json
import textwrap

import numpy as np
import pandas as pd
from joblib import delayed
from joblib import hash as digest
from scipy import sparse

import polytopic
from polytopic import experiments, metrics, paths, thresholds
from polytopic.datasets import load_corpus
from polytopic.files import write_whole
from polytopic.kernels import cvb0, topic_samples
from polytopic.models import LDA, MetaLabeler, PriorLDA, chains, topic_chains
from polytopic.models.estimators import ESTIMATORS, PRINTED, distribution
from polytopic.models.lda import Responsibilities, pairs_of, phi_of, training_sums
from polytopic.streams import stream, word64

FOLDER = "papanikolaou"
LABEL_TOKENS = "-labels"  # the ending of a corpus whose words are another corpus's labels
TRAIN_WEIGHT, TEST_WEIGHT, FLAT_WEIGHT = 50.0, 50.0, 30.0  # Eq. 12 and 13
MOST_PASSES, TOLERANCE = 50, 1e-4
MANY_LABELS, FEW_DOCUMENTS = 2000, 500
LEAST, MOST = 10, 1000  # uses of a word in Reuters that the paper keeps
NAMES = PRINTED | {"cgs_rb": "CGS_rb", "hybrid": "CGS then CVB0"}
FACTORS = {
    "cgs": ("topics", "added"),
    "cgs_z": ("topics", "dropped"),
    "cgs_p_prior": ("own count kept", "added"),
    "cgs_p": ("own count kept", "dropped"),
    "cgs_rb": ("own count left out", "added"),
    "cgs_rb_z": ("own count left out", "dropped"),
}

LEAD_COLUMNS = ["corpus", "scale", "estimator", "summed", "prior", "samples", "run", "measure", "value"]

# "quick" takes seconds, "medium" is what is stored, "paper" is what the paper states.
SCALES = {
    "quick": {
        "perplexity": {"topics": [10, 40], "runs": 2, "n_sweeps": 40, "cvb0_sweeps": 30, "documents": 1500},
        "convergence": {"topics": [20, 100], "n_sweeps": 20, "documents": 800},
        "blending": {"n_topics": 100, "n_sweeps": 30, "switches": [4, 10, 20], "documents": 800},
        "gibbs1": {
            "topics": [10, 40],
            "runs": 2,
            "n_sweeps": 100,
            "later": 80,
            "burn_in": 20,
            "lag": 5,
            "documents": 1000,
        },
        "labels": {
            "chains": [1, 5],
            "n_chains": 8,
            "n_sweeps": 50,
            "burn_in": 30,
            "n_samples": 10,
            "lag": 3,
            "documents": 300,
        },
        "lead": {
            "n_samples": [1, 5, 20],
            "runs": 2,
            "n_chains": 8,
            "n_sweeps": 50,
            "burn_in": 30,
            "lag": 3,
            "documents": 300,
        },
        "lead_completion": {
            "n_samples": [1, 5, 20],
            "runs": 2,
            "n_topics": 40,
            "n_sweeps": 60,
            "documents": 1500,
        },
    },
    "medium": {
        "perplexity": {
            "topics": [20, 50, 100],
            "runs": 3,
            "n_sweeps": 100,
            "cvb0_sweeps": 25,
            "documents": None,
        },
        "convergence": {"topics": [50, 200], "n_sweeps": 50, "documents": 1200},
        "blending": {"n_topics": 200, "n_sweeps": 50, "switches": [5, 10, 20, 30], "documents": 1200},
        "gibbs1": {
            "topics": [20, 50, 100],
            "runs": 3,
            "n_sweeps": 200,
            "later": 200,
            "burn_in": 100,
            "lag": 5,
            "documents": 2000,
        },
        "labels": {
            "chains": [1, 5],
            "n_chains": 30,
            "n_sweeps": 60,
            "burn_in": 50,
            "n_samples": 20,
            "lag": 5,
            "documents": 3200,
        },
        "lead": {
            "n_samples": [1, 5, 20, 100],
            "runs": 3,
            "n_chains": 30,
            "n_sweeps": 60,
            "burn_in": 50,
            "lag": 5,
            "documents": 500,
        },
        "lead_completion": {
            "n_samples": [1, 5, 20, 100],
            "runs": 3,
            "n_topics": 100,
            "n_sweeps": 100,
            "documents": 4000,
        },
    },
    "paper": {
        "perplexity": {
            "topics": [20, 50, 75, 100, 200, 300, 500],
            "runs": 5,
            "n_sweeps": 500,
            "cvb0_sweeps": 500,
            "documents": None,
        },
        "convergence": {"topics": [50, 100, 200, 300, 500], "n_sweeps": 50, "documents": 4750},
        "blending": {"n_topics": 300, "n_sweeps": 50, "switches": [5, 10, 20, 30], "documents": 4750},
        "gibbs1": {
            "topics": [20, 50, 75, 100, 200, 300, 500],
            "runs": 5,
            "n_sweeps": 5000,
            "later": 2600,
            "burn_in": 100,
            "lag": 5,
            "documents": None,
        },
        "labels": {
            "chains": [1, 5],
            "n_chains": 30,
            "n_sweeps": 195,
            "burn_in": 50,
            "n_samples": 20,
            "lag": 5,
            "documents": None,
        },
        "lead": {
            "n_samples": [1, 5, 20, 100],
            "runs": 5,
            "n_chains": 30,
            "n_sweeps": 195,
            "burn_in": 50,
            "lag": 5,
            "documents": None,
        },
        "lead_completion": {
            "n_samples": [1, 5, 20, 100],
            "runs": 5,
            "n_topics": 100,
            "n_sweeps": 500,
            "documents": None,
        },
    },
}


def word_tokens(name, documents=None, split=0):
    """Return (train, test, vocabulary) of a corpus without its labels: CSR counts and a tuple of words.

    ``reuters21578`` is the paper's selection (4.1.2): the first 10,000 and the next 1,000 stories, words used 10 to
    1,000 times in all of them. A name that ends in ``-labels`` takes the labels of the other corpus as words. Other
    corpora take the split's training documents and the first 1,000 of its test documents. ``documents`` keeps the
    first so many of the training documents, and a tenth as many to test. Documents without words are left out.
    """
    corpus = load_corpus(name.removesuffix(LABEL_TOKENS))
    reuters = corpus.name == "reuters21578"
    rows = corpus.splits[corpus.split_names.index("first11000") if reuters else split]
    table, words = corpus.counts, corpus.vocabulary
    if name.endswith(LABEL_TOKENS):
        table, words = corpus.labels.astype(np.int32), corpus.label_names
    train, test = table[rows[0]], table[rows[1][:1000]]
    if documents is not None:
        train, test = train[:documents], test[: documents // 10]
    uses = np.asarray(train.sum(axis=0)).ravel()
    if reuters and not name.endswith(LABEL_TOKENS):
        uses = uses + np.asarray(test.sum(axis=0)).ravel()
        kept = np.flatnonzero((uses >= LEAST) & (uses <= MOST))
    else:
        kept = np.flatnonzero(uses > 0)
    train, test = (_filled(table[:, kept]) for table in (train, test))
    return train, test, tuple(np.array(words, object)[kept])


def perplexity(corpus="debtags", scale="quick", seed=0):
    """Return the perplexity by document completion: columns corpus, scale, topics, run, model, perplexity.

    Every run trains one chain and one CVB0 on the same documents, and draws the halves of the test documents anew.
    The models: the paper's four estimators and CVB0; CGS_rb; CVB0 over the chain's phi, from a random start and from
    where the chain ends ("CGS then CVB0"); and CGS_p over phi_p of the journal version.
    """
    settings = _settings("perplexity", scale)
    train, test, _ = word_tokens(corpus, settings["documents"])
    units = [(run, n_topics) for run in range(settings["runs"]) for n_topics in settings["topics"]]
    calls = [
        (_completion_unit, (train, test, n_topics, settings["n_sweeps"], settings["cvb0_sweeps"], seed, run))
        for run, n_topics in units
    ]
    rows = [
        {
            "corpus": corpus,
            "scale": scale,
            "topics": n_topics,
            "run": run,
            "model": model,
            "perplexity": value,
        }
        for (run, n_topics), found in zip(units, _units(calls, f"perplexity, {corpus}"), strict=True)
        for model, value in found.items()
    ]
    return _kept("perplexity", corpus, scale, seed, pd.DataFrame(rows))


def _completion_unit(train, test, n_topics, n_sweeps, cvb0_sweeps, seed, run):
    key = int(word64(seed, "completion", run) >> np.uint64(33))
    observed, scored = metrics.halves(test, key)
    model = LDA(n_topics, n_sweeps=n_sweeps, random_state=key).fit(train)
    found = {}
    names = ["cgs", "cgs_z", "cgs_p", "cgs_p_z", "cgs_rb", "hybrid", "cvb0"]
    for name, theta in zip(names, model.estimates(observed, names), strict=True):
        shown = "CVB0 over the chain's phi" if name == "cvb0" else NAMES[name]
        found[shown] = metrics.perplexity(scored, theta, model.components_)
    alpha = np.full(n_topics, float(model.alpha))
    model.components_ = phi_of(train, model.assignments_, n_topics, alpha, model.beta_w, "cgs_p")
    theta = model.transform(observed, estimator="cgs_p")
    found["CGS_p over phi_p"] = metrics.perplexity(scored, theta, model.components_)
    own = LDA(n_topics, method="cvb0", n_sweeps=cvb0_sweeps, tolerance=1e-3, random_state=key).fit(train)
    found["CVB0"] = metrics.perplexity(scored, own.transform(observed), own.components_)
    return found


def convergence(corpus="debtags", scale="quick", seed=0):
    """Return the training documents' log-likelihood per token over sweeps: columns corpus, scale, topics, model,
    sweep, value (4.3.2, figure 3). CGS and CGS_p are the same chain, theta read in two ways; CVB0 starts at random.
    """
    settings = _settings("convergence", scale)
    train, _, _ = word_tokens(corpus, settings["documents"])
    calls = [(_convergence_unit, (train, n, settings["n_sweeps"], (), seed)) for n in settings["topics"]]
    found = list(_units(calls, f"convergence, {corpus}"))
    rows = [
        {"corpus": corpus, "scale": scale, "topics": n_topics, "model": model, "sweep": sweep, "value": value}
        for n_topics, curves in zip(settings["topics"], found, strict=True)
        for model, sweep, value in curves
    ]
    return _kept("convergence", corpus, scale, seed, pd.DataFrame(rows))


def blending(corpus="debtags", scale="quick", seed=0):
    """Return the same curves with CVB0 taking over the chain's state after some sweeps (4.3.2, figure 4)."""
    settings = _settings("blending", scale)
    train, _, _ = word_tokens(corpus, settings["documents"])
    n_topics, switches = settings["n_topics"], tuple(settings["switches"])
    calls = [(_convergence_unit, (train, n_topics, settings["n_sweeps"], switches, seed))]
    rows = [
        {"corpus": corpus, "scale": scale, "topics": n_topics, "model": model, "sweep": sweep, "value": value}
        for curves in _units(calls, f"blending, {corpus}")
        for model, sweep, value in curves
    ]
    return _kept("blending", corpus, scale, seed, pd.DataFrame(rows))


def _convergence_unit(X, n_topics, n_sweeps, switches, seed):
    alpha, beta, n_tokens = np.full(n_topics, 0.1), 0.1, X.sum()
    rows, carried = [], {}
    chain = topic_chains.Chain(X, n_topics, alpha, beta, word64(seed, "convergence", n_topics))
    variational = Responsibilities(X, alpha, beta, word64(seed, "convergence", "cvb0", n_topics))
    for sweep in range(1, n_sweeps + 1):
        z = chain.advance(1).assignments()
        phi = phi_of(X, z, n_topics, alpha, beta)
        sums = training_sums(X, z, phi, alpha)
        for name in ("cgs", "cgs_p"):
            recipe = ESTIMATORS[name]
            theta = distribution(getattr(sums, recipe.summed), alpha, recipe.adds_prior)
            rows.append((NAMES[name], sweep, metrics.log_likelihood(X, theta, phi) / n_tokens))
        variational.sweep()
        rows.append(("CVB0", sweep, _fit_of(X, variational) / n_tokens))
        for switch, state in carried.items():
            state.sweep()
            rows.append((f"CVB0 after {switch}", sweep, _fit_of(X, state) / n_tokens))
        if sweep in switches:
            carried[sweep] = Responsibilities(X, alpha, beta, z=z)
    return rows


def _fit_of(X, state):
    return metrics.log_likelihood(X, state.theta(), state.phi())


def gibbs1(corpus="debtags", scale="quick", seed=0):
    """Return JS-divergence and Macro-F1 of the leading topics: columns corpus, scale, topics, run, model, measure,
    value (4.2.2). The benchmark is the theta of the test documents (Eq. 3, averaged over samples) in model F.
    """
    settings = _settings("gibbs1", scale)
    train, test, _ = word_tokens(corpus, settings["documents"])
    units = [(run, n_topics) for run in range(settings["runs"]) for n_topics in settings["topics"]]
    timing = (settings["n_sweeps"], settings["later"], settings["burn_in"], settings["lag"])
    calls = [(_gibbs1_unit, (train, test, n_topics, timing, seed, run)) for run, n_topics in units]
    rows = [
        (corpus, scale, n_topics, run, model, measure, value)
        for (run, n_topics), found in zip(units, _units(calls, f"Gibbs1, {corpus}"), strict=True)
        for model, measure, value in found[0]
    ]
    columns = ["corpus", "scale", "topics", "run", "model", "measure", "value"]
    return _kept("gibbs1", corpus, scale, seed, pd.DataFrame(rows, columns=columns))


def aligned_topics(corpus="debtags", n_topics=40, scale="quick", seed=0, topics=2, words=15):
    """Return the top words of topics in I and in F side by side (figure 1): columns topic, place, word_i, p_i,
    word_f, p_f. They are the first run's topics with the most tokens.
    """
    settings = _settings("gibbs1", scale)
    train, test, vocabulary = word_tokens(corpus, settings["documents"])
    timing = (settings["n_sweeps"], settings["later"], settings["burn_in"], settings["lag"])
    call = (_gibbs1_unit, (train, test, n_topics, timing, seed, 0))
    _, first, final, sizes = next(iter(_units([call], "Gibbs1")))
    rows = []
    for topic in np.argsort(-sizes, kind="stable")[:topics]:
        of_first, of_final = (np.argsort(-phi[topic], kind="stable")[:words] for phi in (first, final))
        for place, (w, v) in enumerate(zip(of_first, of_final, strict=True), 1):
            rows.append((int(topic), place, vocabulary[w], first[topic, w], vocabulary[v], final[topic, v]))
    return pd.DataFrame(rows, columns=["topic", "place", "word_i", "p_i", "word_f", "p_f"])


def _gibbs1_unit(train, test, n_topics, timing, seed, run):
    n_sweeps, later, burn_in, lag = timing
    key = int(word64(seed, "gibbs1", run) >> np.uint64(33))
    prior, beta = 0.5 / n_topics, 0.01
    n_samples = (later - burn_in) // lag + 1
    initial = LDA(n_topics, alpha=prior, beta_w=beta, n_sweeps=n_sweeps, random_state=key).fit(train)
    both = sparse.csr_matrix(sparse.vstack([train, test]))
    drawn = stream(key, "test topics").integers(0, n_topics, int(test.sum()))
    start = np.concatenate([initial.assignments_, drawn.astype(np.uint16)])
    chain = topic_chains.Chain(both, n_topics, prior, beta, word64(key, "final"), start=start).advance(
        burn_in
    )
    counted = np.zeros((test.shape[0], n_topics))
    for sample in range(n_samples):
        counted += chain.counts().document_topics[train.shape[0] :].toarray()
        if sample + 1 < n_samples:
            chain.advance(lag)
    alpha = np.full(n_topics, prior)
    benchmark = distribution(counted / n_samples, alpha, adds_prior=True)
    final = phi_of(both, chain.assignments(), n_topics, alpha, beta)
    initial.set_params(burn_in=burn_in, n_samples=n_samples, lag=lag)
    names = ["cgs", "cgs_z", "cgs_p", "cgs_p_z", "cgs_rb"]
    rows = []
    for name, theta in zip(names, initial.estimates(test, names), strict=True):
        rows.append((NAMES[name], "js_divergence", metrics.js_divergence(benchmark, theta).mean()))
        rows.append((NAMES[name], "macro_f1", metrics.leading_topics_f1(benchmark, theta).mean()))
    sizes = np.bincount(initial.assignments_, minlength=n_topics)
    return rows, initial.components_, final, sizes


def labels(corpus="debtags", scale="quick", seed=0):
    """Return Micro- and Macro-F1 of Prior-LDA's estimators with a MetaLabeler: columns corpus, scale, model, chains,
    empty, measure, value, sd (5.3, tables 5 and 6).

    phi pools the last states of the training chains; CVB0 runs over that phi, each chain from another random start.
    The prior is Eq. 13 at test; in training it is Eq. 12 for a document with as many labels as the mean. One chain is
    the mean over the chains taken alone, and sd is over them. Ties between labels go by their columns. F1 is over all
    training labels; ``empty`` says what a label without a test document and without a decision counts, "one" being
    the authors' convention. ``documents`` of the scale keeps the first so many test documents; where labels run to
    thousands it is 500 at most.
    """
    settings = _settings("labels", scale)
    call = (_labels_unit, (corpus, settings["documents"], _plain(settings), seed))
    columns = ["model", "chains", "empty", "measure", "value", "sd"]
    rows = next(iter(_units([call], f"Prior-LDA, {corpus}")))
    table = pd.DataFrame(rows, columns=columns)
    table.insert(0, "scale", scale)
    table.insert(0, "corpus", corpus)
    return _kept("labels", corpus, scale, seed, table)


def _labels_unit(corpus, documents, settings, seed):
    settings = dict(settings)
    problem = _prior_lda(corpus, documents, settings["n_chains"], settings["n_sweeps"], seed)
    n_labels = MetaLabeler().fit(problem["train"], problem["train_labels"]).predict(problem["test"])
    timing = [settings[name] for name in ("burn_in", "n_samples", "lag")]
    most, alpha = max(settings["chains"]), problem["alpha"]
    sums, found = None, []
    for chain in range(most):
        own, states = _sample(problem, timing, chain, seed)
        passes = {
            "cvb0": _passes(problem, chain, seed, None),
            "hybrid": _passes(problem, chain, seed, states),
        }
        tables = own._asdict() | passes
        sums = tables if sums is None else {name: sums[name] + tables[name] for name in sums}
        scale = {name: 1 if name in passes else settings["n_samples"] for name in tables}
        found += _judged(problem, tables, scale, alpha, n_labels, 1)
        if chain + 1 in settings["chains"] and chain:
            scale = {name: scale[name] * (chain + 1) for name in scale}
            found += _judged(problem, sums, scale, alpha, n_labels, chain + 1)
    columns = ["model", "chains", "empty", "measure", "value"]
    by = columns[:-1]
    table = pd.DataFrame(found, columns=columns).groupby(by, sort=False)["value"].agg(["mean", "std"])
    return table.reset_index().to_numpy(object).tolist()


def _judged(problem, sums, scale, alpha, n_labels, chains):
    shown = ["cgs", "cgs_z", "cgs_p", "cgs_p_z", "cgs_rb", "cvb0", "hybrid"]
    rows = []
    for name in shown:
        summed, adds_prior = ESTIMATORS.get(name, (name, True))
        theta = distribution(sums[summed] / scale[summed], alpha, adds_prior)
        decisions = thresholds.top_n(theta, n_labels, "document")
        for empty in ("zero", "one"):
            values = metrics.decided(problem["test_labels"], decisions, "label", empty)
            rows += [(NAMES[name], chains, empty, measure, value) for measure, value in values.items()]
    return rows


def _prior_lda(corpus, documents, n_chains, n_sweeps, seed):
    """Return a mapping of what predicting labels takes: counts, labels, phi (W, C) and alpha (C,) of Eq. 13."""
    train, test = load_corpus(corpus).split(0)
    if train.n_labels > MANY_LABELS:
        documents = min(documents or FEW_DOCUMENTS, FEW_DOCUMENTS)
    labelled = np.flatnonzero(np.diff(test.labels.indptr) > 0)[:documents]
    X, Y = test.counts[labelled], test.labels[labelled]
    n_labels = train.n_labels
    cardinality = train.labels.nnz / np.count_nonzero(np.diff(train.labels.indptr))
    model = PriorLDA(
        n_chains=n_chains,
        n_sweeps=n_sweeps,
        train_eta=TRAIN_WEIGHT * cardinality / n_labels,
        beta_w=0.01,
        random_state=seed,
        memory=experiments.memory(),
    ).fit(train.counts, train.labels)
    seen = model.seen_labels_
    phi = model.label_word_distributions()[seen]
    known = np.asarray(model.label_word_counts_.sum(axis=0)).ravel() > 0
    X = sparse.csr_matrix(X.multiply(known)).astype(np.int32)
    X.eliminate_zeros()
    X.sort_indices()
    frequency = np.asarray(train.labels[:, seen].sum(axis=0), float).ravel()
    return {
        "train": train.counts,
        "train_labels": train.labels,
        "test": X,
        "test_labels": Y[:, seen],
        "phi": np.ascontiguousarray(phi.T),
        "alpha": TEST_WEIGHT * frequency / frequency.sum() + FLAT_WEIGHT / seen.size,
    }


def _sample(problem, timing, chain, seed):
    """Return the Sums (D, C) of one chain over the test documents, and the states that it ends in, (1, N)."""
    tokens = topic_chains.by_document(problem["test"])
    totals = topic_samples.sums(problem["test"].shape[0], problem["alpha"].size)
    states = np.zeros((1, tokens.items.size), np.int32)
    documents = topic_samples.Documents(tokens.ptr, tokens.items, 0)
    name = np.array([word64(seed, "labels", "chain", chain)], np.uint64)
    topic_samples.sample(documents, problem["phi"], problem["alpha"], *timing, name, True, totals, states)
    return totals, states


def _passes(problem, chain, seed, states):
    """Return the expected label tokens (D, C) by CVB0 over the fixed phi, from a chain's states or at random."""
    X, totals = problem["test"], np.zeros((problem["test"].shape[0], problem["alpha"].size))
    passes, name = (
        np.zeros(X.shape[0], np.int64),
        np.array([word64(seed, "labels", "cvb0", chain)], np.uint64),
    )
    start = np.zeros((1, 1), np.int32) if states is None else states
    cvb0.predict(
        pairs_of(X),
        problem["phi"],
        problem["alpha"],
        MOST_PASSES,
        TOLERANCE,
        name,
        start,
        states is not None,
        totals,
        passes,
    )
    return totals


def lead_labels(corpus="debtags", scale="quick", seed=0):
    """Return the F1 of labels by what an estimator sums up, whether it adds the prior, and the samples it averages.

    Columns corpus, scale, estimator, summed, prior, samples, run, measure, value. A run is a chain; fewer samples
    are the first ones of the same chain. As ``labels``, with ``empty="zero"``.
    """
    settings = _settings("lead", scale)
    calls = [
        (_lead_labels_unit, (corpus, settings["documents"], _plain(settings), seed, run))
        for run in range(settings["runs"])
    ]
    rows = [
        (corpus, scale, name, *FACTORS[name], n_samples, run, measure, value)
        for run, found in enumerate(_units(calls, f"the lead on {corpus}"))
        for name, n_samples, measure, value in found
    ]
    return _kept("lead_labels", corpus, scale, seed, pd.DataFrame(rows, columns=LEAD_COLUMNS), "lead")


def _lead_labels_unit(corpus, documents, settings, seed, run):
    settings = dict(settings)
    problem = _prior_lda(corpus, documents, settings["n_chains"], settings["n_sweeps"], seed)
    n_labels = MetaLabeler().fit(problem["train"], problem["train_labels"]).predict(problem["test"])
    rows = []
    for n_samples in settings["n_samples"]:
        sums, _ = _sample(problem, [settings["burn_in"], n_samples, settings["lag"]], run, seed)
        for name in FACTORS:
            recipe = ESTIMATORS[name]
            theta = distribution(
                getattr(sums, recipe.summed) / n_samples, problem["alpha"], recipe.adds_prior
            )
            decisions = thresholds.top_n(theta, n_labels, "document")
            values = metrics.decided(problem["test_labels"], decisions, "label", "zero")
            rows += [(name, n_samples, measure, value) for measure, value in values.items()]
    return rows


def lead_completion(corpus="debtags", scale="quick", seed=0):
    """Return the perplexity of completion by the same factors as ``lead_labels``, with the same columns."""
    settings = _settings("lead_completion", scale)
    train, test, _ = word_tokens(corpus, settings["documents"])
    calls = [
        (_lead_completion_unit, (train, test, _plain(settings), seed, run)) for run in range(settings["runs"])
    ]
    rows = [
        (corpus, scale, name, *FACTORS[name], n_samples, run, "perplexity", value)
        for run, found in enumerate(_units(calls, f"the lead on {corpus}"))
        for name, n_samples, value in found
    ]
    table = pd.DataFrame(rows, columns=LEAD_COLUMNS)
    return _kept("lead_completion", corpus, scale, seed, table)


def _lead_completion_unit(train, test, settings, seed, run):
    settings = dict(settings)
    key = int(word64(seed, "lead", run) >> np.uint64(33))
    observed, scored = metrics.halves(test, key)
    model = LDA(settings["n_topics"], n_sweeps=settings["n_sweeps"], random_state=key).fit(train)
    rows = []
    for n_samples in settings["n_samples"]:
        thetas = model.set_params(n_samples=n_samples).estimates(observed, list(FACTORS))
        for name, theta in zip(FACTORS, thetas, strict=True):
            rows.append((name, n_samples, metrics.perplexity(scored, theta, model.components_)))
    return rows


def _plain(settings):
    return tuple(sorted((name, tuple(v) if isinstance(v, list) else v) for name, v in settings.items()))


def stored(kind, corpora=None):
    """Return the stored table of one experiment, of all corpora or of those named; empty if nothing is stored."""
    tables = [_read(path) for path in sorted(_folder().glob(f"{kind}_*.json"))]
    tables = [one for one in tables if corpora is None or one["corpus"].iloc[0] in corpora]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


def say_stored(kind):
    """Say with which settings each stored table of one experiment was made."""
    lines = []
    for path in sorted(_folder().glob(f"{kind}_*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        settings = ", ".join(f"{name} {value}" for name, value in found["settings"].items())
        place = f"{found['corpus']}, {found['scale']} scale, seed {found['seed']}, version {found['version']}"
        lines.append(textwrap.fill(f"{place}: {settings}.", 112, subsequent_indent="    "))
    return "\n".join(lines) or "Nothing is stored."


def _read(path):
    found = json.loads(path.read_text(encoding="utf-8"))
    return pd.DataFrame(found["rows"], columns=found["columns"])


def _kept(kind, corpus, scale, seed, table, settings=None):
    if scale != "quick":
        identity = {
            "kind": kind, "corpus": corpus, "scale": scale, "seed": seed, "version": polytopic.__version__,
            "settings": _settings(settings or kind, scale),
        }  # fmt: skip
        head = json.dumps(identity | {"columns": list(table.columns)}, indent=1).removesuffix("\n}")
        rows = json.loads(table.to_json(orient="values", double_precision=8))
        body = ",\n".join("  " + json.dumps(row) for row in rows)
        write_whole(_folder() / f"{kind}_{corpus}.json", f'{head},\n "rows": [\n{body}\n ]\n}}\n')
    return table


def _folder():
    return paths.results() / FOLDER


def _settings(kind, scale):
    experiments.check_name("scale", scale, SCALES)
    return SCALES[scale][kind]


def _units(calls, what):
    """Yield what each (function, arguments) gives, from the cache or computed now, with progress.

    Their order is by run, not by size, so that the time foretold is soon right.
    """
    run = chains.Run(None, experiments.memory(), verbose=1)
    kept = run.cached(_unit, ignore=["function", "arguments"])
    tasks = (
        delayed(kept)(function, arguments, function.__name__, digest(arguments), run.version)
        for function, arguments in calls
    )
    yield from run.each(tasks, len(calls), what)


def _unit(function, arguments, name, key, version):
    return function(*arguments)


def _filled(table):
    table = sparse.csr_matrix(table)
    return table[np.diff(table.indptr) > 0]
