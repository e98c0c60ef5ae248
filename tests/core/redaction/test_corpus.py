"""Measures how many planted secrets redaction finds, and how many findings are wrong in lines without secrets."""

import json
from itertools import islice
from pathlib import Path

import pytest

from chorus.core.records.record import Record
from chorus.core.redaction.choices import Choices
from chorus.core.redaction.deltas import fragment_of
from chorus.core.redaction.redactor import Redactor
from chorus.core.redaction.rules import SECRETS
from chorus.core.redaction.scanner import Scanner
from chorus.testing.builders.corpus import corpus
from chorus.testing.builders.secrets import Secrets
from chorus.testing.reading import split
from tests.core.redaction.encoded import FORMS, session_of, streamed

RECORDINGS = Path(__file__).resolve().parents[4] / "shared" / "transcripts"
PLANTED = list(Secrets(seed=11).all(each=3))
SEVERAL_LINES = ("private-key", "putty-key")
QUICK, ALL = 1_500, 10_000


def redacted(data: bytes) -> tuple[bytes, Redactor]:
    """Returns a stream after redaction, and the redactor."""
    pieces = split(data)
    redactor = Redactor(Choices())
    redactor.search("session", pieces)
    redactor.settle()
    return b"".join(new + piece.tail for piece, new in redactor.replace("session", pieces)), redactor


def missed(data: bytes, forms) -> list[str]:
    """Returns the kinds of planted secrets that are still in the data in one of the given forms."""
    return [each.kind for each in PLANTED if any(form in data for form in forms(each))]


def share(missing: list[str]) -> float:
    return 1 - len(missing) / len(PLANTED)


def test_the_corpus_is_large_enough():
    """The corpus has at least 300 secrets of at least 60 kinds, and every rule of the table has some."""
    assert len(PLANTED) >= 300
    assert {each.kind for each in PLANTED} == {rule.id for rule in SECRETS} and len(SECRETS) >= 60


@pytest.mark.parametrize("kind", sorted({rule.id for rule in SECRETS}))
def test_the_rules_of_a_kind_find_its_secrets(kind):
    """Without the rules of other kinds, those of each kind find the secrets of it."""
    scanner = Scanner(rule for rule in SECRETS if rule.id == kind)
    examples = [each for each in PLANTED if each.kind == kind]
    found = [{span.value for span in scanner.scan(each.line)} for each in examples]

    assert all(each.secret in values for each, values in zip(examples, found, strict=True))


@pytest.mark.parametrize("name", FORMS)
def test_planted_secrets_are_found(name, capsys):
    """At least 99 of 100 planted secrets are removed in each encoding, and the kinds of the others are printed."""
    data = bytes(session_of(FORMS[name](each) for each in PLANTED))
    assert all(each.kind in missed(data, lambda one: written(name, one)) for each in PLANTED[:5])
    after, _ = redacted(data)
    missing = missed(after, lambda one: written(name, one))
    with capsys.disabled():
        print(f"\n  redaction, {name}: {share(missing):.3f} of {len(PLANTED)} found; missing: {sorted(set(missing))}")

    assert share(missing) >= 0.99


def written(name: str, planted) -> list[bytes]:
    """Returns how a planted secret is written in the lines of a session."""
    text = FORMS[name](planted)
    if name == "plain":
        text = planted.secret
    if name == "json":
        text = planted.secret.replace("\n", "\\\\n")
    return [_in_a_record(text)]


def _in_a_record(text: str) -> bytes:
    return json.dumps(text, ensure_ascii=False)[1:-1].encode()


def test_a_secret_that_is_split_over_events_is_found():
    """At least 99 of 100 secrets that arrive in fragments are removed, and each finding appears as its placeholder."""
    planted = [each for each in PLANTED if each.kind not in SEVERAL_LINES]
    after, redactor = redacted(streamed(planted))
    events = [piece for piece in split(after) if isinstance(piece, Record)]
    joined = "".join(fragment_of(each) or "" for each in events)
    missing = [each.kind for each in planted if each.secret in joined]

    assert 1 - len(missing) / len(planted) >= 0.99, missing
    assert all(each.placeholder in joined for each in redactor.found if each.rule.kind == "secret")


def clean_lines(tmp_path) -> bytes:
    """Returns lines without secrets, from recordings if there are any, or else from a built corpus."""
    files = sorted(RECORDINGS.rglob("*.jsonl")) if RECORDINGS.is_dir() else corpus(tmp_path, megabytes=6)
    # Taking every seventh file first mixes all kinds of work.
    chosen = [file for start in range(7) for file in files[start::7] if file.stat().st_size < 3_000_000]
    return b"".join(file.read_bytes().rstrip(b"\n") + b"\n" for file in chosen)


@pytest.mark.parametrize("most", [QUICK, pytest.param(ALL, marks=pytest.mark.long)])
def test_clean_lines_stay_as_they_are(tmp_path, most, capsys):
    """In lines without secrets, at most one value per 1,000 lines is taken for a secret."""
    lines = list(islice(clean_lines(tmp_path).splitlines(keepends=True), most))
    _, redactor = redacted(b"".join(lines))
    wrong = [each for each in redactor.found if each.rule.kind == "secret"]
    with capsys.disabled():
        print(f"\n  redaction: {len(wrong)} false findings in {len(lines):,} lines")

    assert len(lines) == most
    assert len(wrong) <= most / 1_000, [(each.rule.id, each.preview) for each in wrong]
