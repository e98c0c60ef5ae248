"""`chorus sync`: keep everything that is new."""

import os
import signal
import sys
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from chorus.ingest.sync import Report, Sync


@click.command()
@click.argument("sources", nargs=-1, metavar="[SOURCE]…")
@click.option("--vault", metavar="DIR", help="Keep it here instead of in Chorus' home.")
@click.option("--watch", "is_watching", is_flag=True, help="Stay, and keep what is written as it is written.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def sync(sources: tuple[str, ...], *, vault: str | None, is_watching: bool, as_json: bool) -> None:
    """Bring sessions into the vault: of the client's own folder, or of the files and folders named (- for stdin).

    Sources are opened read-only. What was kept is never changed or dropped.
    """
    from chorus import config
    from chorus.capture.discover import config_folder, find
    from chorus.cli.progress import progress
    from chorus.errors import SourceUnreadable
    from chorus.ingest.lock import sole_sync
    from chorus.recording.recorder import Recorder
    from chorus.store.files import FileVault

    root = config.vault_for(vault, Path.cwd())
    folders = [Path(source).absolute() for source in sources if source != "-"] or (
        [] if "-" in sources else [config_folder()]
    )
    for folder in folders:
        if sources and not folder.exists():
            raise SourceUnreadable(f"{folder}: no such file or folder")
    who = "chorus sync --watch" if is_watching else "chorus sync"

    def turn() -> AbstractContextManager[None]:
        return sole_sync(root, who, lambda whom: _says(f"waiting for {whom}"))

    def beyond(syncing: "Sync", report: "Report") -> None:
        if "-" in sources:
            _keep_stdin(root, syncing, report)

    recorder = Recorder(FileVault(root), folders, turn, _says)
    with turn():
        names = [str(found.path) for folder in folders for found in find(folder)] if sys.stderr.isatty() else []
        with recorder.indexing() as indexing, progress("Keeping", names) as advance:
            report = recorder.first_pass(indexing, advance, beyond=beyond)
        recorder.end_pass()
    _print(report, root, as_json=as_json)
    if is_watching:
        from chorus.ingest.watch import Stop

        stop = Stop()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        click.echo("watching; Ctrl-C ends it", err=True)
        with recorder.indexing() as indexing:
            recorder.watch(indexing, stop, swept=_news_after(report))
    if report.failed:
        click.get_current_context().exit(2)


def _keep_stdin(root: Path, syncing: "Sync", report: "Report") -> None:
    """A log that comes through a pipe: written down beside the vault first, then kept like any other."""
    from chorus.errors import VaultUnwritable
    from chorus.store.places import write_all

    folder = root / "stdin"
    path = folder / f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}.jsonl"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(fd, "wb") as file:
            while chunk := sys.stdin.buffer.read(1 << 20):
                write_all(file.fileno(), chunk)
    except OSError as error:
        raise VaultUnwritable(f"{path}: {error.strerror or error}; what came before that is in it") from error
    found = syncing.look(path)
    path.unlink()
    for name in ("sources", "new", "grown", "revised", "kept_bytes"):
        setattr(report, name, getattr(report, name) + getattr(found, name))
    report.conversations |= found.conversations


def _print(report: "Report", root: Path, *, as_json: bool) -> None:
    import json

    if as_json:
        counts = {
            name: getattr(report, name)
            for name in ("sources", "new", "grown", "revised", "kept_bytes", "side_files", "stubs")
        }
        click.echo(json.dumps({"vault": str(root), **counts, "failed": report.failed, "skipped": report.skipped}))
        return
    _complain(report)
    click.echo(
        f"{report.sources} sources: {report.new} new, {report.grown} grown, {report.revised} rewritten; "
        f"{report.kept_bytes / 1e6:.1f} MB kept in {root}"
    )


def _complain(report: "Report") -> None:
    """What could not be read, and what was left out."""
    for failure in report.failed:
        _says(f"cannot be read: {failure}")
    for skipped in report.skipped:
        _says(f"left out: {skipped}")
    if any(" leads out of its folder " in skipped for skipped in report.skipped):
        _says("links are followed into the folders that `chorus config set followLinksTo FOLDER…` names")


def _news_after(first: "Report") -> "Callable[[Report], None]":
    """Complains about what was not complained about before."""
    known = {*first.failed, *first.skipped}

    def tell(report: "Report") -> None:
        report.failed = [each for each in report.failed if each not in known]
        report.skipped = [each for each in report.skipped if each not in known]
        known.update(report.failed, report.skipped)
        _complain(report)

    return tell


def _says(text: str) -> None:
    click.echo(f"chorus: {text}", err=True)
