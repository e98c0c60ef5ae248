"""Tests the moments that a person can name."""

from datetime import UTC, timedelta, timezone

import pytest

from chorus.core.file_versions.files import files_of
from chorus.core.file_versions.moments import NoMoment, files_at, moment_of, version_at
from tests.core.file_versions.simulated_client import SimulatedClient


@pytest.fixture
def file():
    client = SimulatedClient({})
    for number in range(3):
        client.write("a.txt", f"{number}\n")
    (file,) = files_of([client.conversation()], client.backup)
    return file


def named(file, text, zone=UTC):
    calls = {each.call: each.order for each in file.versions if each.call}
    return version_at(file, moment_of(text, calls, zone)).number


def test_a_version_has_a_number(file):
    """A number, with or without `v`, names a version, and an empty text names the last one."""
    assert (named(file, "2"), named(file, "v3"), named(file, "")) == (2, 3, 4)


def test_a_call_and_a_time_are_moments(file):
    """The id of a call names the state after it; a time, in the zone of the reader, names the state at that time."""
    written = file.versions[2]
    assert named(file, written.call) == 3
    assert named(file, written.time) == 3
    order = written.order
    assert named(file, f"{order[0]}!{order[1]}!{order[2]}!{order[3]:012}") == 3
    assert named(file, "2999-01-01") == 4
    assert named(file, "2000-01-01T00:00") == 1
    assert named(file, written.time[:-1], timezone(timedelta(hours=1))) == 1


@pytest.mark.parametrize("text", ["99", "0", "yesterday-ish", "toolu_nothere", "a!b", "2026-13-01", "!!!"])
def test_a_moment_that_is_not_there(file, text):
    """The error for an unknown moment is one line that says what is wrong and what to do."""
    with pytest.raises(NoMoment) as error:
        named(file, text)
    assert "\n" not in str(error.value)


def test_files_at_a_moment(file):
    """Only files that were touched before the moment are listed, each with its version at that moment."""
    assert [(each.path, version.number) for each, version in files_at([file], moment_of("2999-01-01", {}, UTC))] == [
        (file.path, 4)
    ]
    assert files_at([file], moment_of("2000-01-01", {}, UTC)) == []
