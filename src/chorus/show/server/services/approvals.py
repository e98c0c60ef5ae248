"""Serves the permission ledger: cards, decisions, approvers, and a notification of all sockets after a change.

The server itself has no authority: it accepts an approval only with an approver's signature, and the process that made
the request checks that signature again.
"""

import asyncio
import os
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

from msgspec import structs

from chorus.core.conversation.tool_facts import kind_of
from chorus.core.records.times import wire_time
from chorus.errors import ChorusError
from chorus.keep.archive.listing import name_of
from chorus.show import wire
from chorus.show.server.errors import Refused, bad_request, not_found
from chorus.show.server.live.hub import Hub
from chorus.steer.approvals import asked_text, lifecycle
from chorus.steer.approvals.approvers import ApproversFile, head_of
from chorus.steer.approvals.cards import card_of
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.ledger_reader import NAME
from chorus.steer.approvals.model import Decision, Row
from chorus.steer.approvals.rules.rule_book import RuleBook
from chorus.steer.approvals.signing import PublicKey, fingerprint, is_key
from chorus.steer.approvals.trust import Approver, Change, Trust
from chorus.steer.approvals.visible_text import make_visible_line
from chorus.steer.runs.approvals import trusts_nobody

LOOK_S = 0.15
TEND_S = 1.0
"""How often requests that no process waits for any more are ended, and how often the ledger is checked while no page is
open."""
_SURFACE = "page"
_MAX_WAITING = 8
_TOO_LATE = "the agent began before anybody could approve"
_WAY_OUT = "deny it, or stop and resume the agent"


