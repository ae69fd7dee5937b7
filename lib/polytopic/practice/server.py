"""The command ``polytopic serve``: a saved model answers over HTTP, to this computer alone unless told otherwise.

One loop reads requests and writes answers, so that a slow client holds nobody up; predictions go to threads of their
own, each with a copy of the model. Everything is bounded: connections, bytes, texts, seconds, and what waits.
"""

import asyncio
import copy
import ipaddress
import json
import logging
import math
import queue
import re
import signal
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.client import responses
from pathlib import Path
from urllib.parse import parse_qs

from joblib import parallel_config
from tornado.httpserver import HTTPServer
from tornado.routing import Matcher, Rule
from tornado.web import Application, HTTPError, RequestHandler, stream_request_body

from polytopic.command.arguments import Refusal, refusing
from polytopic.models.persistence import MODEL
from polytopic.practice.cells import read_subjects
from polytopic.practice.labeller import Labeller
from polytopic.practice.training import load_labeller
from polytopic.validation import check_name

PATIENCE = 30  # seconds for a request's head, for its body, and for an answer
MOST_CONNECTIONS, BACKLOG = 500, 128
MOST_WAITING = 400  # requests that wait for a thread
MOST_TEXTS = 1000  # in one request
HEAD_BYTES = 1 << 14
ALL_BYTES = 1 << 62  # a body that is too long is read past, so that its sender gets an answer
LIMIT = 10
FIELDS = ("text", "texts", "limit", "threshold", "language", "project")
NAMED = re.compile(r"(\[[0-9a-f:.]+\]|[^][:/@,?#\s]+)(?::(\d*))?")  # a host, and maybe a port
STANDARD_PORTS = {"http": "80", "https": "443"}
METADATA = "metadata_"  # of which Annif sends what it knows of a document
FORM, JSON = "application/x-www-form-urlencoded", "application/json"
PAGES = {
    "/": "what the model is",
    "/model": "the same",
    "/health": "whether all is well",
    "/suggest": "POST a text",
    "/explain": "POST a text: which words raise the scores of its labels",
}


def run(options):
    """Serve a saved model until interrupted."""
    for name in options.host_name:
        if not NAMED.fullmatch(name.lower()):
            raise Refusal(f"{name!r} is no name of a computer: write --host-name labels.example.org")
    served = Served.read(Path(options.model), options.subjects, options.threads)
    listener = listen(options.host, options.port)
    host, port = listener.getsockname()[:2]
    if not ipaddress.ip_address(host.partition("%")[0]).is_loopback:
        print(f"Whoever reaches this computer at {host} may ask: nobody is made to sign in.", file=sys.stderr)
    url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    print(f"{served.facts['class']} of {options.model} answers at {url}. Ctrl-C ends it.", flush=True)
    allowed = AllowedHosts.of(listener, [options.host, *options.host_name])
    asyncio.run(_serve(served, listener, options.max_bytes, allowed))
    return 0


async def _serve(served, listener, max_bytes, allowed):
    server = Server(
        application(served, max_bytes, allowed),
        max_header_size=HEAD_BYTES,
        max_body_size=ALL_BYTES,
        idle_connection_timeout=PATIENCE,
        body_timeout=PATIENCE,
    )
    server.add_socket(listener)
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError, RuntimeError, ValueError):
            asyncio.get_running_loop().add_signal_handler(number, ended.set)
    await ended.wait()
    server.stop()
    with suppress(TimeoutError):
        await asyncio.wait_for(server.close_all_connections(), 1)
    served.threads.shutdown(wait=False, cancel_futures=True)


