"""What a phone does to be paired, with the key of a test."""

from typing import Any

from chorus.show.server.edge.pairing import pairing_id
from chorus.steer.approvals.devices.signed_devices import AccessScope, DeviceChange, addition_bytes
from chorus.steer.approvals.signing import Signer
from tests.show.server.serving import Answer, Browser
from tests.steer.approvals import samples


def claim_of(
    secret: str, scope: AccessScope, *, name: str = "Ada's phone", key: Signer | None = None
) -> dict[str, Any]:
    """Returns what a phone sends after it has read the QR code."""
    signer = key or samples.key(name)
    change = DeviceChange(
        action="add",
        id=signer.id,
        at="",
        name=name,
        scope=scope,
        public_key=signer.public_key,
        pairing=pairing_id(secret),
    )
    public = {"x": signer.public_key.x, "y": signer.public_key.y}
    signature = signer.sign(addition_bytes(change))
    return {"secret": secret, "name": name, "public_key": public, "signature": signature}


def secret_in(link: str) -> str:
    return link.partition("#p=")[2].partition("&")[0]


def offered(computer: Browser, scope: AccessScope) -> str:
    """Returns the secret of a new offer."""
    return secret_in(computer.post("/api/devices/pairing", {"scope": scope}).json["link"])


def paired(computer: Browser, phone: Browser, scope: AccessScope, **given: Any) -> Answer:
    """Pairs a phone, confirmed on the computer; returns the answer that logs it in."""
    claimed = phone.post("/api/pair", claim_of(offered(computer, scope), scope, **given))
    assert claimed.status == 200, claimed
    code = claimed.json["code"]
    answer = computer.post("/api/devices/pairing/answer", {"code": code, "is_confirmed": True})
    assert answer.status == 200, answer
    return phone.post("/api/pair/finish", {"claim": claimed.json["claim"]})
