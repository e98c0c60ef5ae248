"""What a pending request would do, in one text that a person can read: for notifications."""

from chorus.steer.approvals import inputs
from chorus.steer.approvals.ledger_reader import LedgerReader
from chorus.steer.approvals.visible_text import make_visible, make_visible_line

_MAIN = ("command", "file_path", "notebook_path", "url", "plan", "pattern", "prompt")
"""The fields of an input that say what it is about, for a reader who will open the card."""


def asked_by(ledger: LedgerReader, request_id: str) -> str | None:
    """Returns what a pending request would do, with hidden characters made visible; None if it does not wait."""
    for row in ledger.pending():
        if row.request.id == request_id:
            given = inputs.fields(row.request.input)
            main = next((given[name] for name in _MAIN if isinstance(given.get(name), str)), None)
            return f"{make_visible_line(row.request.tool)}: {make_visible(str(main or row.request.input))}"
    return None
