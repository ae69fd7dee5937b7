"""``polytopic serve``: what it answers, what it refuses, and what it withstands. All on this computer, bounded."""

import asyncio
import http.client
import json
import re
import socket
import subprocess
import sys
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest
from sklearn.feature_extraction.text import CountVectorizer

from polytopic import paths
from polytopic.command import cli
from polytopic.corpus import Corpus
from polytopic.models import DependencyLDA
from polytopic.practice.labeller import Labeller

pytest.importorskip("tornado")

from polytopic.practice import server as serving

TEXTS = ["a red apple", "a red car", "an apple and a pear", "a pear", "the red red car and the apple", "zzz"]
MAX_BYTES = 20_000
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    words = CountVectorizer()
    counts = words.fit_transform(TEXTS[:4] * 5)
    labels = [[1, 1], [0, 1], [1, 0], [1, 0]] * 5
    corpus = Corpus(counts, labels, words.get_feature_names_out(), ["fruit", "red"], name="fruits")
    chains = {"n_chains": 2, "n_topic_chains": 2, "n_topic_sweeps": 5, "n_test_chains": 4, "n_samples": 2}
    model = DependencyLDA(2, **chains, random_state=0, n_jobs=-1).fit(corpus.counts, corpus.labels)
    Labeller.of(model, corpus, words).save(tmp_path_factory.mktemp("served") / "model")
    return tmp_path_factory.getbasetemp() / "served0" / "model"


@contextmanager
def serving_process(*arguments):
    """A server of its own process; gives its port and its process, and ends it."""
    line = [sys.executable, "-m", "polytopic.command.cli", "serve", *map(str, arguments)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield int(re.search(r":(\d+)[.]", process.stdout.readline())[1]), process
        finally:
            process.terminate()
    assert process.returncode == 0


@pytest.fixture(scope="module")
def server(folder):
    subjects = folder.parent / "subjects.tsv"
    subjects.write_text("<http://example.org/1>\tfruit\n")
    with serving_process(
        folder, "--port", 0, "--max-bytes", MAX_BYTES, "--threads", 2, "--subjects", subjects
    ) as (port, process):
        yield port, process


def ask(port, method, path, body=None, headers=FORM):
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())


def suggest(port, text, **more):
    return ask(port, "POST", "/suggest", urlencode({"text": text} | more))


def expected(folder, text):
    subjects = {"fruit": "http://example.org/1", "red": "red"}
    (found,) = Labeller.load(folder).confidences([text], 10)
    return {"results": [{"uri": subjects[name], "label": name, "score": score} for name, score in found]}


def test_the_model_says_what_it_is(server):
    status, facts = ask(server[0], "GET", "/model")
    assert status == 200 and facts["class"] == "DependencyLDA" and facts["corpus"]["name"] == "fruits"
    assert (facts["labels"], facts["words"], facts["is_trained"]) == (2, 6, True)
    assert ask(server[0], "GET", "/") == (200, facts)
    assert ask(server[0], "GET", "/health") == (200, {"status": "ok", "waiting": 0})


def test_one_text_has_the_scores_of_the_library(server, folder):
    for text in TEXTS:
        assert suggest(server[0], text) == (200, expected(folder, text))
    assert suggest(server[0], "zzz") == (200, {"results": []})


def test_limit_threshold_and_several_texts(server):
    (best,) = suggest(server[0], TEXTS[1], limit=1, language="en", metadata_title="x")[1]["results"]
    assert best["label"] == "red" and 0 < best["score"] < 1
    body = json.dumps({"texts": TEXTS[:2], "threshold": best["score"]})
    status, both = ask(server[0], "POST", "/suggest", body, {"Content-Type": "application/json"})
    assert status == 200 and len(both["documents"]) == 2 and both["documents"][1]["results"] == [best]
    assert suggest(server[0], TEXTS[1], threshold=1.01)[1] == {"results": []}


def test_a_text_is_explained(server, folder):
    status, said = ask(server[0], "POST", "/explain", urlencode({"text": TEXTS[1], "limit": 1}))
    assert status == 200 and said == Labeller.load(folder).explain([TEXTS[1]], 1).as_json()[0]


