"""The cookie that holds a session's secret. Cookies are shared by all ports of a host, hence a name for each port."""

from collections.abc import Iterable

MAX_AGE_S = 30 * 86_400
_RULES = "Path=/; HttpOnly; SameSite=Strict"


def cookie(port: int, secret: str) -> str:
    """The header that gives a browser its session."""
    return f"{name(port)}={secret}; Max-Age={MAX_AGE_S}; {_RULES}"


def no_cookie(port: int) -> str:
    """The header that takes it away."""
    return f"{name(port)}=; Max-Age=0; {_RULES}"


def name(port: int) -> str:
    return f"chorus_{port}"


def secrets_in(headers: Iterable[tuple[bytes, bytes]], port: int) -> list[str]:
    """Every value that the request has under our name: another page of this host may have set one beside ours."""
    wanted = name(port)
    found: list[str] = []
    for key, value in headers:
        if key == b"cookie":
            for part in value.decode("latin-1").split(";"):
                given, _, secret = part.strip().partition("=")
                if given == wanted and secret:
                    found.append(secret)
    return found[:_MOST]


_MOST = 4
