"""Experiments on words alone: completion, convergence, blending, Gibbs1 (Papanikolaou et al., section 4)."""

import numpy as np
import pandas as pd
from scipy import sparse

from polytopic import metrics
from polytopic.datasets import load_corpus
from polytopic.models import LDA, topic_chains
from polytopic.models.estimators import ESTIMATORS, distribution
from polytopic.models.lda import Responsibilities, phi_of, training_sums
from polytopic.streams import stream, word64
from polytopic.study.papanikolaou import units
from polytopic.study.papanikolaou.factors import FACTORS, LEAD_COLUMNS, NAMES
from polytopic.study.papanikolaou.scales import plain, settings_of

LABEL_TOKENS = "-labels"  # the ending of a corpus whose words are another corpus's labels
LEAST, MOST = 10, 1000  # uses of a word in Reuters that the paper keeps
ADDED, DROPPED = "prior added", "prior dropped"
BENCHMARK_READINGS = (ADDED, DROPPED)  # how Gibbs1 reads model F
SAMPLER = 30  # topics over which a sweep of CVB0 takes about as long as one of the sampler


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


def on_words_and_labels(experiment, corpus="debtags", **how):
    """Return an experiment's table on a corpus's words and on its labels taken as words, one below the other."""
    names = (corpus, corpus + LABEL_TOKENS)
    return pd.concat([experiment(name, **how) for name in names], ignore_index=True)


def word_statistics(corpus="debtags", scale="quick", seed=0):
    """Return the statistics of table 3: columns corpus, statistic, value. All documents count, at any scale and seed.

    Statistics: train_documents, test_documents, train_length (mean tokens) and train_word_types, words that a
    training document has, of ``word_tokens``; documents that have lost all their words are left out.
    """
    train, test, _ = word_tokens(corpus)
    values = {
        "train_documents": train.shape[0],
        "test_documents": test.shape[0],
        "train_length": train.sum() / train.shape[0],
        "train_word_types": np.count_nonzero(train.getnnz(axis=0)),
    }
    table = pd.DataFrame(
        {"corpus": corpus, "statistic": list(values), "value": list(map(float, values.values()))}
    )
    return units.keep("word_statistics", corpus, scale, seed, {}, table)


def perplexity(corpus="debtags", scale="quick", seed=0, runs=None):
    """Return the perplexity by document completion: columns corpus, scale, topics, run, model, perplexity.

    Every run trains one chain and one CVB0 on the same documents, and draws the halves of the test documents anew.
    The models: the paper's four estimators and CVB0; CGS_rb; CVB0 over the chain's phi, from a random start and from
    where the chain ends ("CGS then CVB0"); and CGS_p over phi_p of the journal version. ``runs``: the scale's first
    so many.
    """
    settings = settings_of("perplexity", scale, runs)
    train, test, _ = word_tokens(corpus, settings["documents"])
    places = [(run, n_topics) for run in range(settings["runs"]) for n_topics in settings["topics"]]
    sweeps = settings["n_sweeps"], settings["cvb0_sweeps"], settings["tolerance"]
    calls = [
        units.Call(
            _completion_unit,
            (train, test, n_topics, *sweeps, seed, run),
            sweeps[0] * SAMPLER + sweeps[1] * n_topics,
        )
        for run, n_topics in places
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
        for (run, n_topics), found in zip(places, units.each(calls, f"perplexity, {corpus}"), strict=True)
        for model, value in found.items()
    ]
    return units.keep("perplexity", corpus, scale, seed, settings, pd.DataFrame(rows))


def _completion_unit(train, test, n_topics, n_sweeps, cvb0_sweeps, tolerance, seed, run):
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
    own = LDA(n_topics, method="cvb0", n_sweeps=cvb0_sweeps, tolerance=tolerance, random_state=key).fit(train)
    found["CVB0"] = metrics.perplexity(scored, own.transform(observed), own.components_)
    return found


def convergence(corpus="debtags", scale="quick", seed=0, runs=None):
    """Return the training documents' log-likelihood per token over sweeps: columns corpus, scale, topics, run, model,
    sweep, value (4.3.2, figure 3). CGS and CGS_p are the same chain, theta read in two ways; CVB0 starts at random.
    """
    settings = settings_of("convergence", scale, runs)
    return _curves("convergence", corpus, scale, seed, settings, settings["topics"], ())


def blending(corpus="debtags", scale="quick", seed=0, runs=None):
    """Return the same curves with CVB0 taking over the chain's state after some sweeps (4.3.2, figure 4)."""
    settings = settings_of("blending", scale, runs)
    topics, switches = [settings["n_topics"]], tuple(settings["switches"])
    return _curves("blending", corpus, scale, seed, settings, topics, switches)


def _curves(kind, corpus, scale, seed, settings, topics, switches):
    train, _, _ = word_tokens(corpus, settings["documents"])
    places = [(run, n_topics) for run in range(settings["runs"]) for n_topics in topics]
    calls = [
        units.Call(_curves_unit, (train, n_topics, settings["n_sweeps"], switches, seed, run), n_topics)
        for run, n_topics in places
    ]
    rows = [
        (corpus, scale, n_topics, run, model, sweep, value)
        for (run, n_topics), found in zip(places, units.each(calls, f"{kind}, {corpus}"), strict=True)
        for model, sweep, value in found
    ]
    columns = ["corpus", "scale", "topics", "run", "model", "sweep", "value"]
    return units.keep(kind, corpus, scale, seed, settings, pd.DataFrame(rows, columns=columns))


