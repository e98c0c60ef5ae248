"""`chorus doctor`: what is at risk, not yet kept, damaged or unreadable."""

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
"""Less free disk than this is worth a word."""
_MOST = 20
_WHERE = Column("Where", least=24, keeps_end=True)
_REASON = Column("Reason", least=24)
_MISSING = (
    Column("Risk"),
    Column("Age", is_right=True),
    Column("Missing", is_right=True),
    Column("Source", least=24, keeps_end=True),
)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
@click.option("--full", is_flag=True, help="Read every line of the vault, not only the ends of its files.")
@click.option("--accept", metavar="NAME", help="Take the file of that name in state/ as it is: you looked at it.")
@vault_option
@click.pass_context
def doctor(ctx: click.Context, *, as_json: bool, full: bool, accept: str | None, vault: str | None) -> None:
    """Say which sessions the client will delete before they are kept, and what in the vault cannot be trusted.

    Changes nothing without --accept. The exit code is 1 when something needs attention.
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
        advice.append(
            "the ledger of approvals or the list of approvers was changed by hand: `chorus approvals --check`"
        )
    tampered = [(run.id, run.path, run.tampering) for run in Runs(config.home(vault)).tampered()]
    if tampered:
        advice.append(
            f"TAMPERING: {counted(len(tampered), 'run')} stopped because something else than Chorus took hold of them; "
            "look at what they did (`chorus show`), at your settings, and at what runs as you"
        )
    conflicts = _conflicts(kept_in.root)
    if conflicts:
        several = counted(sum(number for _, number in conflicts), "record")
        advice.append(f"{several} of other sources contradict a conversation: `chorus search is:conflict`")
    if as_json:
        told = _as_json(found, advice, vault=str(kept_in.root), client=str(client), cleanup=days)
        listed = [{"conversation": name, "records": number} for name, number in conflicts]
        print_json({**told, "approvals": forged, "conflicts": listed, "tampered_runs": _named(tampered)})
    else:
        print_table("TAMPERING", ["Run", _WHERE, _REASON], tampered)
        print_table("Contradicted by other sources", ["Records", _WHERE], [(c, n) for n, c in conflicts])
        _print(found, advice, vault=str(kept_in.root), client=str(client), cleanup=days)
    if advice:
        ctx.exit(NEEDS_ATTENTION)


def _named(tampered: list[tuple[str, str, str]]) -> list[dict[str, str]]:
    return [{"run": run, "workspace": path, "reason": why} for run, path, why in tampered]


def _accept(vault: FileVault, name: str) -> None:
    refuse_inside_a_run("accepting a file as it is")
    if not verification.accept(vault, name):
        raise ChorusError(f"{name}: no file in state/ that can be accepted as it is")


def _conflicts(root: Path) -> list[tuple[str, int]]:
    """The conversations of which other sources say something else, and in how many records; as the index knows."""
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
    """How much in the files of approvals counts for nothing, by kind."""
    from chorus.steer.approvals.ledger import Ledger

    found = Ledger(root.absolute() / "state").check()
    return {
        "flaws": len(found.flaws),
        "unsigned": len(found.unsigned),
        "rejected_approvers": len(found.rejected),
    }


def _advice(found: Checkup, *, is_too_new: bool) -> list[str]:
    """What a person should do about it, one line each; nothing when all is well."""
    lines: list[str] = []
    if found.at_risk:
        lines.append(f"{counted(len(found.at_risk), 'source')} may soon be deleted and not all is kept: `chorus sync`")
    elif found.missing:
        lines.append(f"of {counted(len(found.missing), 'source')} not all is kept: `chorus sync`")
    if found.unreadable:
        lines.append(f"{counted(len(found.unreadable), 'file or folder')} cannot be read: check the permissions")
    if found.skipped:
        lines.append(
            f"{counted(len(found.skipped), 'file or folder')} left out: pipes, devices, or links out of the client's "
            "folder; `chorus config set followLinksTo FOLDER…` lets links lead there"
        )
    if found.damaged:
        lines.append(f"{counted(len(found.damaged), 'place')} in the vault cannot be trusted: `chorus verify`")
    if found.free_bytes is not None and found.free_bytes < LOW_BYTES:
        lines.append(f"only {figures.size(found.free_bytes)} of disk are free where the vault lies")
    if is_too_new:
        lines.append("a newer Chorus wrote this vault, so nothing can be kept in it: upgrade Chorus")
    return lines


def _as_json(found: Checkup, advice: list[str], *, vault: str, client: str, cleanup: int | None) -> dict[str, Any]:
    """The documented shape of `chorus doctor --json`."""
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
        f"{found.kept_sources:,} kept",
        f"{missing:,} not or not fully",
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
    print_table("Not fully kept", _MISSING, [_row(each) for each in found.missing[:_MOST]])
    print_table("Cannot be read", [_WHERE, _REASON], [(e.where, e.reason) for e in found.unreadable[:_MOST]])
    print_table("Left out", [_WHERE, _REASON], [(e.where, e.reason) for e in found.skipped[:_MOST]])
    print_table("Damaged in the vault", [_WHERE, _REASON], [(e.where, e.reason) for e in found.damaged[:_MOST]])
    more = sum(max(0, len(each) - _MOST) for each in (found.missing, found.unreadable, found.skipped, found.damaged))
    if more:
        click.echo(f"{more:,} more; --json lists all\n")
    for line in advice or ["All is well."]:
        say(line)


def _row(each: Missing) -> tuple[str, str, str, str]:
    return "at risk" if each.is_at_risk else "", f"{each.age_days} d", figures.size(each.missing_bytes), each.path
