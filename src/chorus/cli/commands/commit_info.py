"""`chorus commit-info`: show which conversations and prompts wrote a commit."""

from pathlib import Path
from typing import Any

import click
from msgspec import structs

from chorus.cli.claims_in_words import in_words
from chorus.cli.output import counted, print_json, print_table, say
from chorus.cli.query_options import ask
from chorus.cli.short_ids import short_ids
from chorus.cli.snapshot_places import known_workspace_around
from chorus.cli.table import Column, Forms
from chorus.cli.vault_ids import open_vault, vault_option
from chorus.core.views.safe import safe_line
from chorus.find.provenance.commit_origins import CommitOrigins, Share, commit_origins
from chorus.find.provenance.recorded_edits import recorded_in
from chorus.find.search.annotations import load_annotations
from chorus.find.search.titles import titles
from chorus.keep.archive.listing import find
from chorus.keep.vault.files import FileVault

_COLUMNS = (
    Column("Lines", is_right=True),
    Column("Conversation", is_brief=True),
    Column("Turn"),
    Column("Model", drop_rank=1, min_width=10),
    Column("Title", min_width=20),
)


@click.command("commit-info")
@click.argument("revision", metavar="SHA")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@vault_option
def commit_info(*, revision: str, as_json: bool, vault: str | None) -> None:
    """Show which conversations and turns wrote the lines that a commit of this repository added."""
    kept_in = open_vault(vault)
    workspace, store = known_workspace_around(kept_in, Path())
    folder = Path(workspace.path)
    found = ask(
        kept_in, lambda index: commit_origins(store, folder, revision, recorded_in(index, kept_in, workspace.id))
    ) or commit_origins(store, folder, revision)
    store.reader.close()
    if as_json:
        print_json(_as_json(found))
        return
    say(f"{found.commit[:12]} {safe_line(found.subject)}")
    say(
        f"{counted(found.added, 'line')} added in {counted(found.files, 'file')};"
        f" {counted(found.known, 'line')} of them by agents."
    )
    known = _titles(kept_in, found.shares)
    short = short_ids(share.conversation for share in found.shares)
    rows = [
        (
            share.lines,
            Forms(share.conversation, short[share.conversation]),
            share.turn or "",
            safe_line(share.model),
            safe_line(known.get(share.conversation, "")),
        )
        for share in found.shares
    ]
    print_table("", _COLUMNS, rows)
    for claim, lines in found.claims:
        say(f"{claim.source} says: {in_words(claim)}, {counted(lines, 'line')}.")


def _titles(vault: FileVault, shares: list[Share]) -> dict[str, str]:
    """Returns the titles of the conversations that the index knows."""
    names = {share.conversation: found[0].name for share in shares if (found := find(vault, share.conversation))}
    known = ask(vault, lambda index: titles(index, names.values(), load_annotations(vault))) or {}
    return {key: known.get(name, "") for key, name in names.items()}


def _as_json(found: CommitOrigins) -> dict[str, Any]:
    """Returns the documented form of `chorus commit-info --json`."""
    return {
        "commit": found.commit,
        "subject": found.subject,
        "files": found.files,
        "lines_added": found.added,
        "lines_by_agents": found.known,
        "shares": [
            {
                "conversation": share.conversation,
                "agent": share.agent or None,
                "turn": share.turn or None,
                "prompt": share.prompt or None,
                "model": share.model or None,
                "lines": share.lines,
            }
            for share in found.shares
        ],
        "foreign": [{**structs.asdict(claim), "lines": lines} for claim, lines in found.claims],
    }