def _curves_unit(X, n_topics, n_sweeps, switches, seed, run):
    alpha, beta, n_tokens = np.full(n_topics, 0.1), 0.1, X.sum()
    rows, carried = [], {}
    chain = topic_chains.Chain(X, n_topics, alpha, beta, word64(seed, "convergence", n_topics, run))
    variational = Responsibilities(X, alpha, beta, word64(seed, "convergence", "cvb0", n_topics, run))
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


def gibbs1(corpus="debtags", scale="quick", seed=0, runs=None):
    """Return JS-divergence and Macro-F1 of the leading topics: columns corpus, scale, topics, run, model, benchmark,
    measure, value (4.2.2).

    The benchmark is theta of the test documents in model F, averaged over samples: with the prior added (Eq. 3), and
    with the prior dropped.
    """
    settings = settings_of("gibbs1", scale, runs)
    train, test, _ = word_tokens(corpus, settings["documents"])
    places = [(run, n_topics) for run in range(settings["runs"]) for n_topics in settings["topics"]]
    calls = [_gibbs1_call(train, test, n_topics, settings, seed, run) for run, n_topics in places]
    rows = [
        (corpus, scale, n_topics, run, *row)
        for (run, n_topics), found in zip(places, units.each(calls, f"Gibbs1, {corpus}"), strict=True)
        for row in found[0]
    ]
    columns = ["corpus", "scale", "topics", "run", "model", "benchmark", "measure", "value"]
    return units.keep("gibbs1", corpus, scale, seed, settings, pd.DataFrame(rows, columns=columns))


def aligned_topics(corpus="debtags", n_topics=40, scale="quick", seed=0, topics=2, words=15):
    """Return the top words of topics in I and in F side by side (figure 1): columns topic, place, word_i, p_i,
    word_f, p_f. They are the first run's topics with the most tokens.
    """
    settings = settings_of("gibbs1", scale)
    train, test, vocabulary = word_tokens(corpus, settings["documents"])
    call = _gibbs1_call(train, test, n_topics, settings, seed, 0)
    _, first, final, sizes = next(units.each([call], "Gibbs1"))
    rows = []
    for topic in np.argsort(-sizes, kind="stable")[:topics]:
        of_first, of_final = (np.argsort(-phi[topic], kind="stable")[:words] for phi in (first, final))
        for place, (w, v) in enumerate(zip(of_first, of_final, strict=True), 1):
            rows.append((int(topic), place, vocabulary[w], first[topic, w], vocabulary[v], final[topic, v]))
    return pd.DataFrame(rows, columns=["topic", "place", "word_i", "p_i", "word_f", "p_f"])


def _gibbs1_call(train, test, n_topics, settings, seed, run):
    timing = (settings["n_sweeps"], settings["later"], settings["burn_in"], settings["lag"])
    trained = SAMPLER * int(train.sum()) * (settings["n_sweeps"] + settings["later"])
    cost = trained + n_topics * int(test.sum()) * settings["later"]
    return units.Call(_gibbs1_unit, (train, test, n_topics, timing, BENCHMARK_READINGS, seed, run), cost)


def _gibbs1_unit(train, test, n_topics, timing, benchmarks, seed, run):
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
    read = {one: distribution(counted / n_samples, alpha, adds_prior=one == ADDED) for one in benchmarks}
    final = phi_of(both, chain.assignments(), n_topics, alpha, beta)
    initial.set_params(burn_in=burn_in, n_samples=n_samples, lag=lag)
    names = ["cgs", "cgs_z", "cgs_p", "cgs_p_z", "cgs_rb"]
    rows = []
    for name, theta in zip(names, initial.estimates(test, names), strict=True):
        for one, benchmark in read.items():
            divergence = metrics.js_divergence(benchmark, theta).mean()
            rows.append((NAMES[name], one, "js_divergence", divergence))
            rows.append((NAMES[name], one, "macro_f1", metrics.leading_topics_f1(benchmark, theta).mean()))
    sizes = np.bincount(initial.assignments_, minlength=n_topics)
    return rows, initial.components_, final, sizes


def lead_completion(corpus="debtags", scale="quick", seed=0):
    """Return the perplexity of completion by the same factors as ``lead_labels``, with the same columns."""
    settings = settings_of("lead_completion", scale)
    train, test, _ = word_tokens(corpus, settings["documents"])
    calls = [
        units.Call(_lead_completion_unit, (train, test, plain(settings), seed, run))
        for run in range(settings["runs"])
    ]
    rows = [
        (corpus, scale, name, *FACTORS[name], n_samples, run, "perplexity", value)
        for run, found in enumerate(units.each(calls, f"the lead on {corpus}"))
        for name, n_samples, value in found
    ]
    table = pd.DataFrame(rows, columns=LEAD_COLUMNS)
    return units.keep("lead_completion", corpus, scale, seed, settings, table)


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


def _filled(table):
    table = sparse.csr_matrix(table)
    return table[np.diff(table.indptr) > 0]
