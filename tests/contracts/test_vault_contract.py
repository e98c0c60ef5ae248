"""Tests that every back end of the vault fulfils the contract of the port."""

from pathlib import Path

import pytest

from chorus.keep.vault.files import FileVault
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.memory import MemoryVault
from chorus.keep.vault.port import Tail
from chorus.testing.vault_contract import BEHAVIOURS, Behaviour, MakeVault


class Sealing(FileVault):
    """A back end that seals each stream right after each write, so that every behaviour is tested with sealed files."""

    def append(self, key: StreamKey, data: bytes, *, seen_at: str) -> Tail:
        told = super().append(key, data, seen_at=seen_at)
        self.seal(key)
        return told


def makers(tmp_path: Path) -> dict[str, MakeVault]:
    memory = MemoryVault()
    return {
        "memory": lambda: memory,
        "files": lambda: FileVault(tmp_path / "vault", patience_s=5),
        "sealed files": lambda: Sealing(tmp_path / "vault", patience_s=5),
    }


@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda behaviour: behaviour.__name__)
@pytest.mark.parametrize("back_end", ["memory", "files", "sealed files"])
def test_the_vault_contract(back_end: str, behaviour: Behaviour, tmp_path: Path) -> None:
    """Each back end has each behaviour of the port."""
    behaviour(makers(tmp_path)[back_end])


class Forgetful(MemoryVault):
    """A faulty back end that loses carriage returns."""

    def append(self, key: StreamKey, data: bytes, *, seen_at: str) -> Tail:
        return super().append(key, data.replace(b"\r", b""), seen_at=seen_at)


def test_the_contract_sees_a_faulty_back_end() -> None:
    """The contract detects a back end that changes bytes."""
    (behaviour,) = [each for each in BEHAVIOURS if each.__name__ == "any_bytes_come_back"]
    faulty = Forgetful()

    with pytest.raises(AssertionError, match="windows line ends"):
        behaviour(lambda: faulty)
