"""Permission requests of an agent, written into the ledger of a server under test."""

import json
import secrets
from datetime import UTC, datetime
from typing import Any

from chorus.core.records.times import wire_time
from chorus.steer.approvals.asking_process import this_process
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.model import Request, Row

SESSION = "5e551011-0000-4000-8000-000000000001"


def now() -> str:
    return wire_time(datetime.now(UTC))


def asked(ledger: Ledger, command: str = "touch a.txt", **more: Any) -> Row:
    made = secrets.token_hex(16)
    request = Request(
        id=made,
        source="control",
        key=f"run/{made}",
        session=SESSION,
        tool="Bash",
        input=json.dumps({"command": command}),
        cwd="/home/dev",
        created_at=now(),
        asker=this_process(),
        **more,
    )
    return ledger.ask(request)
