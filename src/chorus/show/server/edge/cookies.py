"""The cookie with the secret of a login. All ports of a host share their cookies, so its name contains the port."""

from collections.abc import Iterable

MAX_AGE_S = 30 * 86_400
_RULES = "Path=/; HttpOnly; SameSite=Strict"


def cookie(port: int, secret: str, *, is_tls: bool = False) -> str:
    """Returns the header value that sets the cookie."""
    return f"{name(port, is_tls=is_tls)}={secret}; Max-Age={MAX_AGE_S}; {_rules(is_tls=is_tls)}"


def no_cookie(port: int, *, is_tls: bool = False) -> str:
    """Returns the header value that deletes the cookie."""
    return f"{name(port, is_tls=is_tls)}=; Max-Age=0; {_rules(is_tls=is_tls)}"


def name(port: int, *, is_tls: bool = False) -> str:
    """Over TLS the prefix keeps other servers of the host, and plain HTTP, from setting the cookie."""
    return f"__Host-chorus_{port}" if is_tls else f"chorus_{port}"


def _rules(*, is_tls: bool) -> str:
    return f"{_RULES}; Secure" if is_tls else _RULES


def secrets_in(headers: Iterable[tuple[bytes, bytes]], port: int, *, is_tls: bool = False) -> list[str]:
    """Returns the values of our cookie in a request: there may be several, because other pages of this host may set one
    with the same name."""
    wanted = name(port, is_tls=is_tls)
    found: list[str] = []
    for key, value in headers:
        if key == b"cookie":
            for part in value.decode("latin-1").split(";"):
                given, _, secret = part.strip().partition("=")
                if given == wanted and secret:
                    found.append(secret)
    return found[:_MAX_SECRETS]


_MAX_SECRETS = 4