class ApprovalService:
    """The approvals of one server. May be used from several threads."""

    def __init__(self, folder: Path, home: Path | None = None) -> None:
        """`folder` is the vault's `state/`; `home` is the folder with the runs, if that is not the vault.

        Trusts the approvers of this moment, and approvers that they admit later.
        """
        self._root = folder.parent
        self._home = home or self._root
        self._ledger = Ledger(folder)
        self.file = ApproversFile(folder)
        """The list of approvers, shared by all parts of this server."""
        self.trust = Trust(self.file.load())
        """The approvers that this server trusts."""
        self.rules = RuleBook(folder, self.trust)
        """The rules that answer requests of hooks."""
        self._mutex = threading.RLock()
        """Held wherever `_waiting` is used."""
        self._waiting: dict[str, wire.Enrolment] = {}
        self._mark = ""
        self._named: set[str] = set()
        """The pending requests whose conversation is known."""
        self._has_news = True
        self._has_pending = True
        self._tend_at = 0.0
        self._path = str(folder / NAME)
        self._seen: tuple[int, int, int] | None = None
        """Inode, size and time of the ledger's file at the last check."""

    def approvals(self, *, settled: int) -> wire.Approvals:
        """Returns the pending requests, and up to `settled` settled ones."""
        pending = self._ledger.pending()
        done = [row for row in self._ledger.rows(limit=settled + len(pending)) if not row.is_pending] if settled else []
        found = self.file.extend(self.trust)
        return wire.Approvals(
            cards=tuple(self._card(row) for row in [*pending, *done[:settled]]),
            pending=len(pending),
            trouble=self.trust.tampering or _trouble(len(found.rejected), len(self._ledger.flaws())),
        )

    def pending(self) -> list[Row]:
        """Returns the rows of the pending requests."""
        return self._ledger.pending()

    def asked_by(self, request_id: str) -> str | None:
        """Returns what a pending request would do, in one text without hidden characters; None if it does not wait."""
        return asked_text.asked_by(self._ledger, request_id)

    def answer(self, request_id: str, answer: wire.ApprovalAnswer) -> wire.ApprovalCard:
        """Decides a request and returns its new card; raises `Refused` if the decision is not accepted."""
        self.file.extend(self.trust)
        decision = Decision(
            behaviour=answer.behavior,
            at=answer.at,
            surface=_SURFACE,
            message=answer.message,
            input=answer.input,
            suggestions=list(answer.suggestions),
            approver=answer.approver,
            signature=answer.signature,
        )
        row = self._ledger.row(request_id)
        if answer.behavior == "allow" and row is not None and row.is_pending and self._is_too_late(row):
            raise Refused(403, "not_allowed", f"{_TOO_LATE}: {_WAY_OUT}")
        done = self._ledger.decide(request_id, answer.digest, decision, self.trust)
        if isinstance(done, lifecycle.Refused):
            raise Refused(done.status, done.kind, done.message)
        return self._card(done)

    def approvers(self) -> wire.Approvers:
        """Returns the approvers, and the browsers that wait to become approvers."""
        with self._mutex:
            found = self.file.load()
            return wire.Approvers(
                approvers=tuple(_shown(each) for each in found.valid.values()),
                # A waiting browser may have been admitted at a terminal.
                waiting=tuple(each for each in self._waiting.values() if each.id not in found.ever),
                head=head_of(found),
            )

    def enrol(self, asked: wire.EnrolmentAsked, device: str = "") -> wire.Approvers:
        """Makes a browser an approver if there is none yet; otherwise it waits until an approver signs for it.

        `device` is the paired device that asks, if one does: it is never the first approver, and has only its own key.
        """
        key = PublicKey(asked.public_key.x, asked.public_key.y)
        if not is_key(key) or not asked.name.strip():
            raise bad_request("That is no public key, or has no name.")
        if device and fingerprint(key) != device:
            raise Refused(403, "not_allowed", "A device can ask for its own key only: the one that it was paired with.")
        name, at = asked.name.strip()[:100], wire_time(datetime.now(UTC))
        with self._mutex:
            if device and not self.file.load().lines:
                raise Refused(403, "not_allowed", "There is no approver yet: the first one is made on the computer.")
            if self.file.load().lines:
                enrolment = wire.Enrolment(id=fingerprint(key), name=name, public_key=asked.public_key, asked_at=at)
                self._waiting.pop(enrolment.id, None)
                self._waiting[enrolment.id] = enrolment
                while len(self._waiting) > _MAX_WAITING:
                    del self._waiting[next(iter(self._waiting))]
                self._has_news = True
            else:
                first = Change(action="add", id=fingerprint(key), at=at, name=name, kind="browser", public_key=key)
                self._change(first)
                # There was no approver who could sign for the first one: the login to this server is its authority.
                self.trust.begin(self.file.load())
            return self.approvers()

    def change(self, asked: wire.ApproverChange) -> wire.Approvers:
        """Applies a change that an approver signed: admits a waiting browser, or removes an approver."""
        change = Change(action=asked.action, id=asked.id, at=asked.at, by=asked.by, signature=asked.signature)
        with self._mutex:
            if asked.action == "add":
                waiting = self._waiting.get(asked.id)
                if waiting is None:
                    raise not_found("Nobody waits with that key; it has to be asked for again.")
                key = PublicKey(waiting.public_key.x, waiting.public_key.y)
                change = structs.replace(change, name=waiting.name, kind="browser", public_key=key)
            self._change(change)
            self._waiting.pop(asked.id, None)
            return self.approvers()

    def may_have_news(self) -> bool:
        """Returns whether to call `news`: the ledger changed, or requests may have to be ended. Costs one `stat`."""
        try:
            status = os.stat(self._path)  # noqa: PTH116 - asked several times a second
            seen = (status.st_ino, status.st_size, status.st_mtime_ns)
        except OSError:
            seen = None
        is_due = self._has_news or seen != self._seen or (self._has_pending and time.monotonic() >= self._tend_at)
        self._seen = seen
        return is_due

    def news(self) -> int | None:
        """Returns how many requests are pending if they or the approvers changed since the last call, else None.

        Also ends requests that expired or whose process is gone.
        """
        if time.monotonic() >= self._tend_at:
            self._tend_at = time.monotonic() + TEND_S
            self._ledger.expire_due()
            self._ledger.invalidate_gone()
            self._look_for_names()
        changed, mark = self._ledger.changes_since(self._mark)
        has_news, self._has_news = self._has_news, False
        self._mark = mark
        pending = len(self._ledger.pending())
        self._has_pending = pending > 0
        return pending if changed or has_news else None

    def _look_for_names(self) -> None:
        """Looks up the conversation of each pending request: a hook may ask before its session is recorded."""
        named = {row.id for row in self._ledger.pending() if self._conversation(row) is not None}
        self._has_news |= not named <= self._named
        self._named = named

    def _conversation(self, row: Row) -> str | None:
        return row.request.conversation or name_of(self._root, row.request.session)

    def _is_too_late(self, row: Row) -> bool:
        return trusts_nobody(self._home, row.request, self.file.load())

    def _change(self, change: Change) -> None:
        try:
            self.file.append(lambda _found, _head: change)
        except ChorusError as error:
            raise Refused(403, "not_allowed", str(error)) from error
        self._has_news = True

    def _card(self, row: Row) -> wire.ApprovalCard:
        card, request = card_of(row), row.request
        hints = [wire.ApprovalHint(kind=each.kind, words=each.text) for each in card.hints]
        if row.is_pending and self._is_too_late(row):
            hints.append(wire.ApprovalHint(kind="approver", words=f"{_TOO_LATE}: {_WAY_OUT}"))
        return wire.ApprovalCard(
            id=row.id,
            digest=row.digest,
            state=row.state.value,
            tool=request.tool,
            kind=kind_of(request.tool),
            title=card.title,
            blocks=card.blocks,
            whole=card.whole,
            input=request.input,
            hints=tuple(hints),
            offers=tuple(
                wire.ApprovalOffer(index=each.index, words=each.words, is_wide=each.is_wide, text=each.text)
                for each in card.offers
            ),
            facts=tuple(wire.ApprovalFact(name=name, text=text) for name, text in card.facts),
            session=request.session,
            conversation=self._conversation(row),
            conversation_title=None,
            workspace_name=None,
            run=request.run,
            agent=request.agent,
            created_at=request.created_at,
            deadline_at=request.deadline_at,
            decision=self._decision(row.decision),
            effect=row.effect,
            settled_at=row.settled_at,
            latency_ms=row.latency_ms,
            note=row.note,
        )

    def _decision(self, made: Decision | None) -> wire.ApprovalDecision | None:
        if made is None:
            return None
        who = self.file.load().ever.get(made.approver or "")
        return wire.ApprovalDecision(
            behavior=made.behaviour,
            at=made.at,
            surface=made.surface,
            message=made.message,
            is_changed=made.input is not None,
            approver=who.name if who else None,
            rules=tuple(make_visible_line(used.text) for used in made.rules),
        )


async def watch(approvals: ApprovalService, hub: Hub) -> None:
    """Sends the number of pending requests to all sockets after each change, until cancelled."""
    while True:
        pending = await asyncio.to_thread(_news, approvals) if approvals.may_have_news() else None
        if pending is not None:
            hub.approvals_changed(pending)
        await asyncio.sleep(LOOK_S if hub.has_listeners else TEND_S)


def _news(approvals: ApprovalService) -> int | None:
    try:
        return approvals.news()
    except ChorusError:
        return None  # The next call tries again.


def _shown(approver: Approver) -> wire.ApproverShown:
    return wire.ApproverShown(id=approver.id, name=approver.name, kind=approver.kind, added_at=approver.added_at)


def _trouble(of_approvers: int, of_ledger: int) -> str | None:
    """Returns a warning about damaged or hand-written lines, or None. Such lines have no effect, but are reported."""
    found = {"list of approvers": of_approvers, "ledger": of_ledger}
    where = " and ".join(f"{number} in the {name}" for name, number in found.items() if number)
    if not where:
        return None
    return f"Lines written by hand, or damaged, count for nothing: {where}. `chorus approvals --check` lists them."
