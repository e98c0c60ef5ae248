"""Tests the upgrade from an older format to the current one, step by step."""

from pathlib import Path

import pytest

from chorus.errors import VaultUnwritable
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.format_version import FORMAT, STEPS, format_of, upgrade, write_format
from tests.keep.vault.lines import KEY, SEEN_AT


def test_steps_run_in_turn(tmp_path: Path) -> None:
    """Each step runs once and in order, and is noted when it is done, so a later start continues after it."""
    write_format(tmp_path, 1)
    done: list[int] = []

    def fail(_root: Path) -> None:
        raise VaultUnwritable("full")

    with pytest.raises(VaultUnwritable, match="full"):
        upgrade(tmp_path, to=4, steps={1: lambda _: done.append(1), 2: fail, 3: lambda _: done.append(3)})
    assert format_of(tmp_path) == 2
    upgrade(tmp_path, to=4, steps={number: lambda _, number=number: done.append(number) for number in (1, 2, 3)})

    assert done == [1, 2, 3]
    assert format_of(tmp_path) == 4


def test_a_missing_step_is_refused(tmp_path: Path) -> None:
    """If a step is missing, no step runs."""
    write_format(tmp_path, 1)
    done: list[int] = []

    with pytest.raises(VaultUnwritable, match="no step leads from format 2"):
        upgrade(tmp_path, to=4, steps={1: lambda _: done.append(1), 3: lambda _: done.append(3)})
    assert done == []
    assert format_of(tmp_path) == 1


def test_every_older_format_has_its_step() -> None:
    """Every older format has an upgrade step."""
    assert sorted(STEPS) == list(range(1, FORMAT))


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b'{"format":"1"}', b'{"format":0}', b"\xff"])
def test_a_version_that_cannot_be_read_is_not_overwritten(text: bytes, tmp_path: Path) -> None:
    """A damaged `vault.json` stops writing with an error that names it; it is not overwritten, and reading goes on."""
    vault = FileVault(tmp_path)
    vault.append(KEY, b"a\n", seen_at=SEEN_AT)
    vault.close()
    (tmp_path / "vault.json").write_bytes(text)

    vault = FileVault(tmp_path)
    with pytest.raises(VaultUnwritable, match=r"vault\.json"):
        vault.append(KEY, b"b\n", seen_at=SEEN_AT)
    assert (tmp_path / "vault.json").read_bytes() == text
