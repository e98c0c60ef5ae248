"""`chorus sync`: keep everything that is new."""

import signal
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from chorus.keep.sources.sync import Report


@click.command()
@click.argument("sources", nargs=-1, metavar="[SOURCE]…")
@click.option("--vault", metavar="DIR", help="Keep it here instead of in Chorus' home.")
@click.option("--watch", "is_watching", is_flag=True, help="Stay, and keep what is written as it is written.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def sync(sources: tuple[str, ...], *, vault: str | None, is_watching: bool, as_json: bool) -> None:
    """Bring sessions into the vault: of the client's own folder, or of the files and folders named (- for stdin).

    What comes through standard input or a named pipe is kept as it comes.
    Sources are opened read-only. What was kept is never changed or dropped.
    """
    from chorus.base import config
    from chorus.cli.progress import progress
    from chorus.errors import SourceUnreadable
    from chorus.keep.sources.discover import config_folder, find
    from chorus.keep.sources.lock import sole_sync
    from chorus.keep.vault.files import FileVault
    from chorus.show.recorder.recorder import Recorder

    root = config.vault_for(vault, Path.cwd())
    pipes = [source for source in sources if source == "-" or Path(source).is_fifo()]
    folders = [Path(source).absolute() for source in sources if source not in pipes]
    folders = folders if sources else [config_folder()]
    for folder in folders:
        if sources and not folder.exists():
            raise SourceUnreadable(f"{folder}: no such file or folder")
    who = "chorus sync --watch" if is_watching else "chorus sync"

    def turn() -> AbstractContextManager[None]:
        return sole_sync(root, who, lambda whom: _says(f"waiting for {whom}"))

    recorder = Recorder(FileVault(root), folders, turn, _says)
    with turn():
        names = [str(found.path) for folder in folders for found in find(folder)] if sys.stderr.isatty() else []
        with recorder.indexing() as indexing, progress("Keeping", names) as advance:
            report = recorder.first_pass(indexing, advance)
        recorder.end_pass()
    if pipes and not is_watching:
        with recorder.indexing() as indexing:
            report.add(recorder.take_pipes(indexing, pipes))
    _print(report, root, as_json=as_json)
    if is_watching:
        from chorus.keep.sources.watcher import Stop

        stop = Stop()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        click.echo("watching; Ctrl-C ends it", err=True)
        with recorder.indexing() as indexing:
            recorder.watch(indexing, stop, swept=_news_after(report), pipes=pipes)
    if report.failed:
        click.get_current_context().exit(2)


def _print(report: "Report", root: Path, *, as_json: bool) -> None:
    import json

    if as_json:
        counts = {
            name: getattr(report, name)
            for name in ("sources", "new", "grown", "revised", "kept_bytes", "side_files", "stubs")
        }
        click.echo(
            json.dumps(
                {
                    "vault": str(root),
                    **counts,
                    "failed": report.failed,
                    "skipped": report.skipped,
                    "mended": report.mended,
                    "lost": report.lost,
                }
            )
        )
        return
    _complain(report)
    click.echo(
        f"{report.sources} sources: {report.new} new, {report.grown} grown, {report.revised} rewritten; "
        f"{report.kept_bytes / 1e6:.1f} MB kept in {root}"
    )


def _complain(report: "Report") -> None:
    """What could not be read, what was left out, and what was wrong with the vault."""
    for each in report.mended:
        _says(f"the vault was damaged: {each}")
    for each in report.lost:
        _says(f"lost: {each}")
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
