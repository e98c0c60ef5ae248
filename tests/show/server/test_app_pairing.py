"""Tests that an app can be paired by what docs/formats/mobile.md says, with nothing of Chorus in it."""

import base64
import hashlib
import http.client
import json
import ssl
from typing import Any
from urllib.parse import parse_qs, urlsplit

from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.hashes import SHA256
from websockets import Origin, Subprotocol
from websockets.sync.client import connect

from tests.show.server.lan import LAN, needs_lan
from tests.show.server.serving import PATIENCE_S, serving


def packed(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class App:
    """An app of somebody else, which knows the QR code and the certificate."""

    def __init__(self, link: str, context: ssl.SSLContext) -> None:
        parts = urlsplit(link)
        given = parse_qs(parts.fragment)
        self.address = f"https://{parts.netloc}"
        self.host = parts.netloc
        self.secret, self.scope = given["p"][0], given["s"][0]
        self.context = context
        self.cookie = ""

    def post(self, path: str, body: Any = None) -> Any:
        """Returns the answer as JSON."""
        line = http.client.HTTPSConnection(self.host, context=self.context, timeout=PATIENCE_S)
        headers = {"Origin": self.address, "X-Chorus": "1", "Cookie": self.cookie}
        if body is not None:
            headers["Content-Type"] = "application/json"
        line.request("POST", path, None if body is None else json.dumps(body), headers)
        answer = line.getresponse()
        self.cookie = (answer.headers["set-cookie"] or self.cookie).partition(";")[0]
        found = json.loads(answer.read())
        line.close()
        return found

    def claim(self, name: str) -> dict[str, Any]:
        key = ec.generate_private_key(ec.SECP256R1())
        numbers = key.public_key().public_numbers()
        x, y = packed(numbers.x.to_bytes(32)), packed(numbers.y.to_bytes(32))
        of = hashlib.sha256(f"{x}.{y}".encode()).hexdigest()[:32]
        pairing = hashlib.sha256(self.secret.encode()).hexdigest()[:32]
        text = (
            f'{{"id":"{of}","kind":"device","name":{json.dumps(name, ensure_ascii=False)},"pairing":"{pairing}",'
            f'"publicKey":{{"x":"{x}","y":"{y}"}},"scope":"{self.scope}","v":1}}'
        )
        r, s = utils.decode_dss_signature(key.sign(text.encode(), ec.ECDSA(SHA256())))
        signature = packed(r.to_bytes(32) + s.to_bytes(32))
        public = {"x": x, "y": y}
        return self.post(
            "/api/pair", {"secret": self.secret, "name": name, "public_key": public, "signature": signature}
        )


@needs_lan
def test_an_app_is_paired_and_follows_by_the_documentation(places):
    """An app that does what the page about the protocol says is paired over the network, and is greeted."""
    with serving(*places, lan=LAN) as home:
        computer = home.browser()
        link = computer.post("/api/devices/pairing", {"scope": "steer"}).json["link"]
        app = App(link, ssl.create_default_context(cadata=home.network.root))
        claimed = app.claim("Zoë’s app")
        assert app.post("/api/pair/finish", {"claim": claimed["claim"]}) == {"is_paired": False}
        computer.post("/api/devices/pairing/answer", {"code": claimed["code"], "is_confirmed": True})
        assert app.post("/api/pair/finish", {"claim": claimed["claim"]}) == {"is_paired": True}
        address = f"{app.address.replace('https', 'wss')}/api/mobile"
        spoken = [Subprotocol("chorus.mobile.v1")]
        own = {"origin": Origin(app.address), "subprotocols": spoken, "additional_headers": {"Cookie": app.cookie}}
        with connect(address, ssl=app.context, **own) as socket:
            socket.send(json.dumps({"type": "subscribe", "ticket": app.post("/api/ticket")["ticket"]}))
            hello = json.loads(socket.recv(timeout=PATIENCE_S))["messages"][0]["message"]
        assert (hello["type"], sorted(hello["scopes"])) == ("hello", ["read", "steer"])
        late = App(link, app.context).claim("again")
        assert late["kind"] == "not_logged_in" and "already" in late["message"]
