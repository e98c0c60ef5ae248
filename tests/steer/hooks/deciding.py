"""A person with a key who decides the requests of a ledger."""

from datetime import UTC, datetime

from msgspec import structs

from chorus.core.records.times import wire_time
from chorus.steer.approvals.approvers import pin
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.model import Decision, Row
from chorus.steer.approvals.signing import signed_bytes
from tests.show.server.serving import until
from tests.steer.approvals.samples import add_approver, key


class Person:
    """An approver of the vault. The constructor adds the approver, so create it before the server starts."""

    def __init__(self, vault, *, is_approver=True):
        self.state = vault / "state"
        self.signer = key("ada")
        if is_approver:
            self.become_approver()
        self.ledger = Ledger(self.state)

    def become_approver(self):
        self.state.mkdir(mode=0o700, parents=True, exist_ok=True)
        add_approver(self.state, "ada")

    def asked(self) -> Row:
        """Waits for the one pending request and returns it."""
        (row,) = until(self.ledger.pending)
        return row

    def settled(self, row: Row) -> Row:
        """Waits until the row is no longer pending and returns it."""
        return until(lambda: (found := self.ledger.row(row.id)) and not found.is_pending and found)

    def allow(self, row: Row, **changes):
        draft = Decision(behaviour="allow", at=_now(), surface="page", approver=self.signer.id, **changes)
        signature = self.signer.sign(signed_bytes(row.id, row.digest, draft))
        decided = structs.replace(draft, signature=signature)
        return self.ledger.decide(row.id, row.digest, decided, pin(self.state))

    def deny(self, row: Row, message="not today"):
        decision = Decision(behaviour="deny", at=_now(), surface="terminal", message=message)
        return self.ledger.decide(row.id, row.digest, decision, None)


def _now():
    return wire_time(datetime.now(UTC))
