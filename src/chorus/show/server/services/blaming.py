"""Blame for the page: the lines of a file of a workspace, and the conversations and prompts that wrote them."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from urllib.parse import unquote_to_bytes

from msgspec import structs

from chorus.base import config
from chorus.base.config import Workspace
from chorus.core.blame.origins import Origin, Origins
from chorus.errors import ChorusError, GitFailed
from chorus.find.provenance.file_blame import BlamedFile, blame_file
from chorus.find.provenance.foreign_claims import Claims
from chorus.find.provenance.recorded_edits import FindRecorded
from chorus.keep.archive.listing import name_of, named
from chorus.keep.archive.prompt_lines import messages_of
from chorus.keep.snapshots.commits import SnapshotKind
from chorus.keep.snapshots.file_reading import path_in
from chorus.keep.snapshots.repository import SnapshotRepository
from chorus.keep.vault.files import FileVault
from chorus.show import wire
from chorus.show.server.errors import not_found
from chorus.show.server.services.changes import key_of, shown_path

_MAX_LINES = 50_000
_MAX_CONVERSATIONS = 24
"""The prompts of this many conversations are looked up: of those that wrote the most lines."""

LookUp = Callable[[str, Sequence[str]], tuple[str, Mapping[str, wire.OutlineMark]]]
"""Returns the title of a conversation, and the prompts of some of its calls and messages."""


def shown_blame(
    vault: FileVault, workspace: str, key: str, revision: str, look_up: LookUp, find_recorded: FindRecorded | None
) -> wire.Blame:
    """Returns the lines of a file with their origins. Raises `not_found` with the reason if it cannot be shown."""
    known = _named_workspace(vault, workspace)
    folder = Path(known.path)
    path = path_in(folder, os.fsdecode(unquote_to_bytes(key)))
    if path is None:
        raise not_found("This file is not inside the workspace.")
    store = SnapshotRepository(config.home_of(vault.root), known.id)
    try:
        found = blame_file(store, folder, path, revision or None, find_recorded)
        return _shown(vault, known, path, found, store, look_up)
    except GitFailed:
        raise
    except ChorusError as error:
        raise not_found(_shown_text(str(error))) from error
    finally:
        store.reader.close()


def _named_workspace(vault: FileVault, workspace: str) -> Workspace:
    """Only files below a folder that a person named are read: the path of any other comes from a session."""
    home = config.home_of(vault.root)
    known = next((each for each in config.load(home).workspaces if each.id == workspace and each.is_named), None)
    if known is None:
        raise not_found(
            "You have not named this workspace, so its files are not read. `chorus workspace add FOLDER` names it."
        )
    return known


def _shown(
    vault: FileVault,
    workspace: Workspace,
    path: bytes,
    found: BlamedFile,
    store: SnapshotRepository,
    look_up: LookUp,
) -> wire.Blame:
    counts = Counter(origin for origin in found.origins if origin is not None)
    numbers = {origin: number for number, origin in enumerate(counts)}
    leads = _leads(vault, store, counts)
    known = _looked_up(vault, counts, leads, look_up)
    shown = found.origins[:_MAX_LINES]
    return wire.Blame(
        workspace=workspace.id,
        folder=shown_path(os.fsencode(workspace.path)),
        key=key_of(path),
        path=shown_path(path),
        revision=found.revision,
        origins=tuple(_origin(each, count, leads[each], known) for each, count in counts.items()),
        stretches=tuple(_stretches(found.lines, shown, numbers)),
        claims=tuple(_claims(found.claims[:_MAX_LINES])),
        lines=len(found.lines),
        lines_by_agents=counts.total(),
        cut_lines=len(found.lines) - len(shown),
    )


_Known = dict[str, tuple[str, str, Mapping[str, wire.OutlineMark]]]
"""Conversation → its name, its title, and the prompts of what leads to them."""


def _looked_up(vault: FileVault, counts: Counter[Origin], leads: Mapping[Origin, str], look_up: LookUp) -> _Known:
    lines: Counter[str] = Counter()
    wanted: dict[str, set[str]] = {}
    for origin, count in counts.items():
        lines[origin.edit.conversation] += count
        wanted.setdefault(origin.edit.conversation, set()).add(leads[origin])
    found: _Known = {}
    for conversation, _ in lines.most_common(_MAX_CONVERSATIONS):
        name = name_of(vault.root, conversation)
        if name is not None:
            title, prompts = look_up(name, sorted(wanted[conversation] - {""}))
            found[conversation] = (name, title, prompts)
    return found


def _leads(vault: FileVault, store: SnapshotRepository, origins: Iterable[Origin]) -> dict[Origin, str]:
    """Returns what leads to the prompt of each origin: its call, the first one of its turn, or the prompt's message."""
    found = {origin: _call_of(store, origin) for origin in origins}
    prompts: dict[str, set[str]] = {}
    for origin, call in found.items():
        if not call and origin.edit.prompt:
            prompts.setdefault(origin.edit.conversation, set()).add(origin.edit.prompt)
    for conversation, wanted in prompts.items():
        name = name_of(vault.root, conversation)
        messages = messages_of(vault, kept[0], wanted) if name and (kept := named(vault, [name])) else {}
        for origin, call in found.items():
            if not call and origin.edit.conversation == conversation:
                found[origin] = messages.get(origin.edit.prompt, origin.edit.prompt)
    return found


def _call_of(store: SnapshotRepository, origin: Origin) -> str:
    """Returns the call of an edit, else the first one of its turn; "" if no call of it changed a file."""
    edit = origin.edit
    if edit.call or not edit.turn:
        return edit.call
    found = ""
    for tip in store.refs(edit.conversation).values():
        for commit in store.log(tip):
            facts = commit.facts
            if facts.turn == edit.turn and facts.call and facts.kind is SnapshotKind.AFTER:
                found = facts.call
    return found


def _origin(origin: Origin, count: int, lead: str, known: _Known) -> wire.LineOrigin:
    edit = origin.edit
    name, title, prompts = known.get(edit.conversation, ("", "", {}))
    prompt = prompts.get(lead)
    return wire.LineOrigin(
        conversation=edit.conversation,
        conversation_name=name,
        title=title,
        agent=edit.agent,
        turn=edit.turn,
        call=edit.call,
        tool=edit.tool,
        model=edit.model,
        certainty=origin.certainty.value,
        evidence=origin.evidence.value,
        prompt=prompt.text if prompt else "",
        prompt_at=prompt.id if prompt else "",
        lines=count,
    )


def _stretches(lines: Sequence[str], origins: Origins, numbers: Mapping[Origin, int]) -> Iterator[wire.BlamedStretch]:
    for origin, group in groupby(range(len(origins)), key=lambda at: origins[at]):
        places = list(group)
        yield wire.BlamedStretch(
            first=places[0] + 1,
            lines=tuple(lines[places[0] : places[-1] + 1]),
            origin=None if origin is None else numbers[origin],
        )


def _claims(claims: Claims) -> Iterator[wire.ForeignClaim]:
    for some, group in groupby(range(len(claims)), key=lambda at: claims[at]):
        places = list(group)
        for each in some:
            facts = {name: _shown_text(value) for name, value in structs.asdict(each).items()}
            yield wire.ForeignClaim(first=places[0] + 1, last=places[-1] + 1, **facts)


def _shown_text(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
