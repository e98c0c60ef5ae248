"""Tests of the time zone of the person."""

from datetime import UTC, datetime, timedelta

import pytest

from chorus.base import zone
from chorus.base.zone import local_zone

SUMMER, WINTER = datetime(2026, 7, 1, 12, tzinfo=UTC), datetime(2026, 1, 1, 12, tzinfo=UTC)
BERLIN = "/usr/share/zoneinfo/Europe/Berlin"


def offsets(zone):
    return [moment.astimezone(zone).utcoffset() for moment in (WINTER, SUMMER)]


@pytest.mark.parametrize("name", ["Europe/Berlin", ":Europe/Berlin", BERLIN])
def test_the_variable_names_a_zone_with_its_rules(monkeypatch, name):
    """`TZ` may be a zone name, a name after a colon, or a file, and summer and winter time differ."""
    monkeypatch.setenv("TZ", name)

    assert offsets(local_zone()) == [timedelta(hours=1), timedelta(hours=2)]


def test_an_empty_variable_is_utc(monkeypatch):
    """An empty `TZ` means UTC, as in the C library."""
    monkeypatch.setenv("TZ", "")

    assert offsets(local_zone()) == [timedelta(0), timedelta(0)]


def test_without_the_variable_the_system_s_file_holds(monkeypatch, tmp_path):
    """Without `TZ` the zone file of the system is read, which may be a link or a copy."""
    monkeypatch.delenv("TZ", raising=False)
    (tmp_path / "localtime").symlink_to(BERLIN)
    monkeypatch.setattr(zone, "LOCALTIME", tmp_path / "localtime")

    assert offsets(local_zone()) == [timedelta(hours=1), timedelta(hours=2)]


@pytest.mark.parametrize(
    "name", ["CET-1CEST,M3.5.0,M10.5.0/3", "No/Such", "../etc/passwd", "/etc/passwd", "Europe", "\0"]
)
def test_a_name_without_rules_is_the_present_offset(monkeypatch, name):
    """For an unknown value of `TZ`, the zone has the present offset of the local clock."""
    if "\0" in name:
        monkeypatch.setattr(zone.os, "environ", {"TZ": name})
    else:
        monkeypatch.setenv("TZ", name)

    assert datetime.now(local_zone()).utcoffset() == datetime.now(UTC).astimezone().utcoffset()


def test_a_system_without_the_file_has_its_present_offset(monkeypatch, tmp_path):
    """If neither `TZ` nor the zone file gives a zone, the zone has the present offset of the local clock."""
    monkeypatch.delenv("TZ", raising=False)
    monkeypatch.setattr(zone, "LOCALTIME", tmp_path / "none")

    assert datetime.now(local_zone()).utcoffset() == datetime.now(UTC).astimezone().utcoffset()
