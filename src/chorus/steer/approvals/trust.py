"""The approvers: a list of entries linked by signatures, and the part of it that an asker pinned. Pure.

The first entry of the file is accepted as it is. Every later one, an addition or a removal, must be signed by a current
approver over its content and the line before it, so that no entry can be moved, repeated or inserted.
"""

from collections.abc import Sequence
from typing import Generic, Literal, Protocol, TypeVar

from msgspec import Struct, field

from chorus.steer.approvals.model import Decision, Request
from chorus.steer.approvals.signing import (
    SALT_BYTES,
    PublicKey,
    canonical,
    fingerprint,
    is_key,
    signed_bytes,
    unpacked,
    verify,
)

LONGEST_NAME = 100
ChangeT = TypeVar("ChangeT")


class Change(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """An entry of the file: an approver is added or removed."""

    action: Literal["add", "remove"]
    id: str
    """The fingerprint of the approver's key."""
    at: str
    name: str = ""
    kind: Literal["browser", "passphrase"] | None = None
    public_key: PublicKey | None = None
    salt: str | None = None
    """The salt of a passphrase, base64url."""
    phrase: str | None = None
    """The phrase that every prompt for the passphrase shows."""
    by: str | None = None
    """The approver who signed; None for the first entry of all."""
    signature: str | None = None


class Listed(Struct, Generic[ChangeT], frozen=True):
    """A change with its position in the file."""

    line: int
    prev: str
    """The digest of the line before it."""
    follows: bool
    """Whether the entry itself names that digest."""
    change: ChangeT


class Approver(Struct, frozen=True):
    """A person or browser that may approve."""

    id: str
    name: str
    kind: Literal["browser", "passphrase"]
    key: PublicKey
    salt: str | None
    added_at: str
    phrase: str | None = None


class Rejected(Struct, frozen=True):
    """An entry that was not applied, and the reason."""

    line: int
    reason: str


class Approvers(Struct, frozen=True):
    """The content of a file: who may approve now, who ever could, and which entries are not valid."""

    lines: tuple[str, ...] = ()
    """The digest of every line, in order: what an asker pins."""
    valid: dict[str, Approver] = field(default_factory=dict)
    ever: dict[str, Approver] = field(default_factory=dict)
    rejected: tuple[Rejected, ...] = ()


def entry_bytes(change: Change, prev: str) -> bytes:
    """Returns the bytes to sign for a change of the list; `prev` is the digest of the line before."""
    key = change.public_key
    # Only if there is one, so that entries from before phrases existed keep valid signatures.
    phrase = {} if change.phrase is None else {"phrase": change.phrase}
    return canonical(
        {
            **phrase,
            "action": change.action,
            "at": change.at,
            "by": change.by,
            "id": change.id,
            "kind": change.kind,
            "name": change.name,
            "prev": prev,
            "publicKey": {"x": key.x, "y": key.y} if key else None,
            "salt": change.salt,
            "v": 1,
        }
    )


def fold(lines: Sequence[str], listed: Sequence[Listed[Change]], flaws: Sequence[Rejected] = ()) -> Approvers:
    """Returns the approvers of a file.

    `lines` are the digests of all its lines, `listed` the changes that could be read.
    """
    valid: dict[str, Approver] = {}
    ever: dict[str, Approver] = {}
    rejected = list(flaws)
    for each in listed:
        reason = objection(each, valid, ever)
        if reason is not None:
            rejected.append(Rejected(each.line, reason))
        elif each.change.action == "remove":
            del valid[each.change.id]
        else:
            approver = _approver(each.change)
            valid[approver.id] = ever[approver.id] = approver
    return Approvers(tuple(lines), valid, ever, tuple(sorted(rejected, key=lambda one: one.line)))


def objection(listed: Listed[Change], valid: dict[str, Approver], ever: dict[str, Approver]) -> str | None:
    """Returns why an entry is not valid; None if it is."""
    change = listed.change
    reason = _format_error(change, valid, ever)
    if reason is not None:
        return reason
    if listed.line == 1 and change.by is None and change.action == "add":
        return None
    signer = valid.get(change.by or "")
    if signer is None:
        return "no approver of that time signed it"
    if not listed.follows:
        return "it does not follow the line before it"
    try:
        data = entry_bytes(change, listed.prev)
    except UnicodeEncodeError:
        return "it holds half a character"
    return None if verify(signer.key, data, change.signature or "") else "its signature does not hold"


def _format_error(change: Change, valid: dict[str, Approver], ever: dict[str, Approver]) -> str | None:
    if change.action == "remove":
        if change.id not in valid:
            return "there is no such approver to remove"
        return "the last approver cannot be removed" if len(valid) == 1 else None
    key = change.public_key
    if key is None or not is_key(key) or fingerprint(key) != change.id:
        return "its key is invalid, or does not match its id"
    if change.id in ever:
        return "that key already belongs, or belonged, to an approver"
    is_salted = change.salt is not None and unpacked(change.salt, SALT_BYTES) is not None
    if change.kind is None or is_salted != (change.kind == "passphrase"):
        return "its kind and its salt do not match"
    if change.phrase is not None and len(change.phrase) > LONGEST_NAME:
        return "its phrase is too long"
    is_named = len(change.name.strip()) > 0 and len(change.name) <= LONGEST_NAME
    return None if is_named else "its name is missing or too long"


def _approver(change: Change) -> Approver:
    assert change.public_key is not None
    assert change.kind is not None
    return Approver(change.id, change.name, change.kind, change.public_key, change.salt, change.at, change.phrase)


class RuleAuthority(Protocol):
    """The rules that an asker applies."""

    def objection(self, request: Request, decision: Decision) -> str | None:
        """Returns why the rules did not decide this; None if they did."""
        ...


class Trust:
    """The approvers that an asker trusts: those of the file when it started, and those whom they added since.

    An agent can write to the file. An entry that it adds is not signed by an earlier approver. If it removes or
    rewrites lines, the file no longer begins as before, and then the pinned list stays in force.
    """

    def __init__(self, pinned: Approvers) -> None:
        self._pinned = pinned
        self.rules: RuleAuthority | None = None
        """The rules that may decide in a person's place; None if only people decide here."""
        self.tampering: str | None = None
        """What is wrong with the file now; None if nothing is."""

    @property
    def approvers(self) -> dict[str, Approver]:
        """The current approvers, by id."""
        return self._pinned.valid

    @property
    def list(self) -> Approvers:
        """The list that is trusted now."""
        return self._pinned

    def extend(self, found: Approvers) -> None:
        """Applies the current file, as far as earlier approvers signed its changes."""
        known = self._pinned.lines
        self.tampering = None
        if found.lines[: len(known)] != known:
            self.tampering = "the list of approvers was rewritten; only the earlier approvers are trusted"
        elif known:
            self._pinned = found
        elif found.lines:
            self.tampering = (
                "there was no approver when this began: one who was added since can approve only after a restart"
            )

    def begin(self, found: Approvers) -> None:
        """Trusts the first approver, which was added through the caller's own channel.

        Does nothing if anybody was trusted before.
        """
        if not self._pinned.lines:
            self._pinned, self.tampering = found, None

    def objection(self, request_id: str, digest: str, decision: Decision) -> str | None:
        """Returns why a decision has no authority; None if it has.

        Anybody may deny, but not in another person's name.
        """
        if decision.behaviour == "deny" and decision.approver is None and decision.signature is None:
            return None
        if decision.approver is None:
            return "approving needs an approver"
        approver = self.approvers.get(decision.approver)
        if approver is None:
            return "who decided is not an approver here"
        try:
            data = signed_bytes(request_id, digest, decision)
        except UnicodeEncodeError:
            return "it holds half a character"
        return None if verify(approver.key, data, decision.signature or "") else "its signature does not hold"


def historical_trust(found: Approvers) -> Trust:
    """Returns trust in everyone who was ever an approver: use it to judge history, never to act on a decision."""
    return Trust(Approvers(found.lines, found.ever, found.ever, found.rejected))
