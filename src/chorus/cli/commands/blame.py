"""`chorus blame`: show which prompt wrote each line of a file."""

import os
import re
from itertools import groupby
from pathlib import Path
from typing import Any

import click
from msgspec import structs

from chorus.cli.claims_in_words import in_words
from chorus.cli.output import counted, print_json, say
from chorus.cli.pager import paged
from chorus.cli.query_options import ask
from chorus.cli.short_ids import short_ids
from chorus.cli.snapshot_places import known_workspace_around
from chorus.cli.table import cut, terminal_width
from chorus.cli.vault_ids import open_vault, vault_option
from chorus.core.blame.origins import Certainty, Evidence, Origin
from chorus.core.views.safe import safe_line
from chorus.errors import ChorusError
from chorus.find.provenance.file_blame import BlamedFile, blame_file
from chorus.find.provenance.recorded_edits import recorded_in
from chorus.keep.archive.listing import name_of, named
from chorus.keep.archive.prompt_lines import first_lines, messages_of
from chorus.keep.snapshots.file_reading import path_in
from chorus.keep.vault.files import FileVault

_LINE = re.compile(r"(.+):(\d+)")
_MARK = {Certainty.EXACT: " ", Certainty.LIKELY: "?"}


@click.command()
@click.argument("place", metavar="PATH[:LINE]")
@click.option("--rev", "revision", metavar="REV", help="The file as it is at this commit, instead of now.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@vault_option
@paged
def blame(*, place: str, revision: str | None, as_json: bool, vault: str | None) -> None:
    """Show for each line of a file which conversation, turn and call wrote it.

    Lines are followed by their content through the snapshots of the workspace and, from before the first snapshot,
    through the edits that its conversations recorded. A line without a name was not written by an agent, or nothing is
    known about it; `?` means that it is likely and not certain. With :LINE, only that line is
    shown, with its prompt and the command that opens it in the transcript.
    """
    path, line = _split(place)
    kept_in = open_vault(vault)
    workspace, store = known_workspace_around(kept_in, Path(path))
    folder = Path(workspace.path)
    relative = path_in(folder, os.path.abspath(path))  # noqa: PTH100 - follows no link
    if relative is None:
        raise ChorusError(f"{path}: it is not inside the workspace {folder}")
    found = ask(
        kept_in,
        lambda index: blame_file(store, folder, relative, revision, recorded_in(index, kept_in, workspace.id)),
    ) or blame_file(store, folder, relative, revision)
    store.reader.close()
    if line is not None and not 0 < line <= len(found.lines):
        raise ChorusError(f"{path}: it has no line {line}; it has {len(found.lines):,} lines")
    if as_json:
        print_json(_as_json(found, line))
    elif line is not None:
        _explain(kept_in, found, line)
    else:
        _draw(found)


def _split(place: str) -> tuple[str, int | None]:
    found = _LINE.fullmatch(place)
    return (found[1], int(found[2])) if found and not Path(place).exists() else (place, None)


def _explain(vault: FileVault, found: BlamedFile, line: int) -> None:
    click.echo(f"{line:>6}  {safe_line(found.lines[line - 1])}")
    _explain_origin(vault, found.origins[line - 1])
    for claim in found.claims[line - 1] if found.claims else ():
        say(f"{claim.source} says: {in_words(claim)}.")


def _explain_origin(vault: FileVault, origin: Origin | None) -> None:
    if origin is None:
        say("No agent is known to have written this line.")
        return
    edit = origin.edit
    what = " ".join(part for part in (edit.tool, edit.call) if part) or "a shell command of the turn"
    turn = f"turn {edit.turn} of " if edit.turn else ""
    agent = f", sub-agent {edit.agent}" if edit.agent else ""
    model = f" by {edit.model}" if edit.model else ""
    sure = "" if origin.certainty is Certainty.EXACT else "Probably "
    say(f"{sure}{turn}conversation {edit.conversation}{agent}: {what}{model}.")
    if origin.evidence is Evidence.RECORDS:
        say("This is known from the records of the conversation alone: there were no snapshots yet.")
    name = name_of(vault.root, edit.conversation) if edit.prompt else None
    kept = named(vault, [name]) if name else []
    if words := first_lines(vault, kept[0], {edit.prompt}).get(edit.prompt) if kept else "":
        click.echo(f"Prompt: {safe_line(words)}")
    place = edit.call or (messages_of(vault, kept[0], {edit.prompt}).get(edit.prompt, "") if kept else "")
    click.echo(f"chorus context {edit.conversation} {place}" if place else f"chorus show {edit.conversation}")


def _draw(found: BlamedFile) -> None:
    short = short_ids(origin.edit.conversation for origin in found.origins if origin)
    labels = [_label(origin, short) for origin in found.origins]
    width, digits = max(map(len, labels), default=0), len(str(len(found.lines)))
    columns = terminal_width()
    numbered = enumerate(zip(found.lines, labels, strict=True), 1)
    for label, group in groupby(numbered, key=lambda each: each[1][1]):
        for nth, (number, (line, _)) in enumerate(group):
            text = f"{label if nth == 0 or columns is None else '':<{width}}  {number:>{digits}}  {safe_line(line)}"
            click.echo(cut(text, columns) if columns else text)
    claimed = sum(bool(each) for each in found.claims)
    if claimed and columns:
        say(f"Other programs say something about {counted(claimed, 'line')}: PATH:LINE and --json show it.")


def _label(origin: Origin | None, short: dict[str, str]) -> str:
    if origin is None:
        return ""
    turn = f" turn {origin.edit.turn}" if origin.edit.turn else ""
    return f"{short[origin.edit.conversation]}{turn}{_MARK[origin.certainty]}".rstrip()


def _as_json(found: BlamedFile, line: int | None) -> dict[str, Any]:
    """Returns the documented form of `chorus blame --json`."""
    claims = found.claims or [()] * len(found.lines)
    lines = [
        {
            "line": number,
            "text": text,
            "certainty": origin.certainty.value if origin else "unknown",
            "evidence": origin.evidence.value if origin else None,
            "foreign": [structs.asdict(each) for each in claims[number - 1]],
            **({name: getattr(origin.edit, name) or None for name in _FIELDS} if origin else {}),
        }
        for number, (text, origin) in enumerate(zip(found.lines, found.origins, strict=True), 1)
        if line in (None, number)
    ]
    return {"path": found.path, "revision": found.revision or None, "lines": lines}


_FIELDS = ("conversation", "agent", "turn", "call", "tool", "prompt", "model")
