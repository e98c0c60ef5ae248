"""Tests the manifest of a conversation."""

from chorus.keep.archive.listing import conversations
from chorus.keep.archive.manifest import manifest_of
from chorus.keep.vault.memory import MemoryVault
from tests.keep.archive.vaults import NOW, client, keep, talk


def test_the_manifest_tells_sources_and_side_files(tmp_path):
    """The manifest says where each stream came from, and which side files belong to it."""
    vault = MemoryVault()
    (path,) = client(tmp_path / "claude", talk())
    keep(vault, tmp_path / "vault", tmp_path / "claude")
    (kept,) = conversations(vault)

    found = manifest_of(vault, kept)

    assert found.sources["session"].path == str(path)
    assert found.sources["session"].config_dir == str(tmp_path / "claude")
    assert {"session", "agent-a1b2c3"} <= set(found.sources)
    side = found.side_files["session", "tool-results/t1.txt"]
    assert vault.blob(side.blob) == b"long " * 600 and side.size == 3000


def test_lines_of_another_version_are_passed_over_and_the_last_word_counts(tmp_path):
    """A later line of the manifest replaces an earlier one, and a line that is not understood changes nothing."""
    vault = MemoryVault()
    client(tmp_path / "claude", talk())
    keep(vault, tmp_path / "vault", tmp_path / "claude")
    (kept,) = conversations(vault)
    key = next(key for key in kept.keys if key.stream == "manifest")
    for line in (
        b'{"type":"novelty"}\n',
        b"not json\n",
        b'{"type":"side-file","path":"tool-results/t1.txt","base":"session","blob":"00","size":2}\n',
    ):
        vault.append(key, line, seen_at=NOW)

    assert manifest_of(vault, kept).side_files["session", "tool-results/t1.txt"].size == 2
