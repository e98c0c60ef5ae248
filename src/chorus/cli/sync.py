"""`chorus sync`: keep everything that is new."""

import os
import signal
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from chorus.records.times import wire_time

if TYPE_CHECKING:
    from chorus.cli.indexing import Indexing
    from chorus.ingest.sync import Report, Sync
    from chorus.store.keys import StreamKey


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
    from chorus.cli.indexing import Indexing
    from chorus.cli.progress import progress
    from chorus.errors import SourceUnreadable
    from chorus.ingest.lock import sole_sync
    from chorus.ingest.sync import Sync
    from chorus.store.files import FileVault

    root = config.vault_for(vault, Path.cwd())
    folders = [Path(source).absolute() for source in sources if source != "-"] or (
        [] if "-" in sources else [config_folder()]
    )
    for folder in folders:
        if sources and not folder.exists():
            raise SourceUnreadable(f"{folder}: no such file or folder")
    who = "chorus sync --watch" if is_watching else "chorus sync"
    store = FileVault(root)
    with sole_sync(root, who, _says_whom):
        syncing = Sync(store, root, _now, is_wanted=_wanted(root))
        names = [str(found.path) for folder in folders for found in find(folder)] if sys.stderr.isatty() else []
        with Indexing(store) as indexing:
            with progress("Keeping", names) as advance:
                report = syncing.run(folders, advance, indexing.begin)
            if "-" in sources:
                report = _keep_stdin(root, syncing, report)
            syncing.seal_idle(_idle_before_ns(root))
            indexing.catch_up()
        store.close()
        _list_workspaces(root, syncing.workspaces)
    _print(report, root, as_json=as_json)
    if is_watching:
        with Indexing(store) as indexing:
            _watch(syncing, indexing, folders, root)
    if report.failed:
        click.get_current_context().exit(2)


def _watch(syncing: "Sync", indexing: "Indexing", folders: list[Path], root: Path) -> None:
    from chorus.errors import VaultUnwritable
    from chorus.ingest.lock import sole_sync
    from chorus.ingest.watch import Stop, follow

    stop = Stop()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())

    def safely(act: Callable[[], object]) -> None:
        try:
            with sole_sync(root, "chorus sync --watch", _says_whom):
                act()
        except VaultUnwritable as error:
            click.echo(f"chorus: {error}; will try again", err=True)

    def look(path: Path) -> None:
        if path.exists():
            indexing.take(syncing.look(path).conversations)

    def sweep() -> None:
        syncing.run(folders)
        syncing.seal_idle(_idle_before_ns(root))
        # Other processes keep things, too.
        indexing.catch_up()

    click.echo("watching; Ctrl-C ends it", err=True)
    follow(
        folders,
        stop,
        look=lambda path: safely(lambda: look(path)),
        sweep=lambda: safely(sweep),
        says=lambda text: click.echo(f"chorus: {text}", err=True),
    )


def _wanted(root: Path) -> "Callable[[StreamKey, Path], bool]":
    """Whether a source may be kept: not when the person had it forgotten, or told Chorus to ignore it."""
    from fnmatch import fnmatch

    from chorus import config
    from chorus.store.keys import workspace_id
    from chorus.store.tombstones import is_forgotten

    home = config.home()
    settings = config.load(home if config.own_vault(config.load(home), root.parent) == root else root)
    ignored = [pattern for workspace in settings.workspaces for pattern in workspace.ignore]
    # A workspace's own vault keeps the sessions of that workspace, the home's keeps all.
    only = workspace_id(str(root.parent)) if config.own_vault(settings, root.parent) == root else None

    def is_wanted(key: "StreamKey", path: Path) -> bool:
        if only is not None and key.workspace != only:
            return False
        return not is_forgotten(root, key.conversation) and not any(fnmatch(str(path), one) for one in ignored)

    return is_wanted


def _keep_stdin(root: Path, syncing: "Sync", report: "Report") -> "Report":
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
    return report


def _print(report: "Report", root: Path, *, as_json: bool) -> None:
    import json

    if as_json:
        counts = {
            name: getattr(report, name)
            for name in ("sources", "new", "grown", "revised", "kept_bytes", "side_files", "stubs")
        }
        click.echo(json.dumps({"vault": str(root), **counts, "failed": report.failed}))
        return
    for failure in report.failed:
        click.echo(f"chorus: {failure}", err=True)
    click.echo(
        f"{report.sources} sources: {report.new} new, {report.grown} grown, {report.revised} rewritten; "
        f"{report.kept_bytes / 1e6:.1f} MB kept in {root}"
    )


def _list_workspaces(root: Path, seen: dict[str, str]) -> None:
    """Add workspaces that are new to the list in the settings: their ids alone would not tell where they are."""
    from chorus import config

    known = {workspace.id for workspace in config.load(root).workspaces}
    if seen.keys() - known:
        with config.edit(root) as settings:
            listed = {workspace.id for workspace in settings.workspaces}
            settings.workspaces += [
                config.Workspace(id=name, path=path) for name, path in sorted(seen.items()) if name not in listed
            ]


def _idle_before_ns(root: Path) -> int:
    from chorus import config

    idle = datetime.now(UTC) - timedelta(days=config.load(root).seal_after_days)
    return int(idle.timestamp() * 1e9)


def _says_whom(who: str) -> None:
    click.echo(f"chorus: waiting for {who}", err=True)


def _now() -> str:
    return wire_time(datetime.now(UTC))
