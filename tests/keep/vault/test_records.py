"""Tests that records from the vault are the same as from their file."""

from pathlib import Path

from chorus.keep.vault.files import FileVault
from chorus.keep.vault.records import stored_records
from chorus.testing.builders import Session
from tests.keep.vault.lines import KEY, SEEN_AT


def test_damage_moves_no_record(tmp_path: Path) -> None:
    """After a damaged line, every record still has its offset in the source."""
    session = Session()
    for number in range(6):
        session.user(f"prompt {number}")
    vault = FileVault(tmp_path)
    vault.append(KEY, bytes(session), seen_at=SEEN_AT)
    vault.close()
    before = [(record.offset, record.raw) for record in stored_records(vault, KEY)]
    path = vault.path(KEY)
    path.write_bytes(path.read_bytes().replace(b"prompt 2", b"prompt X"))

    after = [(record.offset, record.raw) for record in stored_records(vault, KEY)]

    assert len(before) == 6
    assert after == before[:2] + before[3:]
