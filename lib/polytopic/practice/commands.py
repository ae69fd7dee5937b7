"""The commands of practice: name, help, what adds the arguments, and what runs it, imported when it is called."""

import argparse
import re
from importlib import import_module

from polytopic.command.arguments import at_least, check, whole_numbers

EXTRAS = {"tornado": "serve", "annif": "annif"}  # of the distribution, by the module that is missing
LONGEST = 10  # words in a phrase


def runner(place):
    """Return what runs ``module:function`` of this package."""
    module, function = place.split(":")
    return lambda options: getattr(import_module(f"polytopic.practice.{module}"), function)(options)


# What arguments may be


def share_or(*words):
    """Return what reads a number from 0 to 1, or one of these words."""

    def read(text):
        if text in words:
            return text
        known = "".join(f", nor {word!r}" for word in words)
        is_share = re.fullmatch(r"\d+|\d*\.\d+", text) and float(text) <= 1
        check(is_share, f"{text!r} is no number from 0 to 1{known}")
        return float(text)

    return read


def number_or_share(text):
    """Return a whole number from 1 up, or, of a text with a point, a share from 0 to 1."""
    if text.isdecimal() and int(text):
        return int(text)
    is_share = re.fullmatch(r"\d*\.\d+", text) and float(text) <= 1
    check(is_share, f"{text!r} is no number of documents from 1 up, and no share of them such as 0.5")
    return float(text)


def lengths(text):
    """Return the least and the greatest length of a range such as ``1-2``."""
    numbers = whole_numbers(text)
    low, high = numbers[0], numbers[-1]
    is_range = low >= 1 and high <= LONGEST and len(numbers) == high - low + 1
    check(is_range, f"{text!r} is no range of lengths from 1 to {LONGEST}: write 1-2")
    return low, high


def pattern(text):
    """Return a regular expression that finds words: it has one group at most, and what it finds is not empty."""
    try:
        found = re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        raise argparse.ArgumentTypeError(f"'{text}' is no regular expression: {error}") from None
    check(found.groups < 2, f"'{text}' has {found.groups} groups: write (?:...) for those that are no word")
    is_empty = "" in found.findall("") + found.findall("a-b c")
    check(not is_empty, f"'{text}' also finds words without a letter: write + in place of *")
    return text


# What each command takes

# fmt: off


def reading(parser):
    add = parser.add_argument
    add("--text", nargs="+", default=["text"], metavar="COLUMN", help="the texts' column, or several to join")
    add("--delimiter", metavar="SIGN", help="what parts the columns of a CSV file (default: found out)")
    add("--encoding", metavar="NAME", help="such as cp1252 (default: UTF-8, or what a mark at the front says)")


def importing(parser):
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE", help="a table of texts; svmlight, XMC; ARFF with its label XML")
    reading(parser)
    add(
        "--labels", nargs="+", default=["labels"], metavar="COLUMN",
        help="the labels' column, or several with a label each",
    )
    add("--separator", default=";", metavar="SIGN", help="what parts the labels of a cell (default: ;)")
    add(
        "--format", choices=("table", "fasttext", "annif", "svmlight", "xmc", "mulan"),
        help="instead of going by the ending and the first lines",
    )
    add("--subjects", metavar="FILE", help="names of labels: lines of <address>, tab, name")
    add(
        "--min-df", type=number_or_share, metavar="N",
        help="least number of texts that a word is in, or their share, such as 0.01 (default: 2)",
    )
    add("--max-df", type=number_or_share, metavar="N", help="largest such number, or share")
    add("--stop-words", metavar="FILE", help="words to leave out: a file of them, or 'english'")
    add("--token-pattern", type=pattern, metavar="REGEX", help=r"what a word is (default: \b\w\w+\b)")
    add(
        "--ngrams", dest="ngram_range", type=lengths, metavar="RANGE",
        help="words in a phrase: 1-2 for words and pairs (default: 1)",
    )
    add("--name", metavar="NAME", help="what to call the corpus (default: as the file)")
    add("--to", metavar="FOLDER", help="where to (default: NAME in $POLYTOPIC_CORPORA, or in ./corpora)")
    add("--splits", type=at_least(0), default=5, metavar="N", help="seeded splits to make (default: 5)")
    add("--force", action="store_true", help="replace a corpus that is there")


