"""What was recorded as cases for rules: the requests of the permission ledger, and the calls of all conversations."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from chorus.core.conversation import items
from chorus.core.conversation.call_permissions import APPROVED, DENIED, PERSON
from chorus.core.conversation.items import MAIN, CallState
from chorus.core.records.model.base import ABSENT
from chorus.find.index.port import Index
from chorus.find.index.rows import ConversationRow, Entry
from chorus.find.payloads.loader import Loader
from chorus.keep.vault.keys import workspace_root
from chorus.keep.vault.port import Vault
from chorus.steer.approvals.ledger_reader import LedgerReader
from chorus.steer.approvals.model import Asker, Behaviour, Request, Row, State, is_object

_NOBODY = Asker(0, "")
ALL = 1 << 40


class Case(Struct, frozen=True):
    """One request or call of the past."""

    request: Request
    """What was asked. For a call that nobody was asked about: what would have been asked."""
    decided: Behaviour | None
    """What people decided; None if nobody decided, or it is not known."""
    was_asked: bool
    """Whether a person was asked, as far as the records say."""
    ran: bool
    """Whether the call is known to have run."""
    call: str | None
    """The id of the call in its conversation."""
    is_refused: bool = False
    """Whether anybody refused it: a person, a rule or a hook."""


def cases(
    ledger: LedgerReader, index: Index | None, vault: Vault, names: Sequence[str] | None = None
) -> Iterator[Case]:
    """Yields the requests of the ledger, newest first, and the calls of conversations that they are not about.

    `names` are the conversations that are meant; None for all. Copies of a call count once, and so do several requests
    for one call: a prompt that was covered for a moment is asked again.
    """
    wanted = set(names) if names is not None else None
    seen: set[str] = set()
    asked: set[tuple[str, str, str]] = set()
    requested: list[Case] = []
    for row in ledger.rows(limit=ALL):
        if row.request.tool_use:
            seen.add(row.request.tool_use)
        asked.add((row.request.session, row.request.tool, row.request.input))
        if wanted is None or row.request.conversation in wanted:
            requested.append(_of_row(row))
    yield from _once(requested)
    if index is None:
        return
    meant = [name for name, _, _ in index.statuses()] if names is None else names
    for found in filter(None, map(index.conversation, meant)):
        yield from _of_conversation(found, index, vault, seen, asked)


def _once(requested: Sequence[Case]) -> Iterator[Case]:
    """Yields the cases without the requests that nobody answered because the same call was asked about again."""
    known = {_call_of(case) for case in requested if case.decided is not None}
    for case in requested:
        key = _call_of(case)
        if case.decided is not None or case.call is None or key not in known:
            known.add(key)
            yield case


def _call_of(case: Case) -> tuple[str, str | None, str]:
    return case.request.session, case.call, case.request.input


def _of_row(row: Row) -> Case:
    decided = row.answered.behaviour if row.answered is not None else None
    if row.decision is not None and not row.decision.rules and row.state in (State.APPROVED, State.DENIED):
        decided = row.decision.behaviour
    was_asked = row.decision is None or not row.decision.rules
    return Case(row.request, decided, was_asked, decided == "allow", row.request.tool_use)


def _of_conversation(
    row: ConversationRow, index: Index, vault: Vault, seen: set[str], asked: set[tuple[str, str, str]]
) -> Iterator[Case]:
    calls: dict[str, items.Call] = {}
    made: list[Entry] = []
    for entry in index.all_entries(row.name):
        if isinstance(entry.item, items.Call):
            calls[entry.item.tool_use_id] = entry.item
        elif any(part.kind == "tool_use" for part in entry.parts):
            made.append(entry)
    loader = Loader(vault, row.workspace, row.agent, row.id)
    for entries in _pieces(made):
        loader.read_ahead(entries)
        for entry in entries:
            for part in entry.parts:
                call = calls.get(part.call or "")
                if part.kind != "tool_use" or call is None or call.tool_use_id in seen:
                    continue
                seen.add(call.tool_use_id)
                block = loader.part(part)
                if isinstance(block, items.Block) and block.block.input != ABSENT:
                    case = _of_call(row, call, entry.item.agent, bytes(block.block.input))
                    if case is not None and (row.id, call.name, case.request.input) not in asked:
                        yield case


def _pieces(entries: list[Entry], size: int = 200) -> Iterable[list[Entry]]:
    return (entries[at : at + size] for at in range(0, len(entries), size))


def _of_call(row: ConversationRow, call: items.Call, agent: str, given: bytes) -> Case | None:
    text = given.decode("utf-8", "replace")
    if not is_object(text):
        return None
    cwd = row.session.cwd or ""
    request = Request(
        id="0" * 32,
        source="hook",
        key="",
        session=row.id,
        tool=call.name,
        input=text,
        cwd=cwd,
        created_at=call.started_at or "",
        asker=_NOBODY,
        conversation=row.name,
        agent=None if agent == MAIN else agent,
        tool_use=call.tool_use_id,
        root=workspace_root(cwd, row.name) or (cwd if cwd.startswith("/") else None),
    )
    is_refused = call.state is CallState.REFUSED or call.decision == DENIED
    decided: Behaviour | None = None
    if is_refused and call.decided_by in (PERSON, None):
        decided = "deny"
    elif call.decision == APPROVED and call.decided_by == PERSON:
        # The client also approves by its settings and hooks: then nobody was asked.
        decided = "allow"
    return Case(request, decided, decided is not None, call.state is CallState.DONE, call.tool_use_id, is_refused)
