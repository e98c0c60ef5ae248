"""The generated files: none is stale, and one that were is named together with the command."""

import hashlib

import pytest

from tools import generate, wire_types
from tools.node import NodeMissing


def test_no_generated_file_is_stale():
    """Every generated file holds what its sources say."""
    stale = generate.stale()

    assert not stale, f"{stale} stale: run `./dev generate`"


def test_a_stale_file_is_named_with_the_command(monkeypatch, capsys):
    """`--check` fails, and each stale file is one line that says what to run."""
    monkeypatch.setattr(generate, "GENERATED", {wire_types.DOCUMENT: lambda: "{}"})

    assert generate.main(["--check"]) == 1
    assert capsys.readouterr().out == "web/openapi.json is stale: run `./dev generate`\n"


@pytest.fixture
def without_node(tmp_path, monkeypatch):
    """A machine on which no node can be had, and a checkout whose types are those of the document "{}"."""

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
    """The header says which document the types were made of: the same one is enough, and that is said."""
    assert wire_types.types() == without_node
    assert "compared by the digest in its header only" in capsys.readouterr().err


def test_without_node_a_changed_document_is_still_noticed(without_node, monkeypatch, capsys):
    """Types of another document are stale, also where they cannot be made."""
    monkeypatch.setattr(wire_types, "document", lambda: '{"changed": 1}')
    monkeypatch.setattr(generate, "GENERATED", {wire_types.TYPES: wire_types.types})

    assert generate.main(["--check"]) == 1
    assert "web/src/api/schema.d.ts is stale: run `./dev generate`" in capsys.readouterr().out
    assert generate.main([]) == 1
