"""A backend for Annif, an analyzer for it that downloads nothing, and Annif's own commands with both of them known.

Annif (annif.org) is optional: the extra ``annif``. Its registry of backends is closed, so that they are entered by
``register``, and Annif is started by ``run``, which is ``polytopic annif``.
"""

import re
from pathlib import Path

import annif.analyzer
import annif.analyzer.analyzer
import annif.backend
import annif.backend.hyperopt  # which Annif's command hyperopt takes for imported, where a backend has imported it
import annif.util
from annif.backend.backend import AnnifLearningBackend
from annif.exception import ConfigurationException, NotInitializedException, NotSupportedException
from annif.suggestion import SubjectSuggestion, SuggestionBatch
from joblib import parallel_config
from nltk.stem.snowball import SnowballStemmer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import MultiLabelBinarizer

from polytopic.corpus import Corpus, name_counts
from polytopic.models.labelled_lda import priors_by_rule
from polytopic.practice.labeller import Labeller
from polytopic.practice.training import new_model, value_of
from polytopic.validation import check_name

MODEL = "model"  # the folder of the model in a project's data
SETTING = "model__"  # before the name of a setting of the model, as scikit-learn writes them
TOKEN = r"(?u)[^\W\d_][\w+-]{2,}"
ANALYZED = r"\S+"  # of words that an analyzer has parted already


class PolytopicBackend(AnnifLearningBackend):
    """Annif's backend ``polytopic``: any model of the library, kept as plain data by ``Labeller.save``.

    Settings of a project: ``model`` is the class; ``model__NAME`` a setting of it, as JSON or else as text, as in
    ``model__n_topics=50``; ``priors`` is "rule" (those of topic models by ``priors_by_rule``, where they are not
    set) or "paper"; ``min_df``, ``ngram`` and ``stop_words`` are the vectoriser's; ``unused_subjects``, true or
    false, lets the hybrid suggest subjects without a training document, by their names; ``limit`` is how many
    suggestions are made. With an ``analyzer`` words are its own; without one, a letter and two or more letters,
    digits, ``_``, ``+`` or ``-``, in lower case.

    A text counts in training if it has a subject and a word that is counted. Scores are those of
    ``Labeller.confidences``. ``learn`` is for models with ``partial_fit``: new words, of any number of documents,
    and new subjects are taken in.
    """

    name = "polytopic"
    DEFAULT_PARAMETERS = {
        "model": "HybridClassifier",
        "priors": "rule",
        "min_df": 1,
        "ngram": 1,
        "stop_words": "",
        "unused_subjects": False,
        "limit": 100,
    }
    _labeller = _subjects = None

    def initialize(self, parallel=False):
        """Load the model. Raises NotInitializedException where there is none, or where it is damaged."""
        if self._labeller is None:
            try:
                self._use(Labeller.load(self._folder))
            except (FileNotFoundError, ValueError) as problem:
                raise NotInitializedException(str(problem), backend_id=self.backend_id) from problem

    def _train(self, corpus, params, jobs=0):
        if corpus == "cached":
            raise NotSupportedException("the polytopic backend keeps no training data: leave out --cached")
        texts, subjects = self._read(corpus)
        if not texts:
            raise NotSupportedException(
                "cannot train a polytopic project without documents that have subjects"
            )
        vectorizer = self._vectorizer(params)
        try:
            X = vectorizer.fit_transform(texts)
        except ValueError as problem:
            raise NotSupportedException(f"no words are left to train on: {problem}") from problem
        uris = sorted(set().union(*subjects))
        if annif.util.boolean(params["unused_subjects"]):
            uris += sorted({subject.uri for subject in self.project.subjects} - set(uris))
        learned = self._corpus(X, subjects, vectorizer, uris)
        model = self._model(params, learned)
        if hasattr(model, "label_names") and model.label_names is None:
            names = [self._name(uri) for uri in uris]
            model.label_names = name_counts(names, learned.vocabulary, vectorizer)
        with parallel_config(n_jobs=jobs or -1):
            model.fit(learned.counts, learned.labels)
        self._keep(model, learned, vectorizer)

    def _learn(self, corpus, params):
        self.initialize()
        model, vectorizer = self._labeller.model, self._labeller.vectorizer
        if not hasattr(model, "partial_fit"):
            name = type(model).__name__
            raise NotSupportedException(f"{name} does not go on learning: model=SCVBDependency does")
        texts, subjects = self._read(corpus)
        _widen(vectorizer, texts)
        known = self._labeller.label_names
        uris = [*known, *sorted(set().union(*subjects) - set(known))]
        learned = self._corpus(vectorizer.transform(texts), subjects, vectorizer, uris)
        model.partial_fit(learned.counts, learned.labels)
        self._keep(model, learned, vectorizer)

    def _suggest_batch(self, documents, params):
        limit = min(int(params["limit"]), len(self._subjects))
        found = self._labeller.confidences([self._text(one) for one in documents], limit)
        results = [
            [
                SubjectSuggestion(subject_id=self._subjects[uri], score=score)
                for uri, score in own
                if self._subjects[uri] is not None
            ]
            for own in found
        ]
        return SuggestionBatch.from_sequence(results, self.project.subjects, limit)

    @property
    def _folder(self):
        return Path(self.datadir) / MODEL

    def _use(self, labeller):
        """Suggest by this model; its labels that the vocabulary has no more are left out."""
        self._labeller = labeller
        by_uri = self.project.subjects.by_uri
        self._subjects = {uri: by_uri(uri, warnings=False) for uri in labeller.label_names}

    def _keep(self, model, corpus, vectorizer):
        labeller = Labeller.of(model, corpus, vectorizer)
        labeller.save(self._folder)
        self._use(labeller)

    def _read(self, corpus):
        """Return the texts of the documents with subjects, and the subjects' addresses."""
        texts, subjects = [], []
        for document in corpus.documents:
            own = {self.project.subjects[number].uri for number in document.subject_set}
            if own:
                texts.append(self._text(document))
                subjects.append(own)
        return texts, subjects

    def _name(self, uri):
        """Return what a subject is called in the project's language, "" without a name there; see ``_analyzed``."""
        names = self.project.subjects[self.project.subjects.by_uri(uri)].labels or {}
        return self._analyzed(names.get(self.project.vocab_lang) or "")

    def _text(self, document):
        return self._analyzed(document.text)

    def _analyzed(self, text):
        """Return a text; where there is an analyzer its words, parted by spaces."""
        if not self.project.analyzer_spec:
            return text
        words = self.project.analyzer.tokenize_words(text)
        return " ".join(word.replace(" ", "_") for word in words)

    def _vectorizer(self, params):
        is_analyzed = bool(self.project.analyzer_spec)
        return CountVectorizer(
            lowercase=not is_analyzed,
            token_pattern=ANALYZED if is_analyzed else TOKEN,
            min_df=int(params["min_df"]),
            ngram_range=(1, int(params["ngram"])),
            stop_words=params["stop_words"] or None,
        )

    def _corpus(self, X, subjects, vectorizer, uris):
        Y = MultiLabelBinarizer(classes=uris, sparse_output=True).fit_transform(subjects)
        rows, words = X.getnnz(axis=1) > 0, vectorizer.get_feature_names_out()
        return Corpus(X[rows], Y[rows], words, uris, (), self.project.project_id)

    def _model(self, params, corpus):
        try:
            check_name("choice of priors", params["priors"], ("rule", "paper"))
            given = {
                name.removeprefix(SETTING): value_of(value) if isinstance(value, str) else value
                for name, value in params.items()
                if name.startswith(SETTING)
            }
            of_rule = priors_by_rule(corpus.counts, corpus.labels) if params["priors"] == "rule" else {}
            priors = {cls.__name__: own for cls, own in of_rule.items()}.get(params["model"], {})
            return new_model(params["model"], given, {"random_state": 0, **priors})
        except ValueError as problem:
            raise ConfigurationException(str(problem), backend_id=self.backend_id) from problem


