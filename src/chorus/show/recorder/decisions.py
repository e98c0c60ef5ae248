"""Copies decisions about permission requests from the permission ledger into their conversations.

The ledger is the truth. Each settled request becomes one line in the stream `decisions` of its conversation, so that it
is read, searched, exported and restored with the conversation.
"""

import contextlib
import os

import msgspec
from msgspec import Struct, field

from chorus.core.records.model.decision import Decision
from chorus.keep.archive.decision_stream import DECISIONS_STREAM
from chorus.keep.archive.listing import name_of
from chorus.keep.vault import proof
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.keys import StreamKey, is_safe_name
from chorus.keep.vault.line import StoredLine
from chorus.keep.vault.safe_files import put_file, read_file
from chorus.keep.vault.tombstones import is_forgotten
from chorus.steer.approvals import inputs
from chorus.steer.approvals.approvers import ApproversFile
from chorus.steer.approvals.cards import card_of
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.ledger_reader import NAME
from chorus.steer.approvals.model import Row, State
from chorus.steer.approvals.visible_text import make_visible_line

STATE = "state"
_MARK = "decisions.json"
_MAX_WAITING = 1_000
_COMMAND_CHARS = 200


class LedgerPosition(Struct, rename="camel"):
    """How far the ledger was read."""

    mark: str = ""
    waiting: list[str] = field(default_factory=list)
    """Settled requests whose conversation is not recorded yet, or whose outcome is expected soon."""


class Decisions:
    """Reads the ledger of a vault; only one process may do so at a time."""

    def __init__(self, vault: FileVault) -> None:
        self._vault = vault
        self._state = vault.root / STATE
        self._ledger = Ledger(self._state)
        self._approvers = ApproversFile(self._state)
        self._taken: LedgerPosition | None = None
        self._seen: tuple[int, int] | None = None

    def has_news(self) -> bool:
        """Returns whether something may have been decided since the last call; costs a `stat`."""
        try:
            status = os.stat(self._state / NAME)  # noqa: PTH116 - asked several times a second
        except OSError:
            return False
        seen = status.st_ino, status.st_size
        if seen == self._seen:
            return False
        self._seen = seen
        return True

    def begin_again(self) -> None:
        """Starts over with all decisions of the ledger; lines that were already written stay."""
        self._taken = None
        (self._state / _MARK).unlink(missing_ok=True)
        proof.prove(self._state / _MARK)

    def take(self) -> list[str]:
        """Records the decisions since the last call and returns the names of the conversations that grew."""
        if not (self._state / NAME).exists():
            return []
        taken = self._taken or self._load()
        changed, mark = self._ledger.changes_since(taken.mark)
        if mark == taken.mark and not taken.waiting:
            self._taken = taken
            return []
        earlier = [row for each in taken.waiting if (row := self._ledger.row(each)) is not None]
        names: dict[str, None] = {}
        waiting: list[str] = []
        for row in [*earlier, *changed]:
            if row.is_pending:
                continue
            if self._ledger.is_awaited(row):
                # It is recorded once it is known whether it took effect.
                waiting.append(row.id)
                continue
            name = self._conversation(row)
            if name is not None:
                self._keep(name, row)
                names[name] = None
            elif not is_forgotten(self._vault.root, row.request.session):
                waiting.append(row.id)
        now = LedgerPosition(mark, list(dict.fromkeys(waiting))[-_MAX_WAITING:])
        if names:
            self._vault.flush()
        if now != taken:
            data = msgspec.json.encode(now)
            with proof.replacing(self._state / _MARK, data):
                put_file(self._state / _MARK, data)
        self._taken = now
        return list(names)

    def _load(self) -> LedgerPosition:
        if proof.objection(self._state / _MARK):
            return LedgerPosition()
        with contextlib.suppress(OSError, msgspec.MsgspecError):
            return msgspec.json.decode(read_file(self._state / _MARK), type=LedgerPosition)
        return LedgerPosition()

    def _conversation(self, row: Row) -> str | None:
        """Returns the name of the conversation of a request, if it is recorded. The request is untrusted text."""
        name = row.request.conversation or ""
        parts = name.split("/")
        if len(parts) == 3 and all(map(is_safe_name, parts)) and self._vault.streams(name):
            return name
        return name_of(self._vault.root, row.request.session)

    def _keep(self, name: str, row: Row) -> None:
        workspace, agent, conversation = name.split("/")
        key = StreamKey(workspace, agent, conversation, DECISIONS_STREAM)
        line = msgspec.json.encode(self._line(row)) + b"\n"
        # If the process is killed between this and the mark, the request comes again and its line is already there. A
        # later outcome is another line.
        known = (kept.bytes for kept in self._vault.lines(key) if isinstance(kept, StoredLine))
        if any(_is_same(each, row) for each in known if row.id.encode() in each):
            return
        self._vault.append(key, line, seen_at=row.settled_at or row.request.created_at)

    def _line(self, row: Row) -> Decision:
        request, made = row.request, row.decision
        if row.state is State.ANSWERED:
            made = None  # The decision came too late: it says nothing about what happened.
        who = self._approvers.load().ever.get(made.approver) if made and made.approver else None
        card = card_of(row)
        return Decision(
            request=row.id,
            sessionId=request.session,
            agentId=request.agent,
            timestamp=row.settled_at,
            state=row.state.value,
            tool=request.tool,
            title=_title(row, card.title),
            toolUseId=request.tool_use,
            approver=who.name if who else (made.rule_names or None if made else None),
            surface=made.surface if made else None,
            message=(made.message or "\n".join(used.text for used in made.rules)) if made else "",
            effect=row.effect,
            note=row.note,
            isChanged=made is not None and made.input is not None,
            instead=_line_of(made.input) if made and made.input is not None else "",
            accepted=tuple(each.words for each in card.offers if made and each.index in made.suggestions),
            latencyMs=row.latency_ms,
        )


def _is_same(line: bytes, row: Row) -> bool:
    """Returns whether a line that names the request says the same about it as the row."""
    try:
        kept = _decision.decode(line)
    except msgspec.MsgspecError:
        return True
    is_answered = row.state is State.ANSWERED
    return kept.state == row.state.value and (not is_answered or kept.note == row.note)


def _title(row: Row, title: str) -> str:
    """Returns the request in one line, a command included."""
    command = inputs.fields(row.request.input).get("command")
    return f"{title} {make_visible_line(command)[:_COMMAND_CHARS]}" if isinstance(command, str) else title


def _line_of(given: str) -> str:
    """Returns an input in one line: its command, or the answers in it, or all of it."""
    fields = inputs.fields(given)
    command, answers = fields.get("command"), fields.get("answers")
    if isinstance(answers, dict):
        return make_visible_line("; ".join(f"{question} {answer}" for question, answer in answers.items()))[
            :_COMMAND_CHARS
        ]
    return make_visible_line(command if isinstance(command, str) else given)[:_COMMAND_CHARS]


_decision = msgspec.json.Decoder(Decision)
