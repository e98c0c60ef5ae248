"""`chorus git notes` and `chorus git trace`: tell other programs which lines of a commit agents wrote."""

import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import click

from chorus.base.git import PersonsGit, Repository
from chorus.cli.main import DISTRIBUTION
from chorus.cli.output import counted, print_json, say
from chorus.cli.query_options import ask
from chorus.cli.snapshot_places import known_workspace_around
from chorus.cli.vault_ids import open_vault, vault_option
from chorus.core.blame.agent_trace import trace_of
from chorus.core.blame.claims import LinesByEdit
from chorus.core.blame.git_ai_notes import AuthorshipNote, note_of, write_note
from chorus.core.records.times import wire_time
from chorus.core.views.safe import safe, safe_line
from chorus.errors import ChorusError
from chorus.find.provenance.commit_origins import lines_of_commit
from chorus.find.provenance.file_histories import FileHistories
from chorus.find.provenance.git_notes import REF, add_notes, resolve_all
from chorus.find.provenance.recorded_edits import recorded_in
from chorus.keep.snapshots.persons_repository import find_repository

_Lines = Mapping[str, LinesByEdit]
"""Commit → the lines that agents wrote."""


@click.command()
@click.argument("revisions", metavar="[REV…]", nargs=-1)
@click.option("--dry-run", "is_dry", is_flag=True, help="Print the notes, and write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@vault_option
def notes(*, revisions: tuple[str, ...], is_dry: bool, as_json: bool, vault: str | None) -> None:
    """Add notes in the format of git-ai to commits of this repository: which lines agents wrote.

    REV is a commit or a range like main..; by default HEAD. The notes are added to refs/notes/ai as you would add them
    with git. What a note says already stays. No other ref and no file is touched, and nothing is pushed.
    """
    repository, lines = _lines_of(revisions, vault)
    ours: dict[str, AuthorshipNote] = {}
    left_out: list[str] = []
    for commit, files in lines.items():
        ours[commit], unnamed = note_of(commit, files, _author(repository, commit))
        left_out += unnamed
    if is_dry:
        for commit, note in ours.items():
            click.echo(f"{commit}\n{safe(write_note(note))}", nl=False)
        return
    refused = add_notes(repository, PersonsGit(repository.work_tree or repository.git_dir), ours)
    added = [commit for commit in ours if commit not in refused]
    if as_json:
        print_json({"ref": REF, "commits": added, "refused": refused, "left_out": left_out})
        return
    for commit, reason in refused.items():
        say(f"{commit[:12]}: {safe_line(reason)}; it was left as it is.")
    for path in left_out:
        say(f"left out, because a note cannot name it: {safe_line(path)}")
    say(f"{counted(len(added), 'commit')} with lines of agents in {REF}.")


@click.command()
@click.argument("revisions", metavar="[REV…]", nargs=-1)
@vault_option
def trace(*, revisions: tuple[str, ...], vault: str | None) -> None:
    """Print records of Agent Trace for commits of this repository: one JSON object in each line.

    REV is a commit or a range like main..; by default HEAD. Other programs read such lines from
    .agent-trace/traces.jsonl; Chorus writes nothing there by itself.
    """
    _, lines = _lines_of(revisions, vault)
    now = wire_time(datetime.now(UTC))
    for commit, files in lines.items():
        readable = {path.encode("utf-8", "replace").decode(): edits for path, edits in files.items()}
        sys.stdout.buffer.write(trace_of(commit, readable, time=now, version=version(DISTRIBUTION)))
    sys.stdout.buffer.flush()


def _lines_of(revisions: tuple[str, ...], vault: str | None) -> tuple[Repository, _Lines]:
    """Return the repository and the lines that agents wrote in commits; commits without such lines are left out."""
    kept_in = open_vault(vault)
    workspace, store = known_workspace_around(kept_in, Path())
    folder = Path(workspace.path)
    repository = find_repository(folder)
    if repository is None:
        raise ChorusError(f"{folder}: it is no git repository, so it has no commits")
    commits = resolve_all(repository, revisions or ("HEAD",))

    found = ask(
        kept_in,
        lambda index: _look(
            FileHistories(store, folder, recorded_in(index, kept_in, workspace.id)), repository, commits
        ),
    )
    lines = _look(FileHistories(store, folder), repository, commits) if found is None else found
    store.reader.close()
    return repository, lines


def _look(histories: FileHistories, repository: Repository, commits: list[str]) -> dict[str, LinesByEdit]:
    found = {commit: lines_of_commit(histories, repository, commit) for commit in commits}
    return {commit: lines for commit, lines in found.items() if lines}


def _author(repository: Repository, commit: str) -> str:
    return repository.run("log", "-1", "--format=%an <%ae>", commit).decode("utf-8", "replace").strip()