class PlainAnalyzer(annif.analyzer.analyzer.Analyzer):
    """Annif's analyzer ``plain``: words in lower case, a letter and two or more letters, digits, ``_``, ``+``, ``-``.

    ``plain(english)`` stems them, in any language of NLTK's Snowball stemmer. Unlike Annif's own analyzers it
    downloads no data: a text is parted into sentences at line ends and after ``.``, ``!`` and ``?``.
    """

    name = "plain"

    def __init__(self, language=None, **settings):
        self._language = language
        self.token_min_length = int(settings.get("token_min_length", self.token_min_length))
        self._stemmer = SnowballStemmer(language) if language else None

    def tokenize_sentences(self, text):
        """Return the sentences of a text."""
        return [part for part in re.split(r"(?<=[.!?])\s+|\n+", text) if part.strip()]

    def tokenize_words(self, text, filter=True):
        """Return the words of a text; without ``filter`` also what else stands between spaces."""
        words = re.findall(TOKEN if filter else r"\S+", text.lower())
        return [self._normalize_word(word) for word in words if not filter or self.is_valid_token(word)]

    def _normalize_word(self, word):
        return self._stemmer.stem(word) if self._stemmer else word


def register():
    """Enter the backend and the analyzer into Annif's registries."""
    annif.backend._backend_fns[PolytopicBackend.name] = lambda: PolytopicBackend
    annif.analyzer.register_analyzer(PlainAnalyzer)


def run(options):
    """Run one of Annif's commands with the backend and the analyzer known; return its status."""
    from annif.cli import cli

    register()
    try:
        cli.main(options.rest, prog_name="polytopic annif")
    except SystemExit as end:
        return end.code or 0
    return 0


def _widen(vectorizer, texts):
    """Let a vectoriser count the words of further texts too: new columns at the right, in order of the alphabet."""
    known = vectorizer.vocabulary_
    words = vectorizer.build_analyzer()
    new = sorted({word for text in texts for word in words(text)} - set(known))
    known.update({word: len(known) + number for number, word in enumerate(new)})
