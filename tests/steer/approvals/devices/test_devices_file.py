"""Tests the list of paired devices: what is signed, and what has no effect."""

from pathlib import Path

import msgspec
import pytest
from msgspec import structs

from chorus.errors import ChorusError
from chorus.keep.vault.journal import Journal
from chorus.steer.approvals.devices.devices_file import DevicesFile
from chorus.steer.approvals.devices.signed_devices import DeviceChange, addition_bytes
from tests.steer.approvals import samples

AT = "2026-03-01T12:00:00.000Z"


def added(name: str = "phone", **changes) -> DeviceChange:
    signer = samples.key(name)
    given = {"action": "add", "id": signer.id, "at": AT, "name": name, "scope": "read", "pairing": "0" * 32} | changes
    change = structs.replace(msgspec.convert(given, DeviceChange), public_key=signer.public_key)
    return structs.replace(change, signature=signer.sign(addition_bytes(change)))


def order(action: str, name: str, new: str = "") -> DeviceChange:
    return msgspec.convert({"action": action, "id": samples.key(name).id, "at": AT, "name": new}, DeviceChange)


def forge(state: Path, change: DeviceChange) -> None:
    """Appends an entry without any of the checks of the list, as an agent could."""
    with Journal(state / "devices.jsonl").transaction() as held:
        list(held.news())
        held.append(msgspec.json.encode(change))


def test_devices_are_added_renamed_and_revoked(tmp_path):
    """A device is in the list until it is revoked, under its last name, for every reader of the file."""
    file = DevicesFile(tmp_path)
    file.append(added("phone"))
    file.append(added("tablet", scope="steer"))
    file.append(order("rename", "phone", "Ada's phone"))
    assert [each.name for each in file.admitted().values()] == ["Ada's phone", "tablet"]
    assert file.admitted()[samples.key("tablet").id].scopes == {"read", "steer"}
    file.append(order("revoke", "phone"))

    for reader in (file, DevicesFile(tmp_path)):
        assert [each.name for each in reader.admitted().values()] == ["tablet"]
        assert reader.load().devices[samples.key("phone").id].revoked_at == AT
    assert (tmp_path / "devices.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_revoked_key_never_comes_back(tmp_path):
    """T8: the entry of a revoked device, added again as it was, has no effect."""
    file = DevicesFile(tmp_path)
    file.append(added())
    file.append(order("revoke", "phone"))
    with pytest.raises(ChorusError, match="already belongs, or belonged"):
        file.append(added())
    forge(tmp_path, added())
    assert file.admitted() == {}
    assert [flaw.line for flaw in file.load().rejected] == [3]


@pytest.mark.parametrize("changes", [{"scope": "approve"}, {"name": "another"}, {"pairing": "1" * 32}])
def test_an_entry_that_the_device_did_not_sign_has_no_effect(tmp_path, changes):
    """An entry with another name, scope or pairing than the device signed is listed as invalid, and admits nobody."""
    forge(tmp_path, structs.replace(added(), **changes))
    file = DevicesFile(tmp_path)
    assert file.admitted() == {}
    assert [flaw.reason for flaw in file.load().rejected] == ["its signature does not hold"]


def test_a_file_that_lost_lines_admits_nobody(tmp_path):
    """If lines are cut off, one of which may have revoked a device, no device is let in."""
    file = DevicesFile(tmp_path)
    file.append(added("phone"))
    file.append(order("revoke", "phone"))
    path = tmp_path / "devices.jsonl"
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
    for reader in (file, DevicesFile(tmp_path)):
        assert reader.admitted() == {}
        assert reader.tampering is not None


def test_a_file_that_cannot_be_read_admits_nobody(tmp_path):
    """A folder in place of the file admits no device, and raises nothing at the edge."""
    (tmp_path / "devices.jsonl").mkdir()
    assert DevicesFile(tmp_path).admitted() == {}
