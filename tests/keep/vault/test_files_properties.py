"""Tests that after any operations on a vault, in any order, each revision reads as the source was."""

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from chorus.keep.vault.files import FileVault
from chorus.keep.vault.memory import MemoryVault
from chorus.keep.vault.port import Damaged, contents
from tests.keep.vault.lines import KEY, SEEN_AT

PIECES = st.one_of(
    st.binary(max_size=60), st.sampled_from([b'{"a":1}\n', b'{"a":"\xc3\xa9"}\r\n', b"\n", b'{"half":', b"1}\n"])
)
STEPS = st.lists(
    st.one_of(
        PIECES.map(lambda data: ("append", data)),
        st.floats(0, 1).map(lambda share: ("revise", share)),
        st.sampled_from([("seal", None), ("flush", None), ("reopen", None)]),
    ),
    max_size=25,
)


@given(STEPS)
def test_contents_are_the_source(steps) -> None:
    """After random appends, rewrites, seals and restarts, files and memory give every revision of the source."""
    with tempfile.TemporaryDirectory() as folder:
        files, memory = FileVault(Path(folder) / "vault", patience_s=1), MemoryVault()
        text, revisions, is_revising = b"", [], False
        for step, value in steps:
            match step:
                case "append" if value:
                    text += value
                    is_revising = False
                    assert files.append(KEY, value, seen_at=SEEN_AT) == memory.append(KEY, value, seen_at=SEEN_AT)
                case "revise" if text:
                    ends = [0, *(n + 1 for n, byte in enumerate(text) if byte == 10)]
                    prefix = ends[int(value * (len(ends) - 1))]
                    if not is_revising:
                        revisions.append(text)
                    text, is_revising = text[:prefix], True
                    assert files.revise(KEY, prefix) == memory.revise(KEY, prefix)
                case "seal":
                    files.seal(KEY)
                case "flush":
                    files.flush()
                case "reopen" if not is_revising:
                    files.close()
                    files = FileVault(Path(folder) / "vault", patience_s=1)
                case _:
                    pass
        if not is_revising:
            revisions.append(text)
        for vault in (files, memory):
            assert [contents(vault, KEY, n) for n in range(len(revisions))] == revisions
            assert contents(vault, KEY) == (revisions[-1] if revisions else b"")
        # Only memory can trust what it stored.
        read = [structs.replace(line, is_utf8=False) for line in memory.lines(KEY) if not isinstance(line, Damaged)]
        assert list(files.lines(KEY)) == read
        files.close()
