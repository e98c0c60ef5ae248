"""`chorus git`: the repositories in which Chorus stores snapshots of files."""

from datetime import UTC, datetime
from pathlib import Path

import click

from chorus.base import config
from chorus.base.git import find_git
from chorus.cli.age import age
from chorus.cli.git_notes import notes, trace
from chorus.cli.output import counted, print_json, print_table, say
from chorus.cli.snapshot_places import snapshots_for
from chorus.cli.table import Column
from chorus.cli.vault_ids import open_vault, vault_option
from chorus.core.records.times import wire_time
from chorus.core.views import figures
from chorus.core.views.safe import safe_line
from chorus.keep.archive.prompt_lines import first_lines
from chorus.keep.snapshots.commits import SnapshotFacts, SnapshotKind
from chorus.keep.snapshots.publishing import branch_of, steps_of
from chorus.keep.snapshots.publishing import publish as publish_steps
from chorus.keep.snapshots.repository import SnapshotRepository, existing_workspaces
from chorus.keep.snapshots.retention import Holdings, holdings
from chorus.keep.snapshots.retention import prune as remove_old
from chorus.steer.edits.gitbutler_state import ButlerState, StateFile

_COLUMNS = (
    Column("Workspace", min_width=20),
    Column("Size", is_right=True),
    Column("Snapshots"),
    Column("Conversations", drop_rank=2),
    Column("Newest", is_right=True, drop_rank=1),
    Column("State"),
)


@click.group()
def git() -> None:
    """Manage the snapshots of files that agents change.

    They are git repositories of Chorus in its own home. Only `publish` and `notes` write to a repository of yours.
    """


git.add_command(notes)
git.add_command(trace)


@git.command()
@click.option("--check", "is_checked", is_flag=True, help="Also check every object of every repository.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@vault_option
def status(*, is_checked: bool, as_json: bool, vault: str | None) -> None:
    """Show what the snapshots of each workspace take."""
    find_git()
    home = config.guarded_home(vault)
    known = {each.id: each for each in config.load(home).workspaces}
    found = holdings(home)
    problems = {
        each.workspace: SnapshotRepository(home, each.workspace).check() if is_checked else [] for each in found
    }
    butlers = {name: StateFile(home, name).read() for name in {*known, *problems}}
    states = {name: "damaged" if lines else _state(known.get(name)) for name, lines in problems.items()}
    if as_json:
        listed = [_as_json(each, states[each.workspace], problems[each.workspace], butlers) for each in found]
        print_json({"workspaces": listed})
        return
    names, now = config.workspace_names(home), datetime.now(UTC)
    rows = [
        (
            safe_line(names.of(each.workspace, None)),
            figures.size(each.size_bytes),
            each.snapshots,
            each.conversations,
            age(wire_time(datetime.fromtimestamp(each.newest_ms / 1000, UTC)), now) if each.newest_ms else "",
            states[each.workspace],
        )
        for each in found
    ]
    print_table("Snapshots", _COLUMNS, rows)
    if not rows:
        say("There are no snapshots yet. They are taken in workspaces that you named: `chorus workspace add FOLDER`.")
    for workspace, lines in problems.items():
        for line in lines[:5]:
            say(f"{workspace}: {line}")
    for workspace, butler in sorted(butlers.items()):
        if butler.version or butler.problem:
            say(f"{safe_line(names.of(workspace, None))}: {_about(butler)}")


def _about(butler: ButlerState) -> str:
    """Returns how GitButler does in a workspace, in one line."""
    name = f"GitButler {butler.version}" if butler.version else "GitButler"
    if butler.problem:
        return safe_line(f"{name} was not told about the last edits: {butler.problem}")
    where = f" (conversations with a branch: {len(butler.branches):,})" if butler.branches else ""
    return f"{name} is told about edits{where}"


@git.command()
@vault_option
def prune(*, vault: str | None) -> None:
    """Remove snapshots that are older, or take more space, than the settings allow."""
    home = config.guarded_home(vault)
    settings = config.load(home)
    now_ms = int(datetime.now(UTC).timestamp() * 1000)
    before = _size_bytes(home)
    count = remove_old(home, now_ms=now_ms, days=settings.keep_snapshots_days, max_mb=settings.max_snapshots_mb)
    freed = figures.size(max(0, before - _size_bytes(home)))
    click.echo(f"The snapshots of {counted(count, 'conversation')} were removed; {freed} are free again.")


@git.command()
@click.argument("what", metavar="ID|N|QUERY")
@click.option("--branch", metavar="NAME", help="Name of the new branch; by default chorus/ and the conversation's id.")
@click.option("--per-turn/--squash", "is_per_turn", default=True, help="One commit for each turn (default), or one.")
@click.option("--base", metavar="REV", help="Commit to start from; by default the one that the work started from.")
@click.option("--force", "is_forced", is_flag=True, help="Replace the branch if it exists.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@vault_option
def publish(
    *,
    what: str,
    branch: str | None,
    is_per_turn: bool,
    base: str | None,
    is_forced: bool,
    as_json: bool,
    vault: str | None,
) -> None:
    """Make commits out of what the agents of a conversation changed, on a new branch of your repository.

    Your hooks and signing apply as for any commit of yours. Your worktree, index and checked-out branch stay as they
    are. What you changed yourself in between is left out. If something conflicts, nothing is published.
    """
    kept_in = open_vault(vault)
    kept, snapshots = snapshots_for(what, kept_in)
    steps = steps_of(snapshots.store, kept.id, is_squashed=not is_per_turn)
    prompts = {edit.commit.facts.prompt for step in steps for edit in step} - {""}
    lines = first_lines(kept_in, kept, prompts)
    made = publish_steps(
        snapshots.store,
        snapshots.folder,
        steps,
        branch or branch_of(kept.id),
        lambda facts: _subject(facts, lines),
        base=base,
        is_forced=is_forced,
    )
    if as_json:
        commits = [{"id": each.id, "subject": each.subject, "turn": each.turn or None} for each in made.commits]
        print_json({"branch": made.branch, "base": made.base, "commits": commits, "left_out": made.left_out})
        return
    for each in made.commits:
        say(f"{each.id[:12]} {safe_line(each.subject)}")
    for line in made.left_out:
        say(f"left out: {safe_line(line)}")
    say(f"{counted(len(made.commits), 'commit')} on the branch {safe_line(made.branch)}, from {made.base[:12]}.")


def _subject(facts: SnapshotFacts, lines: dict[str, str]) -> str:
    if facts.kind is SnapshotKind.UNDO:
        return "Undo changes of an agent"
    return lines.get(facts.prompt) or (f"Turn {facts.turn}" if facts.turn else "Changes of an agent")


def _size_bytes(home: Path) -> int:
    return sum(SnapshotRepository(home, name).size_bytes() for name in existing_workspaces(home))


def _state(workspace: config.Workspace | None) -> str:
    if workspace is None or not workspace.is_named:
        return "not named any more"
    return workspace.snapshots


def _as_json(each: Holdings, state: str, problems: list[str], butlers: dict[str, ButlerState]) -> dict[str, object]:
    butler = butlers[each.workspace]
    return {
        "workspace": each.workspace,
        "size_bytes": each.size_bytes,
        "snapshots": each.snapshots,
        "conversations": each.conversations,
        "newest_ms": each.newest_ms or None,
        "state": state,
        "problems": problems,
        "gitbutler": {
            "version": butler.version or None,
            "problem": butler.problem or None,
            "branches": butler.branches,
        },
    }
