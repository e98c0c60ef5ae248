"""The log of the server. It never contains text of transcripts, queries, titles or tokens."""

import logging
import os
import re
import sys
import traceback
from logging.handlers import RotatingFileHandler
from pathlib import Path

from chorus.keep.vault.safe_files import make_folders

FOLDER = "logs"
_FILE = "serve.log"
_MAX_BYTES = 1 << 20
_KEPT = 3
_FORM = "%(asctime)s %(levelname)s %(message)s"
logger = logging.getLogger("chorus.show.server")


class _Own(RotatingFileHandler):
    """Creates log files that only this user can read."""

    def _open(self):  # noqa: ANN202 - the base class has no annotation
        fd = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0), 0o600)
        os.fchmod(fd, 0o600)
        return os.fdopen(fd, "a", encoding="utf-8", errors="backslashreplace")


def open_log(root: Path, *, is_verbose: bool) -> list[logging.Handler]:
    """Logs to the vault's `logs/`, and with `is_verbose` also to standard error, until `close_log` is called."""
    handlers: list[logging.Handler] = []
    try:
        folder = root / FOLDER
        make_folders(root, folder)
        handlers.append(_Own(folder / _FILE, maxBytes=_MAX_BYTES, backupCount=_KEPT))
    except OSError as error:
        print(f"chorus: {root / FOLDER}: {error.strerror}; there is no log", file=sys.stderr)  # noqa: T201
    if is_verbose:
        handlers.append(logging.StreamHandler(sys.stderr))
    for handler in handlers:
        handler.setFormatter(logging.Formatter(_FORM))
        logger.addHandler(handler)
    logger.setLevel(logging.DEBUG if is_verbose else logging.INFO)
    logger.propagate = False
    return handlers


def close_log(handlers: list[logging.Handler]) -> None:
    for handler in handlers:
        logger.removeHandler(handler)
        handler.close()


def failure(method: str, path: str, error: BaseException) -> None:
    """Logs where an unexpected error was raised, without its message, which may contain untrusted text."""
    frames = traceback.extract_tb(error.__traceback__)
    places = " < ".join(f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in reversed(frames[-8:]))
    logger.error("%s %s: %s at %s", method, route(path), type(error).__name__, places)


def route(path: str) -> str:
    """Returns an address without the names in it: names of workspaces do not belong in a log."""
    if path in _PLAIN:
        return path
    found = next(filter(None, (shape.fullmatch(path) for shape in _NAMING)), None)
    return "(elsewhere)" if found is None else f"{found[1]}/…{found[2] or ''}"


_PLAIN = frozenset(
    f"/api/{each}"
    for each in (
        *("login", "logout", "ticket", "status", "search", "complete", "live", "mobile", "conversations", "approvals"),
        *("approvers", "approvers/changes", "facets", "places", "runs", "runs/resumed", "settings"),
        *("compare", "usage", "usage/file", "board", "rules", "rules/test", "rules/suggestions"),
        *("budgets", "budgets/test", "panes"),
        *("pair", "pair/finish", "devices", "devices/pairing", "devices/pairing/answer"),
        *("notifications", "notifications/subscription", "notifications/unsubscribed", "notifications/trial"),
    )
)
_NAMING = (
    re.compile(
        r"(/api/conversations)(?:/[^/]+){3}(/(?:rows?|outline|locate|find|record|image|side-file|annotation|leaving|forget"
        r"|changes(?:/(?:diff|undo(?:/preview)?))?|files(?:/(?:diff|blame|content))?|replay(?:/(?:moments|state|step))?|export(?:/preview)?))?"
    ),
    re.compile(r"(/api/approvals)/[^/]+()"),
    re.compile(r"(/api/devices)/[^/]+(/(?:rename|revoke))"),
    re.compile(r"(/api/workspaces)/[^/]+(/blame)"),
    re.compile(r"(/api/panes)/[^/]+(/(?:go|screen))"),
    re.compile(r"(/api/runs)/[^/]+(/(?:messages|interrupt|stop|restart|settings))"),
)
"""Addresses that contain a name."""
