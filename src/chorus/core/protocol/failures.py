"""Explains why a client ended, and what to do about it, from its exit code and its last output."""

from collections.abc import Mapping

from chorus.core.protocol.launch import OLDEST_CLIENT

_SIGNALS = {2: "was interrupted", 9: "was killed", 15: "was terminated"}
_SHELL = 128
"""A client that handles a signal exits with this number plus the signal's number, like a shell."""
_MAX_WORDS = 600
_LOGIN = (
    "not logged in", "please run /login", "authentication_failed", "oauth token", "invalid api key",
    "invalid x-api-key", "invalid bearer token", "authentication_error", "api error: 401",
)  # fmt: skip
_KEYS = ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN")

_LOGGED_OUT = "the client is not logged in: run `claude` once and log in, or set ANTHROPIC_API_KEY; then try again"
_REFUSED = (
    "the API refused the key in {} (401): set one that is valid, or unset it and log in with `claude`; then try again"
)
_RESUME_HINT = "`chorus resume` continues where it ended"


def keys_of(environment: Mapping[str, str]) -> str:
    """Returns the names of the variables that the client logs in with, joined by "and"; empty if none is set."""
    return " and ".join(name for name in _KEYS if environment.get(name))


def advice(result: str, keys: str = "") -> str:
    """Returns what to do about a turn that failed with this text; empty if the client's own message is enough.

    `keys` are the variables that it logs in with, from `keys_of`. The client's message is the same for a refused key
    and for a missing one.
    """
    lower = result.lower()
    if not any(words in lower for words in _LOGIN):
        return ""
    return _REFUSED.format(keys) if keys else _LOGGED_OUT


def explain(
    code: int | None, *, complaint: str, result: str, is_error: bool, was_stopped: bool, keys: str = ""
) -> tuple[bool, str]:
    """Returns whether a run failed, and a message about its end.

    `complaint` is the end of standard error, `result` the text of the last turn, `was_stopped` whether Chorus ended the
    client. `code` is None if no process was left that could report it.
    """
    error_text = _short(complaint)
    if was_stopped:
        return False, "stopped"
    if what_to_do := (advice(result, keys) if is_error else "") or (advice(complaint, keys) if code else ""):
        return True, what_to_do
    if code is None:
        return True, f"its warden was killed, and the client with it; {_RESUME_HINT}"
    if code == 0:
        return is_error, _short(result) if is_error else ""
    if "unknown option" in complaint:
        oldest = ".".join(map(str, OLDEST_CLIENT))
        return (
            True,
            f"the client refused an option ({error_text}): Chorus needs Claude Code {oldest} or newer; `claude update`",
        )
    if "is already in use" in complaint:
        return True, f"{error_text} Another client works on it; stop that one, or fork the session with --fork"
    if "No conversation found" in complaint or "No conversation found" in result:
        return True, "the client does not know the session; `chorus restore ID` writes it back from the vault"
    if code < 0 or code - _SHELL in _SIGNALS:
        number = -code if code < 0 else code - _SHELL
        name = _SIGNALS.get(number, f"died of signal {number}")
        return True, f"the client {name}" + (f": {error_text}" if error_text else "") + f"; {_RESUME_HINT}"
    if is_error and result:
        return True, _short(result)
    return True, f"the client ended with exit code {code}" + (f": {error_text}" if error_text else "")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_WORDS else "…" + line[-_MAX_WORDS:]
