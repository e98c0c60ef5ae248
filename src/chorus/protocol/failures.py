"""Why a client ended, in words for a person, with the way out: told from its exit code and what it said last."""

from chorus.protocol.launch import OLDEST_CLIENT

_TERMINATED, _KILLED = 15, 9
_MOST_WORDS = 600
_LOGIN = ("not logged in", "please run /login", "invalid api key", "authentication_failed", "oauth token")

_LOGGED_OUT = "the client is not logged in: run `claude` once and log in, or set ANTHROPIC_API_KEY; then try again"


def advice(result: str) -> str:
    """What to do about a turn that failed with these words, where the client's own are of no use outside of it."""
    return _LOGGED_OUT if _is_about_login(result) else ""


def explain(code: int | None, *, complaint: str, result: str, is_error: bool, was_told: bool) -> tuple[bool, str]:
    """Whether a run failed, and what to say about its end.

    `complaint` is the end of standard error, `result` what the last turn said, `was_told` whether we ended the client.
    """
    said = _short(complaint)
    if was_told:
        return False, "stopped"
    if (is_error and _is_about_login(result)) or (code and _is_about_login(complaint)):
        return True, _LOGGED_OUT
    if code == 0:
        return is_error, _short(result) if is_error else ""
    if "unknown option" in complaint:
        oldest = ".".join(map(str, OLDEST_CLIENT))
        return (
            True,
            f"the client refused an option ({said}): Chorus needs Claude Code {oldest} or newer; `claude update`",
        )
    if "is already in use" in complaint:
        return True, f"{said} Another client works on it; stop that one, or fork the session with --fork"
    if "No conversation found" in complaint or "No conversation found" in result:
        return True, "the client does not know the session; `chorus restore ID` writes it back from the vault"
    if code is not None and code < 0:
        name = {_TERMINATED: "was terminated", _KILLED: "was killed"}.get(-code, f"died of signal {-code}")
        return True, f"the client {name}" + (
            f": {said}" if said else ""
        ) + "; `chorus resume` goes on from where it was"
    if is_error and result:
        return True, _short(result)
    return True, f"the client ended with exit code {code}" + (f": {said}" if said else "")


def _is_about_login(text: str) -> bool:
    lower = text.lower()
    return any(words in lower for words in _LOGIN)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MOST_WORDS else "…" + line[-_MOST_WORDS:]
