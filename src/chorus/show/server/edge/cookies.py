"""The cookie with the secret of a login. All ports of a host share their cookies, so its name contains the port."""

from collections.abc import Iterable

MAX_AGE_S = 30 * 86_400
_RULES = "Path=/; HttpOnly; SameSite=Strict"


def cookie(port: int, secret: str) -> str:
    """Returns the header value that sets the cookie."""
    return f"{name(port)}={secret}; Max-Age={MAX_AGE_S}; {_RULES}"


def no_cookie(port: int) -> str:
    """Returns the header value that deletes the cookie."""
    return f"{name(port)}=; Max-Age=0; {_RULES}"


def name(port: int) -> str:
    return f"chorus_{port}"


def secrets_in(headers: Iterable[tuple[bytes, bytes]], port: int) -> list[str]:
    """Returns the values of our cookie in a request: there may be several, because other pages of this host may set one
    with the same name."""
    wanted = name(port)
    found: list[str] = []
    for key, value in headers:
        if key == b"cookie":
            for part in value.decode("latin-1").split(";"):
                given, _, secret = part.strip().partition("=")
                if given == wanted and secret:
                    found.append(secret)
    return found[:_MAX_SECRETS]


_MAX_SECRETS = 4
