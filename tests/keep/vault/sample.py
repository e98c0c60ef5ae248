"""Writes the sample vault of the current format: `python -m tests.keep.vault.sample`, once for each new format."""

from pathlib import Path

from chorus.keep.vault.files import FileVault
from chorus.keep.vault.format_version import FORMAT
from chorus.keep.vault.keys import StreamKey
from chorus.testing.builders import Session

SAMPLE = Path(__file__).with_name("samples")


def _session() -> bytes:
    session = Session()
    session.user("Rename the option")
    session.assistant("Done.", stop="end_turn")
    return bytes(session)


TEXTS = {
    StreamKey("work-12345678", "main", "plain"): _session(),
    StreamKey("work-12345678", "main", "plain", "agent-1"): b'{"a":1}\r\nnot a record\n\xff\n\n{"half":',
    StreamKey("work-12345678", "main", "sealed"): _session(),
    StreamKey("work-12345678", "main", "rewritten"): b'{"n":1}\n{"n":3}\n',
}
KEYS = list(TEXTS)


def write(root: Path) -> None:
    vault = FileVault(root)
    for key, text in TEXTS.items():
        if key.conversation == "rewritten":
            vault.append(key, b'{"n":1}\n{"n":2}\n', seen_at="2026-01-02T03:04:05.678Z")
            text = text[vault.revise(key, 8).offset :]
        vault.append(key, text, seen_at="2026-01-02T03:04:05.678Z")
    vault.put_blob(b"foo")
    vault.flush()
    vault.seal(KEYS[2])
    vault.close()


if __name__ == "__main__":
    write(SAMPLE / f"format-{FORMAT}")
