"""The headers that every response has."""

from chorus.show.server.edge.asgi import Headers

POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' blob:; "
    b"connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; "
    b"frame-ancestors 'none'; base-uri 'none'; object-src 'none'; "
    b"require-trusted-types-for 'script'; trusted-types chorus"
)
ALWAYS: Headers = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
DEFAULTS: Headers = [(b"content-security-policy", POLICY), (b"cache-control", b"no-store")]
"""For responses that do not set these themselves: files have a stricter policy, assets may be cached."""
_REMOVED = {name for name, _ in ALWAYS} | {b"server"}


def with_security_headers(headers: Headers) -> Headers:
    """Returns the headers of a response with ours added, and without any that let another origin read it."""
    own = [(name.lower(), value) for name, value in headers]
    own = [(name, value) for name, value in own if name not in _REMOVED and not name.startswith(b"access-control-")]
    given = {name for name, _ in own}
    return own + ALWAYS + [(name, value) for name, value in DEFAULTS if name not in given]
