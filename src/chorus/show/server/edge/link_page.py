"""A page on disk that redirects a browser to a login link. The link itself must not be on the command line of the
browser, where all users of the machine could read it."""

import contextlib
import time
from html import escape
from pathlib import Path

from chorus.keep.vault.safe_files import make_folders, put_file

NAME = "open.html"
KEPT_S = 60.0
"""How long the page stays on disk. Browsers have read it by then; its link expires after five minutes in any case."""
_PAGE = """<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url={link}">
<title>Chorus</title>
<p><a href="{link}">Open Chorus</a></p>
"""


def write_link_page(state: Path, link: str) -> Path:
    """Writes the page, readable by this user only, and returns its path; replaces an earlier page."""
    path = state / NAME
    make_folders(state.parent, state)
    put_file(path, _PAGE.format(link=escape(link)).encode())
    return path


def remove_link_page(state: Path, *, older_than_s: float = KEPT_S) -> None:
    """Removes the page if it is at least `older_than_s` old."""
    path = state / NAME
    with contextlib.suppress(OSError):
        if time.time() - path.stat().st_mtime >= older_than_s:
            path.unlink()