@pytest.mark.parametrize(
    ("method", "path", "body", "kind", "status", "said"),
    [
        ("POST", "/suggest", "{", "application/json", 400, "the body is no JSON"),
        ("POST", "/suggest", "[" * 19_000, "application/json", 400, "the body is no JSON"),
        ("POST", "/suggest", b"\xff", "application/json", 400, "the body is no JSON"),
        ("POST", "/suggest", "[1]", "application/json", 400, "no JSON object"),
        ("POST", "/suggest", '{"text": 5}', "application/json", 400, "text is a string"),
        ("POST", "/suggest", '{"texts": []}', "application/json", 400, "send from 1"),
        ("POST", "/suggest", '{"texts": "a"}', "application/json", 400, "a list of strings"),
        ("POST", "/suggest", '{"text": "a", "limit": 0}', "application/json", 400, "limit"),
        ("POST", "/suggest", '{"text": "a", "limit": true}', "application/json", 400, "limit"),
        ("POST", "/suggest", '{"text": "a", "threshold": NaN}', "application/json", 400, "threshold"),
        ("POST", "/suggest", '{"text": "a", "treshold": 1}', "application/json", 400, "'threshold'"),
        ("POST", "/suggest", '{"text": "a", "texts": ["b"]}', "application/json", 400, "either"),
        ("POST", "/suggest", "", "application/json", 400, "the body is no JSON"),
        ("POST", "/suggest", "text=%ff", FORM["Content-Type"], 400, "no form in UTF-8"),
        ("POST", "/suggest", "text=a&limit=x%25s", FORM["Content-Type"], 400, "'x%s'"),
        ("POST", "/suggest", f"text=a&limit={'9' * 5000}", FORM["Content-Type"], 400, "limit is no number"),
        ("POST", "/suggest", "a", "text/plain", 415, "text/plain"),
        ("POST", "/suggest", "text=" + "a" * MAX_BYTES, FORM["Content-Type"], 413, "20,005 bytes"),
        ("POST", "/suggest", "a" * 3_000_000, FORM["Content-Type"], 413, "at most 20,000"),
        ("GET", "/suggest", None, "", 405, "takes POST"),
        ("PUT", "/suggest", None, "", 405, "takes POST"),
        ("POST", "/health", "", "", 405, "takes GET"),
        ("GET", "/nowhere", None, "", 404, "no such page"),
        ("GET", "/%2e%2e/model.json", None, "", 404, "no such page"),
    ],
)
def test_a_mistake_is_answered_in_a_sentence(server, method, path, body, kind, status, said):
    found, answer = ask(server[0], method, path, body, {"Content-Type": kind})
    assert found == status and list(answer) == ["error"] and said in answer["error"]


def test_a_body_of_unknown_length_is_read_and_bounded(server, folder):
    """It comes in pieces, with no Content-Length; one that is too long is read past, so that its sender is told."""
    text = TEXTS[1].encode()
    for pieces, status in (([b"text=", text], 200), ([b"text=", *[b"a" * 1000] * 3000], 413)):
        with closing(http.client.HTTPConnection("127.0.0.1", server[0], timeout=60)) as connection:
            connection.request("POST", "/suggest", iter(pieces), FORM, encode_chunked=True)
            answer = connection.getresponse()
            assert answer.status == status
            if status == 200:
                assert json.loads(answer.read()) == expected(folder, TEXTS[1])


def test_where_too_many_wait_the_answer_is_503(folder, monkeypatch):
    served = serving.Served.read(folder)
    monkeypatch.setattr(serving, "MOST_WAITING", 0)
    with pytest.raises(serving.Refused) as refused:
        asyncio.run(served.ask(Labeller.confidences, {"texts": TEXTS, "limit": 1}))
    assert refused.value.status_code == 503 and "wait already" in refused.value.message


# Who may ask: a page in somebody's browser may not, whatever name leads it here

HOME, WIDE, WIDE_6, ONE, HOME_6 = "127.0.0.1", "0.0.0.0", "::", "192.0.2.7", "::1"


