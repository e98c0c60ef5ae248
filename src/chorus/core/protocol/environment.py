"""The client's environment: what is on a list, what the person named, and what Chorus adds. Nothing else reaches it."""

import re
from collections.abc import Iterable, Mapping

from chorus.errors import ChorusError

RUN_VARIABLE = "CHORUS_RUN"
"""Marks every process of a run with the run's id."""
PASSED = frozenset(
    {
        "HOME", "PATH", "SHELL", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TERM", "COLORTERM", "TMPDIR",
        "SSH_AUTH_SOCK", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR",
        "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
        "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "SYSTEMROOT", "COMSPEC", "APPDATA", "LOCALAPPDATA",
    }
)  # fmt: skip
"""Passed on from the environment Chorus was started in."""
KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN")
_ENDPOINTS = {
    "ANTHROPIC_BASE_URL": ("ANTHROPIC_CUSTOM_HEADERS",),
    "ANTHROPIC_UNIX_SOCKET": (),
    "CLAUDE_CODE_API_BASE_URL": (),
    "CLAUDE_CODE_USE_BEDROCK": ("AWS_", "ANTHROPIC_BEDROCK_", "CLAUDE_CODE_SKIP_BEDROCK_AUTH", "BEDROCK_"),
    "CLAUDE_CODE_USE_MANTLE": ("AWS_", "ANTHROPIC_BEDROCK_"),
    "CLAUDE_CODE_USE_ANTHROPIC_AWS": ("AWS_", "ANTHROPIC_AWS_"),
    "ANTHROPIC_BEDROCK_BASE_URL": ("AWS_",),
    "CLAUDE_CODE_USE_VERTEX": (
        "ANTHROPIC_VERTEX_", "CLOUD_ML_REGION", "VERTEX_REGION_", "GOOGLE_", "GCLOUD_", "CLAUDE_CODE_SKIP_VERTEX_AUTH",
    ),
    "ANTHROPIC_VERTEX_BASE_URL": ("ANTHROPIC_VERTEX_", "CLOUD_ML_REGION", "GOOGLE_"),
    "CLAUDE_CODE_USE_FOUNDRY": ("ANTHROPIC_FOUNDRY_", "AZURE_"),
    "ANTHROPIC_FOUNDRY_BASE_URL": ("ANTHROPIC_FOUNDRY_", "AZURE_"),
    "ANTHROPIC_FOUNDRY_RESOURCE": ("ANTHROPIC_FOUNDRY_", "AZURE_"),
}  # fmt: skip
"""Where requests go, and what belongs to each: names, or how they begin."""
_USUAL = ("", "0", "false", "no", "off", "https://api.anthropic.com")
"""Values that change nothing."""
_PASSED_GROUPS = ("LC_", "XDG_")
_ADDED = {"CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS": "1"}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_NEVER = frozenset({"NODE_OPTIONS", "NODE_PATH", "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PS4", "IFS"}) | frozenset(
    {"PERL5OPT", "PERL5LIB", "RUBYOPT", "RUBYLIB", "JAVA_TOOL_OPTIONS", "GIT_SSH_COMMAND", "CLAUDECODE"}
)
_NEVER_GROUPS = ("LD_", "DYLD_", "PYTHON", "BASH_FUNC_", "CHORUS_", "BUN_")
"""What would load code into the client, or into what it starts, before either can ask anybody."""


def environment(present: Mapping[str, str], *, named: Iterable[str] = (), run: str | None = None) -> dict[str, str]:
    """What the client is given of the `present` environment, and what is added to it for a `run`.

    `named` are variables that the person allowed by name. Only their names are taken from settings, never values.
    """
    wanted = {name for name in named if may_be_named(name)}
    found = {
        name: value
        for name, value in present.items()
        if name in PASSED or name in wanted or (name.startswith(_PASSED_GROUPS) and not _is_never(name))
    }
    return found | _ADDED | {RUN_VARIABLE: run} if run is not None else found


def withheld(present: Mapping[str, str], *, named: Iterable[str] = ()) -> list[str]:
    """The variables that the client is not given."""
    return sorted(present.keys() - environment(present, named=named).keys())


def misdirected(present: Mapping[str, str], *, named: Iterable[str] = ()) -> list[str]:
    """The variables to allow, so that the client asks the same endpoint as it would in the person's own shell.

    Empty when it does. First those that decide where requests go, then what is set beside them.
    """
    kept_back = withheld(present, named=named)
    decisive = [name for name in kept_back if name in _ENDPOINTS and _decides(present[name])]
    beside = tuple(part for name in decisive for part in _ENDPOINTS[name])
    return [*decisive, *(name for name in kept_back if beside and name.startswith(beside) and name not in decisive)]


def _decides(value: str) -> bool:
    return value.strip().rstrip("/").lower() not in _USUAL


def may_be_named(name: str) -> bool:
    """Whether a person may allow this variable."""
    return _NAME.fullmatch(name) is not None and not _is_never(name)


def allowed(name: str) -> str:
    """`name`, if it may be allowed; `ChorusError` otherwise."""
    if not may_be_named(name):
        raise ChorusError(f"{name!r}: no variable that an agent may be given: it is no name, or it would load code")
    return name


def _is_never(name: str) -> bool:
    return name in _NEVER or name.startswith(_NEVER_GROUPS)