def fitting(parser):
    add = parser.add_argument
    add("corpus", metavar="CORPUS", help="a corpus by name, or its folder")
    add("--model", default="HybridClassifier", metavar="CLASS", help="default: HybridClassifier")
    add(
        "-p", "--parameter", action="append", default=[], metavar="NAME=VALUE",
        help="a setting of the model; VALUE as in JSON or Python: 5, 0.1, [1, 2], text",
    )
    add("--split", type=at_least(0), metavar="N", help="learn from the training part of this split only")
    add(
        "--label-texts", metavar="FILE",
        help="what labels are about besides their names, such as definitions, also of labels without documents: "
        "lines of label, tab, text",
    )
    add("--to", required=True, metavar="FOLDER", help="where to keep the model")
    add("--force", action="store_true", help="replace a model that is there")


def labelling(parser):
    add = parser.add_argument
    add("model", metavar="MODEL", help="the folder of a saved model")
    add("file", metavar="FILE", help="a table, a .txt file with a text a line, or - for standard input")
    reading(parser)
    add("--force", action="store_true", help="begin anew, whatever an interrupted run has left")


def predicting(parser):
    labelling(parser)
    add = parser.add_argument
    add("--top", type=at_least(1), metavar="K", help="most labels of a text (default: 5, with --cutoff all)")
    add(
        "--cutoff", type=share_or("model"), metavar="P",
        help="labels with a probability of P or more; 'model': those that the model's own predict takes",
    )
    add("--probabilities", action="store_true", help="calibrated probabilities in place of scores")
    add("--format", choices=("csv", "jsonl"), help="of standard output (default: csv)")
    add("--to", metavar="FILE", help="a .csv or .jsonl file; interrupted, the same command goes on")


def explaining(parser):
    labelling(parser)
    add = parser.add_argument
    add("--top", type=at_least(1), default=5, metavar="K", help="labels of a text (default: 5)")
    add(
        "--to", metavar="FILE",
        help="a .html, .jsonl or .csv file (else CSV to standard output); interrupted, the same command goes on",
    )


def evaluating(parser):
    add = parser.add_argument
    add("model", metavar="MODEL", help="the folder of a saved model")
    add("corpus", metavar="CORPUS", help="a corpus by name, or its folder")
    add("--split", type=at_least(0), metavar="N", help="judge by the test part of this split only")
    add("--cutoff", type=share_or(), metavar="P", help="judge labels with a probability of P or more, too")


def serving(parser):
    add = parser.add_argument
    add("model", metavar="MODEL", help="the folder of a saved model")
    add("--host", default="127.0.0.1", help="whose requests are taken (default: this computer's alone)")
    add(
        "--host-name", action="append", default=[], metavar="NAME",
        help="a further name by which requests ask for it, as a proxy's; may be given several times",
    )
    add("--port", type=at_least(0), default=8765, metavar="N", help="default: 8765; 0 takes a free one")
    add(
        "--max-bytes", type=at_least(1), default=1_000_000, metavar="N",
        help="of a request's body (default: 1000000)",
    )
    add("--threads", type=at_least(1), default=1, metavar="N", help="each with a copy of the model (1)")
    add("--subjects", metavar="FILE", help="addresses of labels: lines of <address>, tab, name")


def annif(parser):
    parser.add_argument("rest", nargs="*", metavar="ARGUMENT", help="handed on to Annif")
# fmt: on


COMMANDS = [
    (
        "import", "Make a corpus of a table of texts (CSV, TSV, JSON lines, parquet), or of svmlight or ARFF files.",
        importing, runner("corpus_import:run"),
    ),
    ("fit", "Train a model on a corpus and keep it in a folder.", fitting, runner("training:run_fit")),
    (
        "predict", "Label texts by a model that was kept: a table, a text a line, or standard input.",
        predicting, runner("prediction:run_predict"),
    ),
    (
        "explain", "Say why texts have their labels: the words behind each, as coloured pages or as a table.",
        explaining, runner("prediction:run_explain"),
    ),
    (
        "evaluate", "Say how well a saved model ranks the labels of a corpus.",
        evaluating, runner("training:run_evaluate"),
    ),
    ("serve", "Answer over HTTP with the labels of a model that was kept.", serving, runner("server:run")),
    (
        "annif", "Run a command of Annif, with this library's backend and analyzer known to it.",
        annif, runner("annif:run"),
    ),
]  # fmt: skip
