"""Tests of sockets that are addressed by folder and name."""

import os
import socket
import stat
import sys
from pathlib import Path

import pytest

from chorus.base import sockets

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no unix sockets")


@pytest.mark.parametrize("depth", [1, 12])
def test_both_ends_meet_however_long_the_path_is(tmp_path, depth):
    """Both ends connect for any length of the path, and an old file at that place is replaced.

    Only this user can use the socket, whatever the umask is.
    """
    folder = tmp_path.joinpath(*["a-rather-long-name"] * depth)
    folder.mkdir(parents=True)
    (folder / "door").write_text("left behind")
    before, here = os.umask(0), Path.cwd()
    try:
        with sockets.bound(folder, "door") as door:
            door.listen()
            assert stat.S_IMODE((folder / "door").lstat().st_mode) == 0o600
            with sockets.connected(folder, "door") as mine, door.accept()[0] as theirs:
                mine.sendall(b"hello")
                assert theirs.recv(10) == b"hello"
                if hasattr(socket, "SO_PEERCRED"):
                    assert sockets.peer(theirs) == sockets.Peer(os.getpid(), os.getuid())
        assert Path.cwd() == here
    finally:
        os.umask(before)


def test_where_nobody_listens_nothing_is_left_open(tmp_path):
    with pytest.raises(OSError, match="No such file"):
        sockets.connected(tmp_path, "door")
