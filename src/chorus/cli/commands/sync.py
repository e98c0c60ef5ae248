"""`chorus sync`: record everything that is new."""

import signal
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from chorus.keep.sources.sync_report import Report


@click.command()
@click.argument("sources", nargs=-1, metavar="[SOURCE]…")
@click.option("--vault", metavar="DIR", help="Record here instead of in the home of Chorus.")
@click.option("--watch", "is_watching", is_flag=True, help="Keep running, and record sessions while they are written.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def sync(sources: tuple[str, ...], *, vault: str | None, is_watching: bool, as_json: bool) -> None:
    """Record sessions in the vault: those of the client's own folder, or each SOURCE.

    SOURCE is a file, a folder, a named pipe, or - for standard input. Lines from a pipe or from standard input are
    recorded as they arrive. Sources are opened read-only. What was recorded is never changed or deleted.
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
        return sole_sync(root, who, lambda whom: _warn(f"waiting for {whom}"))

    recorder = Recorder(FileVault(root), folders, turn, _warn)
    with turn():
        names = [str(found.path) for folder in folders for found in find(folder)] if sys.stderr.isatty() else []
        with recorder.indexing() as indexing, progress("Recording", names) as advance:
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
    from chorus.cli.output import counted

    _complain(report)
    click.echo(
        f"{counted(report.sources, 'source')}: {report.new} new, {report.grown} grown, {report.revised} rewritten; "
        f"{report.kept_bytes / 1e6:.1f} MB recorded in {root}"
    )


def _complain(report: "Report") -> None:
    """Report what could not be read, what was left out, and what was wrong with the vault."""
    for each in report.mended:
        _warn(f"the vault was damaged: {each}")
    for each in report.lost:
        _warn(f"lost: {each}")
    for failure in report.failed:
        _warn(f"cannot be read: {failure}")
    for skipped in report.skipped:
        _warn(f"left out: {skipped}")
    if any(" leads out of its folder " in skipped for skipped in report.skipped):
        _warn("`chorus config set followLinksTo FOLDER…` allows links to a folder")


def _news_after(first: "Report") -> "Callable[[Report], None]":
    """Return a function that reports only problems that were not reported before."""
    known = {*first.failed, *first.skipped}

    def report_news(report: "Report") -> None:
        report.failed = [each for each in report.failed if each not in known]
        report.skipped = [each for each in report.skipped if each not in known]
        known.update(report.failed, report.skipped)
        _complain(report)

    return report_news


def _warn(text: str) -> None:
    from chorus.cli.output import complain

    complain(text)
