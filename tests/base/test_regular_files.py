"""Tests that settings and prices are read from regular files only, so that no pipe in their place blocks Chorus."""

import os
import threading

import pytest

from chorus.base import config
from chorus.base.prices import PRICES_FILE, load_prices
from chorus.base.regular_files import read_regular
from chorus.errors import ChorusError

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
PATIENCE_S = 20


def answered(act):
    """Returns what `act` raises. It runs in a thread, because it would block for ever if it opened a pipe."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            act()
        except BaseException as error:  # noqa: BLE001 - returned to the test
            raised.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(PATIENCE_S)
    assert not thread.is_alive(), "it waits for the other end of a pipe"
    return raised


def test_a_pipe_in_the_place_of_settings_is_an_error(tmp_path):
    """A pipe, or a link to a device, in the place of the settings is reported with its path, and changes nothing."""
    place = tmp_path / "config.json"
    for make in (os.mkfifo, lambda path: path.symlink_to("/dev/zero"), lambda path: path.mkdir()):
        make(place)
        (error,) = answered(lambda: config.load(tmp_path))
        assert isinstance(error, ChorusError) and str(error).startswith(f"{place}: ")
        place.rmdir() if place.is_dir() else place.unlink()


def test_a_pipe_in_the_place_of_prices_is_an_error(tmp_path):
    """A pipe in the place of a person's own prices is reported with its path."""
    os.mkfifo(tmp_path / PRICES_FILE)
    (error,) = answered(lambda: load_prices(tmp_path / PRICES_FILE, may_be_missing=True))
    assert isinstance(error, ChorusError) and str(error) == f"{tmp_path / PRICES_FILE}: is not a regular file"


def test_prices_that_a_person_names_may_come_from_a_pipe(tmp_path):
    """`--prices <(…)` works: a file that a person names for one command is read until its end."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(b'{"models": []}'), daemon=True)
    writer.start()
    assert answered(lambda: load_prices(pipe, may_be_missing=False)) == []


def test_a_link_to_a_regular_file_is_followed(tmp_path):
    """People keep their settings elsewhere and link to them."""
    (tmp_path / "real").write_bytes(b"{}")
    (tmp_path / "link").symlink_to("real")
    assert read_regular(tmp_path / "link") == b"{}"
