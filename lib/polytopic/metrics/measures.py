"""Every measure of the study: its heading, which side is better, its unit, and how many decimals are shown.

Two papers use one name for two quantities: Rubin et al. (2012) count ranking loss in percent, without ties, Tai & Lin
(2012) as a fraction, a tie counting half; the latter is ``misordered_pairs`` here.
"""

from typing import NamedTuple


class Measure(NamedTuple):
    """How a measure is printed and read.

    unit is "fraction" (0 to 1), "percent", "ranks", "nats", "words" or "seconds".
    """

    heading: str
    higher_is_better: bool
    unit: str
    decimals: int

    @property
    def sign(self):
        """1 where more is better, -1 where less is."""
        return 1 if self.higher_is_better else -1

    @property
    def arrow(self):
        """The heading with an arrow towards the better side."""
        return f"{self.heading} {'↑' if self.higher_is_better else '↓'}"


MEASURES = {
    "auc_pr": Measure("AUC PR", True, "fraction", 3),
    "auc_roc": Measure("AUC ROC", True, "fraction", 3),
    "average_precision": Measure("Avg-Prec", True, "fraction", 3),
    "ranking_loss": Measure("Rnk-Loss", False, "percent", 2),
    "one_error": Measure("One-Err", False, "percent", 1),
    "is_error": Measure("Is-Err", False, "percent", 1),
    "margin": Measure("Margin", False, "ranks", 2),
    "macro_f1": Measure("Macro-F1", True, "fraction", 3),
    "micro_f1": Measure("Micro-F1", True, "fraction", 3),
    "f1": Measure("F1", True, "percent", 1),
    "f1_at_least_one": Measure("F1, the highest label where none is decided on", True, "percent", 1),
    "macro_auc": Measure("Macro AUC", True, "fraction", 3),
    "micro_auc": Measure("Micro AUC", True, "fraction", 4),
    "macro_precision": Measure("Macro precision", True, "fraction", 3),
    "micro_precision": Measure("Micro precision", True, "fraction", 3),
    "macro_recall": Measure("Macro recall", True, "fraction", 3),
    "micro_recall": Measure("Micro recall", True, "fraction", 3),
    "hamming_loss": Measure("Hamming loss", False, "fraction", 5),
    "misordered_pairs": Measure("Ranking loss", False, "fraction", 4),
    "encoding_error": Measure("Encoding error (4/K)", False, "fraction", 4),
    "precision_at_5": Measure("Precision at 5", True, "fraction", 3),
    "rank_one_error": Measure("Rank-one error", False, "fraction", 3),
    "perplexity": Measure("Perplexity", False, "words", 1),
    "log_likelihood": Measure("Log-likelihood per token", True, "nats", 3),
    "js_divergence": Measure("JS divergence", False, "nats", 4),
    "brier_score": Measure("Brier score", False, "fraction", 4),
    "calibration_error": Measure("Calibration error", False, "fraction", 4),
    "coding_time": Measure("Coding time", False, "seconds", 2),
    "regression_time": Measure("Regression time", False, "seconds", 2),
    "fit_seconds": Measure("Training time", False, "seconds", 2),
    "test_seconds": Measure("Test time", False, "seconds", 2),
}