def listen(host, port):
    """Return a socket that takes connections. Raises Refusal where the address is taken, or is none of ours."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except (OSError, OverflowError) as problem:
        reason = f"cannot listen at {host}, port {port}: {getattr(problem, 'strerror', None) or problem}"
        raise Refusal(f"{reason}. Name another by --host or --port") from None
    listener.setblocking(False)
    return listener


@dataclass
class Served:
    """A model with what its pages say, copies of it for the threads, and how many requests wait."""

    facts: dict
    subjects: dict
    copies: queue.SimpleQueue
    threads: ThreadPoolExecutor
    waiting: int = field(default=0)

    @classmethod
    def read(cls, folder, subjects=None, n_threads=1):
        """Return the model of a folder, ready for texts. Raises Refusal for one that is missing, or has no words."""
        labeller = load_labeller(folder)
        with refusing():
            named = {} if subjects is None else read_subjects(subjects)
        if labeller.vectorizer is None:
            raise Refusal(f"the model in {folder} was kept without a vectorizer and cannot read texts")
        copies = queue.SimpleQueue()
        for one in [labeller, *(copy.deepcopy(labeller) for _ in range(n_threads - 1))]:
            with parallel_config("sequential"):
                one.confidences([labeller.vocabulary[0]], 1)  # compiles, and makes the tables
            copies.put(one)
        path = folder / MODEL
        head = json.loads(path.read_text(encoding="utf-8"))
        facts = {
            "class": type(labeller.model).__name__,
            "labels": len(labeller.label_names),
            "words": len(labeller.vocabulary),
            "corpus": labeller.corpus,
            "version": head["polytopic"],
            "made": head["made"],
            "explains": hasattr(labeller.model, "explain"),
            "is_trained": True,
            "modification_time": datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(),
            "pages": PAGES,
        }
        return cls(facts, named, copies, ThreadPoolExecutor(n_threads, "prediction"))

    async def ask(self, question, asked):
        """Return question(model, texts, limit), answered by a thread.

        Raises Refused 503 where too many wait already, or where the answer takes longer than PATIENCE.
        """
        if self.waiting >= MOST_WAITING:
            raise Refused(503, f"{self.waiting} requests wait already: ask again later")
        self.waiting += 1
        try:
            loop = asyncio.get_running_loop()
            work = loop.run_in_executor(self.threads, self._ask, question, asked["texts"], asked["limit"])
            return await asyncio.wait_for(work, PATIENCE)
        except TimeoutError:
            raise Refused(503, f"no answer within {PATIENCE} seconds: ask again later") from None
        finally:
            self.waiting -= 1

    def _ask(self, question, texts, limit):
        own = self.copies.get()
        try:
            with parallel_config("sequential"):
                return question(own, texts, limit)
        finally:
            self.copies.put(own)

    async def suggest(self, asked):
        """Return each text's suggestions for JSON, in the form of Annif's own."""
        documents = await self.ask(Labeller.confidences, asked)
        return [
            {
                "results": [
                    {"uri": uri, "label": name, "score": score}
                    for label, score in document
                    if score >= asked["threshold"]
                    for uri, name in [self.subjects.get(label, (label, label))]
                ]
            }
            for document in documents
        ]

    async def explain(self, asked):
        """Return for JSON why each text has its labels. Raises Refused 501 where the model cannot say."""
        if not self.facts["explains"]:
            raise Refused(501, f"{self.facts['class']} does not explain its labels by words")
        return (await self.ask(Labeller.explain, asked)).as_json()


@dataclass(frozen=True)
class AllowedHosts(Matcher):
    """By which names requests may ask for this server; as a matcher, it matches those that may not.

    A name that somebody else can lead to this computer would let their page read the answers.
    """

    bound: ipaddress.IPv4Address | ipaddress.IPv6Address
    names: frozenset

    @classmethod
    def of(cls, listener, names):
        """Return those of a listening socket, and of names that a proxy, or whoever starts it, has for it."""
        bound = ipaddress.ip_address(listener.getsockname()[0].partition("%")[0])
        return cls(bound, frozenset(_host_and_port(name)[0] for name in names) - {""})

    def match(self, request):
        return {} if self.fault(request) else None

    def fault(self, request):
        """Return the status and the sentence by which a request is refused, or None."""
        host, origin = request.headers.get("Host"), request.headers.get("Origin")
        if not host:
            return 400, "the request names no Host"
        name, port = _host_and_port(host)
        if not self._leads_here(name):
            return 421, f"{host!r} is no name of this server: start it with --host-name {name or 'NAME'}"
        if origin is None:
            return None
        scheme, _, rest = origin.partition("://")
        own, standard = _host_and_port(rest), STANDARD_PORTS.get(scheme)
        if own[0] in self.names or (own[0], own[1] or standard) == (name, port or standard):
            return None
        return 403, f"a page of {origin or 'nowhere'} may not ask: its origin is not this server"

    def _leads_here(self, name):
        bound = self.bound
        if name in self.names:
            return True
        if name == "localhost":
            return bound.is_loopback or bound.is_unspecified
        with suppress(ValueError):
            address = ipaddress.ip_address(name)
            return address == bound or bound.is_unspecified or (address.is_loopback and bound.is_loopback)
        return False


def _host_and_port(text):
    """Return the name or address in a Host header, in lower case, and its port; ("", None) for what is neither."""
    found = NAMED.fullmatch(text.lower())
    return (found[1].strip("[]").rstrip("."), found[2]) if found else ("", None)


def application(served, max_bytes, allowed):
    """Return the tornado application of a model."""
    given = {"served": served, "max_bytes": max_bytes}

    def unknown(request):
        return 404, f"there is no such page: {', '.join(PAGES)} are there"

    def facts():
        return served.facts

    def health():
        return {"status": "ok", "waiting": served.waiting}

    return Application(
        [
            Rule(allowed, Refusing, given | {"fault": allowed.fault}),
            *((path, Facts, given | {"content": facts}) for path in ("/", "/model")),
            ("/health", Facts, given | {"content": health}),
            ("/suggest", Answer, given | {"question": served.suggest}),
            ("/explain", Answer, given | {"question": served.explain}),
        ],
        default_handler_class=Refusing,
        default_handler_args=given | {"fault": unknown},
        log_function=lambda handler: None,
    )


class Refused(HTTPError):
    """A request that is not carried out; its sender is told why, in a sentence."""

    def __init__(self, status, message):
        super().__init__(status)
        self.message = message


class Server(HTTPServer):
    """One that closes further connections at once where MOST_CONNECTIONS are open."""

    open_connections = 0

    def handle_stream(self, stream, address):
        if self.open_connections >= MOST_CONNECTIONS:
            stream.close()
            return
        self.open_connections += 1
        super().handle_stream(stream, address)

    def on_close(self, server_conn):
        self.open_connections -= 1
        super().on_close(server_conn)


@stream_request_body
class Page(RequestHandler):
    """A page whose answers, mistakes too, are JSON, and which keeps no more than max_bytes.

    Nothing is refused before the body has been read: who still sends when the connection ends gets no answer.
    """

    methods = ("GET", "HEAD")

    def initialize(self, served, max_bytes, **own):
        self.served, self.max_bytes = served, max_bytes
        self.received, self.length = bytearray(), 0
        vars(self).update(own)

    def set_default_headers(self):
        self.set_header("Server", "polytopic")
        self.set_header("X-Content-Type-Options", "nosniff")

    def data_received(self, chunk):
        self.length += len(chunk)
        if self.length <= self.max_bytes:
            self.received += chunk
        else:
            self.received.clear()

    def answer(self, content):
        self.set_header("Content-Type", f"{JSON}; charset=utf-8")
        self.finish(json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n")

    def log_exception(self, kind, value, trace):
        """Log what went wrong here; what clients got wrong they are told."""
        if not isinstance(value, HTTPError):
            where = f"{self.request.method} {self.request.path}"
            logging.getLogger("polytopic").error("%s", where, exc_info=(kind, value, trace))

    def write_error(self, status_code, exc_info=None, **_):
        message = exc_info[1].message if exc_info and isinstance(exc_info[1], Refused) else None
        if status_code == 405:
            self.set_header("Allow", ", ".join(self.methods))
            message = f"{self.request.path} takes {' and '.join(self.methods)}"
        self.answer({"error": message or responses.get(status_code, "unknown")})


class Refusing(Page):
    """Any page, for a request that is not for this server, and any path without a page."""

    def get(self):
        raise Refused(*self.fault(self.request))

    head = post = put = patch = delete = options = get


class Facts(Page):
    """What the model is, which Annif's HTTP backend asks for, or whether requests are answered."""

    def get(self):
        self.answer(self.content())

    head = get


