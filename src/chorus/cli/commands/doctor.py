"""`chorus doctor`: report what is at risk, not recorded yet, damaged or unreadable."""

import time
from collections import Counter
from pathlib import Path
from typing import Any

import click
import msgspec

from chorus.base import config
from chorus.cli.output import counted, print_json, print_table, say
from chorus.cli.passphrases import refuse_inside_a_run
from chorus.cli.table import Column
from chorus.cli.vault_ids import open_vault, vault_option
from chorus.core.views import figures
from chorus.errors import ChorusError
from chorus.keep.archive.checkup import (
    DEFAULT_CLEANUP_DAYS,
    WARN_DAYS,
    Checkup,
    Missing,
    check,
    cleanup_days,
    cleanup_in_words,
)
from chorus.keep.sources.discover import config_folder
from chorus.keep.vault import verification
from chorus.keep.vault.files import FileVault
from chorus.steer.runs.run_folders import Runs

NEEDS_ATTENTION = 1
LOW_BYTES = 1 << 30
"""Less free disk space than this is reported."""
_MOST = 20
_WHERE = Column("Where", min_width=24, keeps_end=True)
_REASON = Column("Reason", min_width=24)
_MISSING = (
    Column("Risk"),
    Column("Age", is_right=True),
    Column("Missing", is_right=True),
    Column("Source", min_width=24, keeps_end=True),
)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
@click.option("--full", is_flag=True, help="Check every line of the vault, not only the ends of its files.")
@click.option("--accept", metavar="NAME", help="Accept this file of state/ as it is, after you have looked at it.")
@vault_option
@click.pass_context
def doctor(ctx: click.Context, *, as_json: bool, full: bool, accept: str | None, vault: str | None) -> None:
    """Report which sessions the client may delete before they are recorded, and what in the vault cannot be trusted.

    Changes nothing without --accept. The exit code is 1 if something needs attention.
    """
    kept_in = open_vault(vault)
    if accept is not None:
        _accept(kept_in, accept)
    client = config_folder()
    found = check(kept_in, client, config.load(kept_in.root), now_s=time.time(), is_full=full)
    days = cleanup_days(client)
    forged = _forged(kept_in.root)
    advice = _advice(found, is_too_new=kept_in.is_too_new)
    if any(forged.values()):
        advice.append("the permission ledger or the list of approvers was changed by hand: `chorus approvals --check`")
    tampered = [(run.id, run.path, run.tampering) for run in Runs(config.home(vault)).tampered()]
    if tampered:
        advice.append(
            f"TAMPERING: {counted(len(tampered), 'run')} stopped because something other than Chorus interfered; "
            "check what they did (`chorus show`), your settings, and the processes of your user"
        )
    advice += _stale_hooks(config.load(config.home(vault)), client)
    conflicts = _conflicts(kept_in.root)
    if conflicts:
        several = counted(sum(number for _, number in conflicts), "record")
        advice.append(f"{several} of other sources contradict a conversation: `chorus search is:conflict`")
    if as_json:
        report = _as_json(found, advice, vault=str(kept_in.root), client=str(client), cleanup=days)
        listed = [{"conversation": name, "records": number} for name, number in conflicts]
        print_json({**report, "approvals": forged, "conflicts": listed, "tampered_runs": _named(tampered)})
    else:
        print_table("TAMPERING", ["Run", _WHERE, _REASON], tampered)
        print_table("Contradicted by other sources", ["Records", _WHERE], [(c, n) for n, c in conflicts])
        _print(found, advice, vault=str(kept_in.root), client=str(client), cleanup=days)
    if advice:
        ctx.exit(NEEDS_ATTENTION)


def _named(tampered: list[tuple[str, str, str]]) -> list[dict[str, str]]:
    return [{"run": run, "workspace": path, "reason": why} for run, path, why in tampered]


def _accept(vault: FileVault, name: str) -> None:
    refuse_inside_a_run("Accepting a file")
    if not verification.accept(vault, name):
        raise ChorusError(f"{name}: state/ has no such file that can be accepted")


def _stale_hooks(settings: config.Config, client: Path) -> list[str]:
    """Return what to do about hooks of GitButler that its installed version does not have any more."""
    from chorus.base.but import find_but
    from chorus.errors import GitFailed
    from chorus.steer.edits.gitbutler_hooks import advice, but_hooks, settings_files

    found = but_hooks(settings_files(client, (Path(each.path) for each in settings.workspaces if each.is_named)))
    if not found:
        return []
    try:
        return advice(found, find_but(Path.cwd()))
    except GitFailed as error:
        return [f"{found[0].path}: a hook calls `but claude`, but {error}"]


def _conflicts(root: Path) -> list[tuple[str, int]]:
    """Return the conversations that other sources contradict, with the number of records, from the index."""
    from chorus.core.query.tree import Field, Query
    from chorus.errors import IndexDamaged
    from chorus.find.index.port import MAX_HITS
    from chorus.find.index.sqlite.index import SqliteIndex
    from chorus.find.index.sqlite.opening import FOLDER

    try:
        index = SqliteIndex(root / FOLDER)
        try:
            hits = index.search(Query(Field("is", "conflict")), limit=MAX_HITS).hits
        finally:
            index.close()
    except IndexDamaged:
        return []
    return sorted(Counter(hit.conversation for hit in hits).items())


