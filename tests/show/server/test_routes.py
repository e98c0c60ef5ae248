"""Tests the answers of the routes over a real connection: no request causes an error of the server."""

import base64
import json
import random
import string
from urllib.parse import quote

import pytest

from chorus.testing.builders import Session
from tests.show.server.serving import Browser, Serving, serving, session_of, until

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00" + b"\x00" * 20
GIF = b"GIF89a\x01\x00\x01\x00\x00\x00\x00;"
JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"
JPEG += b"\xff\xc0\x00\x0b\x08\x00\x01\x00\x01\x01\x01\x11\x00"
WEBP = b"RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"
HTML = b"<!doctype html><script>alert(1)</script>"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
PDF = b"%PDF-1.7\n1 0 obj\n"
SHOWN = {"image/png": PNG, "image/gif": GIF, "image/jpeg": JPEG, "image/webp": WEBP}
OTHERS = [HTML, SVG, PDF, b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'/>", b"", b"\x00" * 64]
OTHERS += [
    b"\x89PNG\r\n\x1a\n" + HTML,
    b"GIF89" + HTML,
    b"RIFF....WAVE" + HTML,
    b"BM" + HTML,
    b"\x00\x00\x01\x00" + HTML,
]
OTHERS += [HTML + PNG, b" " + PNG, b"\xef\xbb\xbf" + GIF, b"\xff\xd8" + HTML]
CLAIMS = ["image/png", "text/html", "image/svg+xml", 'image/png"; x="', "application/pdf"]


@pytest.fixture(scope="module")
def name(server: Serving) -> str:
    browser = server.browser()
    return until(lambda: browser.get("/api/conversations").json.get("conversations"))[0]["name"]


def test_a_page_names_its_place_in_the_feed(browser: Browser, name):
    """List, detail and rows describe the same conversation and name the same epoch of the change feed."""
    listed = browser.get("/api/conversations?q=hello").json
    detail = browser.get(f"/api/conversations/{name}").json
    rows = browser.get(f"/api/conversations/{name}/rows").json

    assert listed["conversations"][0] == detail["summary"]
    assert {listed["epoch"], detail["epoch"], rows["epoch"]} == {listed["epoch"]}
    assert [row["row"]["author"] for row in rows["rows"]] == ["human", "model"]
    assert rows["before"] is None and rows["after"] is None


def test_a_conversation_compares_with_itself(browser: Browser, name):
    """All steps are shared, a page of pairs names its start, and the figures are the same as in the list."""
    found = browser.get(f"/api/compare?a={quote(name)}&b={quote(name)}").json
    rest = browser.get(f"/api/compare?a={quote(name)}&b={quote(name)}&start=1&limit=1").json

    assert found["is_equal"] and found["total"] == found["stem"] == len(found["pairs"]) == 2
    assert {pair["relation"] for pair in found["pairs"]} == {"shared"}
    assert rest["pairs"] == found["pairs"][1:] and rest["start"] == 1
    assert found["a"]["summary"] == browser.get(f"/api/conversations/{name}").json["summary"]


def test_a_record_is_had_as_it_was_captured(server: Serving, browser: Browser, name):
    """A record is available as text to read and as the exact bytes to save."""
    (file,) = server.folder.rglob("*.jsonl")
    first = file.read_bytes().splitlines(keepends=True)[0]
    address = f"/api/conversations/{name}/record?stream=session&at=0"
    saved = browser.get(f"{address}&download=1")

    assert browser.get(address).json["text"].encode() == first
    assert saved.body == first
    assert saved.headers["content-disposition"].startswith("attachment; filename=")


@pytest.mark.parametrize(
    ("path", "status", "kind"),
    [
        ("/api/conversations?q=(", 400, "bad_query"),
        ("/api/conversations?limit=101", 400, "bad_request"),
        ("/api/conversations?limit=0", 400, "bad_request"),
        ("/api/conversations?start=-1", 400, "bad_request"),
        ("/api/conversations/a/b/c", 404, "not_found"),
        ("/api/conversations/../b/c", 404, "not_found"),
        ("/api/conversations/%2e%2e/b/c", 404, "not_found"),
        ("/api/conversations/a/b", 404, "not_found"),
        ("/api/search?q=regex:/(/", 400, "bad_query"),
        ("/api/search", 400, "bad_request"),
        ("/api/search?q=x&limit=1e9", 400, "bad_request"),
        ("/api/compare", 400, "bad_request"),
        ("/api/compare?a=x&b=y", 400, "bad_request"),
        ("/api/compare?a=../b/c&b=../b/c", 400, "bad_request"),
        ("/api/compare?a=a/b/c&b=a/b/c", 404, "not_found"),
        ("/api/compare?a=a/b/c&b=a/b/c&limit=501", 400, "bad_request"),
        ("/api/nothing", 404, "not_found"),
        ("/api/openapi.json", 404, "not_found"),
        ("/schema", 404, "not_found"),
        ("/api", 404, "not_found"),
    ],
)
def test_what_cannot_be_answered_is_one_shape(browser: Browser, path, status, kind):
    """Every refusal is a `Problem` with a kind for programs and a message for people."""
    answer = browser.get(path)
    assert (answer.status, answer.kind) == (status, kind)
    assert set(answer.json) == {"kind", "message", "at"}
    assert answer.json["message"]


def test_a_query_that_makes_no_sense_is_pointed_at(browser: Browser):
    """An error in a query has its position, in characters of the query as it was sent."""
    answer = browser.get("/api/search?q=" + quote("ünd role:nobody"))
    assert answer.json["at"] == [9, 15]


def test_search_tells_hits_and_how_they_divide(browser: Browser, name):
    """Facets come with the first page, and each value has the term that reduces the query to its hits."""
    answer = browser.get("/api/search?q=hello&limit=1").json
    rest = browser.get(f"/api/search?q=hello&limit=1&below={answer['next']}").json

    assert [len(answer["hits"]), len(rest["hits"])] == [1, 1]
    assert answer["hits"][0]["conversation"]["name"] == name
    assert answer["hits"][0]["snippet"]["marks"]
    facets = {
        facet["field"]: {value["value"]: value["count"] for value in facet["values"]} for facet in answer["facets"]
    }
    assert facets["role"] == {"user": 1, "assistant": 1}
    assert (answer["counted"], rest["facets"]) == (2, [])
    for facet in answer["facets"]:
        for value in facet["values"]:
            narrowed = browser.get("/api/search?q=" + quote(f"hello {value['term']}")).json
            assert len(narrowed["hits"]) == value["count"], value


def test_completion_helps_and_says_what_is_wrong(browser: Browser):
    """The answer has the suggestions and the fault of an incomplete query, and is not an error."""
    found = browser.get("/api/complete?q=model:claude").json
    wrong = browser.get("/api/complete?q=role:nob").json

    assert [each["text"] for each in found["suggestions"]] == ["claude-test-1"]
    assert found["problem"] is None
    assert wrong["problem"]["kind"] == "bad_query"


@pytest.mark.parametrize(
    ("typed", "values"), [("branch:", ["main"]), ("branch:ma", ["main"]), ("branch:x", []), ("agent:", ["main"])]
)
def test_fields_of_conversations_have_values(browser: Browser, typed, values):
    """Branches and agents are suggested with the names from the conversations."""
    found = browser.get(f"/api/complete?q={typed}").json

    assert [each["text"] for each in found["suggestions"]] == values


def test_no_parameter_leads_anywhere_else(browser: Browser, name):
    """A10: 200 addresses with foreign targets, paths and scopes in every parameter cause no redirect and no 500."""
    chance = random.Random(3)
    targets = ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "../../etc/passwd"]
    targets += [
        "admin",
        "\x00",
        "%00",
        "\r\nSet-Cookie: a=b",
        "ws://evil.example",
        "file:///etc/passwd",
        "💥",
        "\ud800",
    ]
    keys = ["q", "id", "at", "after", "before", "around", "thread", "stream", "name", "branch", "next", "redirect"]
    keys += ["gatewayUrl", "url", "scope", "permissionMode", "cwd", "callback", "limit", "nth", "start", "download"]
    paths = ["", "/rows", "/row", "/outline", "/locate", "/find", "/record", "/image", "/side-file"]
    for _ in range(200):
        path = f"/api/conversations/{name}" + chance.choice(paths)
        path = chance.choice([path, path, "/api/search", "/api/complete", "/api/conversations", "/", "/c/x"])
        asked = "&".join(
            f"{chance.choice(keys)}={quote(chance.choice(targets), safe='', errors='replace')}"
            for _ in range(chance.randrange(1, 5))
        )
        answer = browser.get(f"{path}?{asked}")
        assert answer.status in (200, 400, 404), (path, asked, answer)
        assert "location" not in answer.headers
        assert "evil" not in json.dumps(answer.headers)


