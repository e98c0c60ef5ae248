"""How a phone gets the certificate that it has to trust: two public addresses without a login.

The page does not show the fingerprint. Before the phone trusts the certificate, somebody else may have sent the page,
and would show the fingerprint of their own. The fingerprint is compared with the one in the terminal.
"""

from collections.abc import Callable

from chorus.show.server.edge.asgi import App, Receive, Scope, Send

PAGE = "/trust"
CERTIFICATE = "/trust/chorus.crt"
_TEXT = b"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Trust this Chorus</title>
<h1>Trust this Chorus</h1>
<p>Your browser may have warned you: it does not know the certificate of this computer yet.</p>
<ol>
<li><a href="/trust/chorus.crt">Download the certificate</a>.</li>
<li>On the computer, run <code>chorus phone trust</code>. It shows a fingerprint (SHA-256).</li>
<li>On an iPhone or iPad, open Settings, then Profile Downloaded. Open More Details, then the certificate.
On Android, search for "CA certificate" in the settings and choose the file.</li>
<li>Compare the fingerprint in the settings of the phone with the one in the terminal. If one pair differs, remove
the certificate: somebody in this network sent you theirs. This page shows no fingerprint, because they could change
it.</li>
<li>On an iPhone or iPad, also switch it on: Settings, General, About, Certificate Trust Settings.</li>
<li>On the computer, run <code>chorus phone pair</code>, and scan the QR code.</li>
</ol>
<p>The certificate is good for this one computer. No other site can use it.</p>
</html>
"""


def with_trust_page(pages: App, certificate: Callable[[], bytes]) -> App:
    """Returns `pages` with the page and the certificate (DER) in addition, if there is one."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        found = certificate()
        if scope["path"] not in (PAGE, CERTIFICATE) or not found:
            await pages(scope, receive, send)
            return
        is_page = scope["path"] == PAGE
        kind, body = (b"text/html; charset=utf-8", _TEXT) if is_page else (b"application/x-x509-ca-cert", found)
        headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})

    return answer
