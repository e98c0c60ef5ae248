"""Tests that no generated file is stale, and that the check names a stale file and the command to run."""

import hashlib

import pytest

from tools import generate, wire_types
from tools.node import NodeMissing


def test_no_generated_file_is_stale():
    """Every generated file has the content that its sources produce."""
    stale = generate.stale()

    assert not stale, f"{stale} stale: run `./dev generate`"


def test_a_stale_file_is_named_with_the_command(monkeypatch, capsys):
    """`--check` fails and prints one line for each stale file that says what to run."""
    monkeypatch.setattr(generate, "GENERATED", {wire_types.DOCUMENT: lambda: "{}"})

    assert generate.main(["--check"]) == 1
    assert capsys.readouterr().out == "web/openapi.json is stale: run `./dev generate`\n"


@pytest.fixture
def without_node(tmp_path, monkeypatch):
    """A machine without node, and a checkout whose types were generated from the document "{}"."""

    def missing(_):
        raise NodeMissing("there is none")

    monkeypatch.setattr(wire_types, "_typescript", missing)
    monkeypatch.setattr(wire_types, "ROOT", tmp_path)
    monkeypatch.setattr(wire_types, "document", lambda: "{}")
    held = wire_types.HEADER.format(digest=hashlib.sha256(b"{}").hexdigest()) + "export type A = 1\n"
    (tmp_path / wire_types.TYPES).parent.mkdir(parents=True)
    (tmp_path / wire_types.TYPES).write_text(held)
    return held


def test_without_node_the_types_are_compared_by_digest(without_node, capsys):
    """The header contains the digest of the document. The same digest is enough, and a message says so."""
    assert wire_types.types() == without_node
    assert "compared by the digest in its header only" in capsys.readouterr().err


def test_without_node_a_changed_document_is_still_noticed(without_node, monkeypatch, capsys):
    """Types of another document are stale, even where they cannot be generated."""
    monkeypatch.setattr(wire_types, "document", lambda: '{"changed": 1}')
    monkeypatch.setattr(generate, "GENERATED", {wire_types.TYPES: wire_types.types})

    assert generate.main(["--check"]) == 1
    assert "web/src/api/schema.d.ts is stale: run `./dev generate`" in capsys.readouterr().out
    assert generate.main([]) == 1