def _forged(root: Path) -> dict[str, int]:
    """Return how many entries in the files of approvals are invalid, by kind."""
    from chorus.steer.approvals.ledger import Ledger

    found = Ledger(root.absolute() / "state").check()
    return {
        "flaws": len(found.flaws),
        "unsigned": len(found.unsigned),
        "rejected_approvers": len(found.rejected),
    }


def _advice(found: Checkup, *, is_too_new: bool) -> list[str]:
    """Return what a person should do, one line each; empty if everything is fine."""
    lines: list[str] = []
    if found.at_risk:
        lines.append(
            f"the client may soon delete {counted(len(found.at_risk), 'source')} before all is recorded: `chorus sync`"
        )
    elif found.missing:
        lines.append(f"{counted(len(found.missing), 'source')} not fully recorded: `chorus sync`")
    if found.unreadable:
        lines.append(f"{counted(len(found.unreadable), 'file or folder')} cannot be read: check the permissions")
    if found.skipped:
        lines.append(
            f"{counted(len(found.skipped), 'file or folder')} left out: pipes, devices, or links out of the client's "
            "folder; `chorus config set followLinksTo FOLDER…` allows links to a folder"
        )
    if found.damaged:
        lines.append(f"{counted(len(found.damaged), 'place')} in the vault cannot be trusted: `chorus verify`")
    if found.free_bytes is not None and found.free_bytes < LOW_BYTES:
        lines.append(f"only {figures.size(found.free_bytes)} of disk space are free for the vault")
    if is_too_new:
        lines.append("a newer Chorus wrote this vault, so nothing can be recorded in it: upgrade Chorus")
    return lines


def _as_json(found: Checkup, advice: list[str], *, vault: str, client: str, cleanup: int | None) -> dict[str, Any]:
    """Return the documented form of `chorus doctor --json`."""
    return {
        "ok": not advice,
        "advice": advice,
        "client": {
            "folder": client,
            "cleanup_days": DEFAULT_CLEANUP_DAYS if cleanup is None else cleanup,
            "cleanup_is_default": cleanup is None,
            "sources": found.sources,
            "kept": found.kept_sources,
            "ignored": found.ignored_sources,
        },
        "at_risk": [each.path for each in found.at_risk],
        "not_kept": [msgspec.structs.asdict(each) for each in found.missing],
        "unreadable": [msgspec.structs.asdict(each) for each in found.unreadable],
        "skipped": [msgspec.structs.asdict(each) for each in found.skipped],
        "damaged": [msgspec.structs.asdict(each) for each in found.damaged],
        "vault": {
            "folder": vault,
            "conversations": found.conversations,
            "only_prompts": found.stubs,
            "size_bytes": found.vault_bytes,
            "free_bytes": found.free_bytes,
        },
    }


def _print(found: Checkup, advice: list[str], *, vault: str, client: str, cleanup: int | None) -> None:
    days = DEFAULT_CLEANUP_DAYS if cleanup is None else cleanup
    free = figures.size(found.free_bytes) if found.free_bytes is not None else "unknown"
    stubs = f" ({found.stubs:,} only as prompts)" if found.stubs else ""
    missing, at_risk = len(found.missing), len(found.at_risk)
    horizon = max(0, days - WARN_DAYS)
    counts = (
        f"{found.kept_sources:,} recorded",
        f"{missing:,} not fully recorded",
        f"{at_risk:,} at risk (older than {horizon} days)",
        f"{found.ignored_sources:,} ignored",
    )
    lines = [
        f"Client   {client}: {cleanup_in_words(cleanup)}",
        f"Sources  {found.sources:,}: {', '.join(counts)}",
        f"Vault    {vault}: {counted(found.conversations, 'conversation')}{stubs}, {figures.size(found.vault_bytes)}",
        f"Disk     {free} free",
    ]
    for line in lines:
        say(line)
    click.echo()
    print_table("Not fully recorded", _MISSING, [_row(each) for each in found.missing[:_MOST]])
    print_table("Cannot be read", [_WHERE, _REASON], [(e.where, e.reason) for e in found.unreadable[:_MOST]])
    print_table("Left out", [_WHERE, _REASON], [(e.where, e.reason) for e in found.skipped[:_MOST]])
    print_table("Damaged in the vault", [_WHERE, _REASON], [(e.where, e.reason) for e in found.damaged[:_MOST]])
    more = sum(max(0, len(each) - _MOST) for each in (found.missing, found.unreadable, found.skipped, found.damaged))
    if more:
        click.echo(f"{more:,} more; --json lists all\n")
    for line in advice or ["Everything is fine."]:
        say(line)


def _row(each: Missing) -> tuple[str, str, str, str]:
    return "at risk" if each.is_at_risk else "", f"{each.age_days} d", figures.size(each.missing_bytes), each.path
