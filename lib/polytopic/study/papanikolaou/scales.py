"""How large the experiments are: "quick" takes seconds, "medium" minutes, "paper" is what the paper states.

``documents`` keeps the first so many (None: all), ``documents_of_many_labels`` the first so many to test where labels
run to thousands; ``runs`` counts the chains that start anew; CVB0 stops before its ``cvb0_sweeps`` when a sweep
moves a token's responsibilities by less than ``tolerance`` on average.
"""

from polytopic.validation import check_name

SCALES = {
    "quick": {
        "perplexity": {
            "topics": [10, 40],
            "runs": 2,
            "n_sweeps": 40,
            "cvb0_sweeps": 30,
            "tolerance": 1e-3,
            "documents": 1500,
        },
        "convergence": {"topics": [20, 100], "runs": 1, "n_sweeps": 20, "documents": 800},
        "blending": {"n_topics": 100, "runs": 1, "n_sweeps": 30, "switches": [4, 10, 20], "documents": 800},
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
            "documents_of_many_labels": 300,
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
            "runs": 5,
            "n_sweeps": 100,
            "cvb0_sweeps": 100,
            "tolerance": 1e-3,
            "documents": None,
        },
        "convergence": {"topics": [50, 200], "runs": 5, "n_sweeps": 50, "documents": 1200},
        "blending": {
            "n_topics": 200,
            "runs": 5,
            "n_sweeps": 50,
            "switches": [5, 10, 20, 30],
            "documents": 1200,
        },
        "gibbs1": {
            "topics": [20, 50, 100],
            "runs": 5,
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
            "documents": None,
            "documents_of_many_labels": 500,
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
            "tolerance": 1e-3,
            "documents": None,
        },
        "convergence": {"topics": [50, 100, 200, 300, 500], "runs": 5, "n_sweeps": 50, "documents": 4750},
        "blending": {
            "n_topics": 300,
            "runs": 5,
            "n_sweeps": 50,
            "switches": [5, 10, 20, 30],
            "documents": 4750,
        },
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
            "documents_of_many_labels": None,
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


def settings_of(kind, scale, runs=None):
    """Return the settings of one experiment at a scale, with its first so many runs.

    ValueError names the scales that there are, or how many runs.
    """
    check_name("scale", scale, SCALES)
    settings = SCALES[scale][kind]
    if runs is None:
        return settings
    if not 1 <= runs <= settings["runs"]:
        raise ValueError(f"runs must be in 1..{settings['runs']} at {scale} scale, got {runs}")
    return settings | {"runs": runs}


def plain(settings):
    """Return settings as nested tuples, which a unit can take as an argument."""
    return tuple(sorted((name, tuple(v) if isinstance(v, list) else v) for name, v in settings.items()))
