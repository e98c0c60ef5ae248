"""Checks where a request comes from, by its head alone. Listening on loopback is no protection: any web page that is
open in a browser on this machine can send requests to it.

The Host header must name this server exactly; this stops DNS rebinding. A request that changes something or opens a
socket must come from a page of this server. Host, Origin, Sec-Fetch-Site and our own header show this; a foreign page
cannot forge all four.
"""

from collections.abc import Iterable

from chorus.show.server.errors import Refused

SAFE = frozenset({"GET", "HEAD"})
METHODS = SAFE | {"POST"}
MARK = (b"x-chorus", b"1")
"""A header that a foreign page can send only after a CORS preflight, which this server never answers."""
_OWN, _TYPED = b"same-origin", b"none"


class RequestHead:
    """The head of a request: everything before its body."""

    def __init__(self, kind: str, method: str, path: str, headers: Iterable[tuple[bytes, bytes]]) -> None:
        self.is_socket = kind == "websocket"
        self.method = method
        self.path = path
        self.headers = list(headers)

    def all(self, name: bytes) -> list[bytes]:
        return [value for key, value in self.headers if key == name]

    @property
    def is_api(self) -> bool:
        return self.path == "/api" or self.path.startswith("/api/")


def hosts_of(port: int) -> frozenset[bytes]:
    """Returns the accepted values of the Host header: three spellings of loopback, with the port."""
    names = (b"127.0.0.1", b"localhost", b"[::1]")
    found = {name + b":%d" % port for name in names}
    return frozenset(found | set(names) if port == 80 else found)


def check(head: RequestHead, hosts: frozenset[bytes], *, headers_bytes: int, scheme: bytes = b"http") -> None:
    """Raises `Refused` if the request may not pass. `scheme` is that of the connection."""
    named = head.all(b"host")
    if len(named) != 1 or named[0] not in hosts:
        raise Refused(421, "wrong_host", "The request names another host than this server.")
    if sum(len(key) + len(value) + 4 for key, value in head.headers) > headers_bytes:
        raise Refused(431, "too_large", "The head of the request is too large.")
    if not head.is_socket and head.method not in METHODS:
        raise Refused(405, "not_allowed", "This address does not accept this method.")
    _check_origin(head, scheme + b"://" + named[0])


def _check_origin(head: RequestHead, own: bytes) -> None:
    is_unsafe = head.is_socket or head.method not in SAFE
    origins, sites = head.all(b"origin"), head.all(b"sec-fetch-site")
    if origins != [own] and (is_unsafe or origins):
        raise _foreign()
    if is_unsafe:
        if any(site != _OWN for site in sites) or len(sites) > 1:
            raise _foreign()
        if not head.is_socket and head.all(MARK[0]) != [MARK[1]]:
            raise _foreign()
    elif any(site not in (_OWN, _TYPED) for site in sites) and not _is_visit(head):
        raise _foreign()


def _is_visit(head: RequestHead) -> bool:
    """Returns whether this is a navigation to one of our pages from elsewhere. Pages contain no data before a login."""
    to_page = head.all(b"sec-fetch-mode") == [b"navigate"] and head.all(b"sec-fetch-dest") == [b"document"]
    return to_page and not head.is_api


def _foreign() -> Refused:
    return Refused(403, "foreign", "This request does not come from a page of this server.")