@pytest.mark.parametrize(
    ("bound", "named", "host", "origin", "status"),
    [
        (HOME, [], "127.0.0.1:8765", None, None),
        (HOME, [], "LocalHost:9000", None, None),  # through a tunnel
        (HOME, [], "localhost.", None, None),
        (HOME, [], "[::1]:8765", None, None),
        (HOME, [], "rebound.example:8765", None, 421),
        (HOME, [], "localhost.rebound.example", None, 421),
        (HOME, [], "127.0.0.1.rebound.example", None, 421),
        (HOME, [], "192.0.2.7", None, 421),
        (HOME, [], "0.0.0.0:8765", None, 421),
        (HOME, [], "rebound.example@localhost", None, 421),
        (HOME, [], "localhost,rebound.example", None, 421),
        (HOME, [], "localhost:x", None, 421),
        (HOME, [], "::1", None, 421),
        (HOME, [], "[localhost]", None, 421),
        (HOME, [], "", None, 400),
        (HOME, [], None, None, 400),
        (HOME_6, [], "[0:0:0:0:0:0:0:1]:80", None, None),
        (ONE, [], "192.0.2.7", None, None),
        (ONE, [], "localhost", None, 421),
        (ONE, ["labels.example"], "labels.example", None, None),
        (WIDE, [], "192.0.2.7:8765", None, None),
        (WIDE, [], "localhost", None, None),
        (WIDE, [], "rebound.example", None, 421),
        (WIDE_6, [], "[2001:DB8::1]", None, None),
        (WIDE, ["Labels.example"], "labels.EXAMPLE:443", None, None),
        (HOME, [], "localhost:8765", "http://localhost:8765", None),
        (HOME, [], "LOCALHOST:80", "http://localhost", None),
        (HOME, [], "[::1]:8765", "http://[::1]:8765", None),
        (HOME, [], "localhost:8765", "http://localhost:3000", 403),
        (HOME, [], "localhost:8765", "http://127.0.0.1:8765", 403),
        (HOME, [], "localhost:8765", "https://elsewhere.example", 403),
        (HOME, [], "localhost:8765", "null", 403),
        (HOME, [], "localhost:8765", "", 403),
        (HOME, [], "localhost:8765", "http://localhost:8765.elsewhere.example", 403),
        (HOME, [], "localhost:8765", "http://elsewhere.example@localhost:8765", 403),
        (HOME, ["labels.example"], "labels.example", "https://labels.example", None),
        (HOME, ["labels.example"], "127.0.0.1:8765", "https://labels.example", None),
        (HOME, ["labels.example"], "127.0.0.1:8765", "https://elsewhere.example", 403),
    ],
)
def test_a_request_is_for_this_server_and_from_no_other_page(bound, named, host, origin, status):
    own = SimpleNamespace(getsockname=lambda: (bound, 8765))
    fault = serving.AllowedHosts.of(own, named).fault(
        SimpleNamespace(headers={"Host": host, "Origin": origin})
    )
    assert (fault and fault[0]) == status


@pytest.mark.parametrize(
    ("headers", "status", "said"),
    [
        ({"Host": "rebound.example"}, 421, "--host-name rebound.example"),
        ({"Origin": "https://elsewhere.example"}, 403, "page of https://elsewhere.example"),
        ({}, 200, ""),
    ],
)
def test_a_form_of_another_page_is_not_read(server, headers, status, said):
    """Any page could send a form here, and by a name that is led to this computer read the answer."""
    found, answer = ask(server[0], "POST", "/suggest", urlencode({"text": TEXTS[1]}), FORM | headers)
    assert found == status and said in answer.get("error", "")


def test_a_request_that_names_no_host_is_refused(server):
    for version in ("1.0", "1.1"):
        with closing(socket.create_connection(("127.0.0.1", server[0]), 60)) as connection:
            connection.sendall(f"GET /health HTTP/{version}\r\n\r\n".encode())
            assert b" 400 " in connection.recv(100)


def refusal(capsys, *arguments):
    status = cli.main(["serve", *map(str, arguments)])
    return status, capsys.readouterr().err


def test_what_cannot_be_served_is_said(folder, tmp_path, capsys):
    assert refusal(capsys, tmp_path)[0] == 2
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        status, err = refusal(capsys, folder, "--port", taken.getsockname()[1])
        assert status == 2 and "Name another by --host or --port" in err
    (tmp_path / "names.tsv").write_text("fruit\n")
    status, err = refusal(capsys, folder, "--host-name", "https://labels.example/")
    assert status == 2 and "'https://labels.example/' is no name of a computer" in err
    status, err = refusal(capsys, folder, "--subjects", tmp_path / "names.tsv")
    assert status == 2 and "line 1" in err
    bare = Labeller.load(folder)
    Labeller(bare.model, bare.vocabulary, bare.label_names).save(tmp_path / "bare")
    status, err = refusal(capsys, tmp_path / "bare")
    assert status == 2 and "without a vectorizer" in err


def test_the_example_of_the_documentation_runs(server):
    page = (Path(paths.checkout()) / "docs" / "serve.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    known = {}
    exec(example.replace(":8765", f":{server[0]}"), known)
    assert known["best"]["label"] == "red" and len(known["both"]) == 2 and known["why"]