def test_no_query_is_an_error_of_the_server(browser: Browser):
    """Every typed query gets an answer or a message about its fault."""
    chance = random.Random(11)
    pieces = [
        *string.printable,
        "tool:",
        "regex:/",
        "->",
        "OR",
        "AND",
        '"',
        "\ud83d",
        "é",
        "中",
        "cost>",
        "after:",
        "*",
    ]
    for _ in range(150):
        text = "".join(chance.choice(pieces) for _ in range(chance.randrange(30)))
        where = chance.choice(["/api/search", "/api/conversations", "/api/complete"])
        answer = browser.get(f"{where}?q={quote(text, safe='', errors='surrogatepass')}")
        assert answer.status in (200, 400), (text, answer)


def _with_pictures(session: Session) -> list[tuple[bytes, str]]:
    """Adds a message for every real or claimed kind of picture to a session, and returns the pictures."""
    pictures = [(data, claim) for data in [*SHOWN.values(), *OTHERS] for claim in CLAIMS]
    for data, claim in pictures:
        source = {"type": "base64", "media_type": claim, "data": base64.b64encode(data).decode()}
        session.user([{"type": "image", "source": source}])
    return pictures


def test_only_pictures_are_shown_and_only_by_their_own_bytes(places):
    """B4: only four kinds are sent as images, decided by their bytes.

    All other data is not found, and nothing is run.
    """
    session = session_of()
    pictures = _with_pictures(session)
    with serving(*places) as server:
        server.write(session)
        browser = server.browser()
        name = until(lambda: browser.get("/api/conversations").json.get("conversations"))[0]["name"]
        rows = until(
            lambda: (
                len(found := browser.get(f"/api/conversations/{name}/rows?after=&limit=200").json["rows"])
                == len(pictures) + 2
                and found
            )
        )
        for row, (data, claim) in zip(rows[2:], pictures, strict=True):
            place = row["places"][row["row"]["id"]]
            answer = browser.get(f"/api/conversations/{name}/image?stream={place['stream']}&at={place['at']}&nth=0")
            kind = next((kind for kind, shown in SHOWN.items() if shown == data), None)
            assert answer.headers["x-content-type-options"] == "nosniff"
            if kind is None:
                assert answer.status == 404, (data, claim)
                assert answer.headers["content-type"] == "application/json"
            else:
                assert (answer.status, answer.body, answer.headers["content-type"]) == (200, data, kind), claim
                assert answer.headers["content-security-policy"] == "sandbox; default-src 'none'"


def test_what_no_encoding_has_is_shown_all_the_same(places):
    """E4: half a character in a transcript causes no error."""
    session = session_of("half a character: \\ud800 done")
    line = bytes(session).replace(b"\\\\ud800", b"\\ud800")
    with serving(*places) as server:
        path = server.write(session)
        path.write_bytes(line)
        browser = server.browser()
        listed = until(lambda: browser.get("/api/conversations").json.get("conversations"))
        name = listed[0]["name"]
        for what in ("", "/rows", "/outline", "/record?stream=session&at=0"):
            assert browser.get(f"/api/conversations/{name}{what}").status == 200
        assert browser.get("/api/search?q=character").status == 200
