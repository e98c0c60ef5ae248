"""A page on disk that leads a browser to a link: on a browser's command line all users of the machine could read it."""

import contextlib
import time
from html import escape
from pathlib import Path

from chorus.keep.vault.safe_files import make_folders, put_file

NAME = "open.html"
KEPT_S = 60.0
"""Browsers have read it by then; the link in it is worth nothing after five minutes anyway."""
_PAGE = """<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url={link}">
<title>Chorus</title>
<p><a href="{link}">Open Chorus</a></p>
"""


def write_doorway(state: Path, link: str) -> Path:
    """The page, for this user alone; one that is there is replaced."""
    path = state / NAME
    make_folders(state.parent, state)
    put_file(path, _PAGE.format(link=escape(link)).encode())
    return path


def remove_doorway(state: Path, *, older_than_s: float = KEPT_S) -> None:
    """Take it away again, once it had its time."""
    path = state / NAME
    with contextlib.suppress(OSError):
        if time.time() - path.stat().st_mtime >= older_than_s:
            path.unlink()