class Answer(Page):
    """Labels for one text or several, or their reasons, from JSON or from a form as Annif's HTTP backend sends it."""

    methods = ("POST",)

    async def post(self):
        if self.length > self.max_bytes:
            raise Refused(413, f"the body has {self.length:,} bytes, and at most {self.max_bytes:,} are read")
        kind = self.request.headers.get("Content-Type", JSON).partition(";")[0].strip().lower()
        if kind not in READERS:
            raise Refused(415, f"send {JSON} or {FORM}, not {kind}")
        try:
            asked = check(READERS[kind](bytes(self.received)))
        except (ValueError, RecursionError) as problem:
            raise Refused(400, str(problem)) from problem
        documents = await self.question(asked)
        self.answer({"documents": documents} if "texts" in asked["given"] else documents[0])


def _json(body):
    try:
        given = json.loads(body)
    except (ValueError, RecursionError) as problem:
        raise ValueError(f"the body is no JSON: {problem}") from problem
    if not isinstance(given, dict):
        raise ValueError('the body is no JSON object: send {"text": "..."}')
    return given


def _form(body):
    try:
        given = parse_qs(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=100)
    except ValueError as problem:
        raise ValueError(f"the body is no form in UTF-8: {problem}") from problem
    found = {name: values if name == "texts" else values[0] for name, values in given.items()}
    for name, kind in (("limit", int), ("threshold", float)):
        if name in found:
            try:
                found[name] = kind(found[name])
            except ValueError:
                raise ValueError(f"{name} is no number: {found[name][:40]!r}") from None
    return found


READERS = {JSON: _json, FORM: _form}


def check(given):
    """Return texts, limit, threshold, and the names of what is given. Raises ValueError, with a sentence."""
    for name in given:
        if not name.startswith(METADATA):
            check_name("field", name, FIELDS)
    if ("text" in given) == ("texts" in given):
        raise ValueError("give either text, one text, or texts, a list of them")
    texts = [given["text"]] if "text" in given else given["texts"]
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ValueError("text is a string, and texts a list of strings")
    if not 1 <= len(texts) <= MOST_TEXTS:
        raise ValueError(f"texts has {len(texts)} texts: send from 1 to {MOST_TEXTS:,}")
    limit, threshold = given.get("limit", LIMIT), given.get("threshold", 0.0)
    if type(limit) is not int or limit < 1:
        raise ValueError("limit is no whole number from 1 up")
    if type(threshold) not in (int, float) or not math.isfinite(threshold):
        raise ValueError("threshold is no number")
    return {"texts": texts, "limit": limit, "threshold": threshold, "given": given.keys()}
