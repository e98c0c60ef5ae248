"""Writes several conversations into a folder, with a page that lists them."""

import hashlib
import html
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from chorus.core.views.safe import safe_line
from chorus.errors import ChorusError
from chorus.show.exports.exporting import Exported
from chorus.show.exports.writing import write_file

INDEX = "index.html"
_STYLE = (
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:56rem;margin:3rem auto;"
    "padding:0 1rem}table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.4rem .6rem;"
    "border-bottom:1px solid #8885;vertical-align:top;overflow-wrap:anywhere}td:last-child,th:last-child"
    "{text-align:right;white-space:nowrap}"
)
_POLICY = "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'"
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Shared conversations</title>
<style>{style}</style>
</head>
<body>
<main>
<h1>Shared conversations</h1>
<table>
<thead><tr><th scope="col">Conversation</th><th scope="col">Started</th><th scope="col">Size</th></tr></thead>
<tbody>
{rows}
</tbody>
</table>
</main>
</body>
</html>
"""


def write_folder(folder: Path, made: list[Exported], *, is_forced: bool = False) -> Iterator[tuple[Path, int]]:
    """Writes each conversation and the index page, and yields the path and the size of each file.

    Raises `ChorusError`, and writes nothing, if the folder has files and `is_forced` is false.
    """
    if not is_forced and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ChorusError(f"{folder}: it is not empty; --force writes into it, -o names another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise ChorusError(f"{folder}: {error.strerror or error}; name another folder with -o") from error
    written: list[Path] = []
    try:
        for name, one in _names(made).items():
            size = write_file(folder / name, [one.data], is_forced=is_forced)
            written.append(folder / name)
            yield folder / name, size
        page = index_page(_names(made)).encode("utf-8", "replace")
        yield folder / INDEX, write_file(folder / INDEX, [page], is_forced=is_forced)
    except ChorusError:
        # Half a folder looks like a whole one.
        for path in written:
            path.unlink(missing_ok=True)
        raise


def index_page(files: dict[str, Exported]) -> str:
    """Returns a page without scripts that lists files by their names."""
    rows = "\n".join(_row(name, one) for name, one in files.items())
    digest = b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    return _PAGE.format(policy=_POLICY.format(hash=digest), style=_STYLE, rows=rows)


def _names(made: list[Exported]) -> dict[str, Exported]:
    """Returns a name of its own for every file."""
    found: dict[str, Exported] = {}
    for one in sorted(made, key=lambda each: each.started_at or "", reverse=True):
        stem, dot, suffix = one.file_name.rpartition(".")
        name, number = one.file_name, 2
        while name in found or name == INDEX:
            name, number = f"{stem}-{number}{dot}{suffix}", number + 1
        found[name] = one
    return found


def _row(name: str, one: Exported) -> str:
    title = html.escape(safe_line(one.title))
    day = html.escape((one.started_at or "")[:16].replace("T", " "))
    address = html.escape(quote(name))
    return f'<tr><td><a href="{address}">{title}</a></td><td>{day}</td><td>{len(one.data) / 1024:,.0f} KB</td></tr>'
