"""Builds the environment of the client: listed variables, those that the person allowed, and those that Chorus adds.

Nothing else reaches the client.
"""

import re
from collections.abc import Iterable, Mapping

from chorus.errors import ChorusError

RUN_VARIABLE = "CHORUS_RUN"
"""Marks every process of a run with the id of the run."""
PASSED = frozenset(
    {
        "HOME", "PATH", "SHELL", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TERM", "COLORTERM", "TMPDIR",
        "SSH_AUTH_SOCK", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR",
        "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
        "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "SYSTEMROOT", "COMSPEC", "APPDATA", "LOCALAPPDATA",
    }
)  # fmt: skip
"""Variables that are copied from the environment of Chorus."""
KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN")
_ENDPOINTS = {
    "ANTHROPIC_BASE_URL": ("ANTHROPIC_CUSTOM_HEADERS",),
    "ANTHROPIC_UNIX_SOCKET": (),
    "CLAUDE_CODE_API_BASE_URL": (),
    "CLAUDE_CODE_USE_GATEWAY": ("CLAUDE_CODE_GATEWAY_", "CLAUDE_GATEWAY_"),
    "CLAUDE_CODE_USE_BEDROCK": ("AWS_", "ANTHROPIC_BEDROCK_", "CLAUDE_CODE_SKIP_BEDROCK_AUTH", "BEDROCK_"),
    "CLAUDE_CODE_USE_MANTLE": ("AWS_", "ANTHROPIC_BEDROCK_"),
    "CLAUDE_CODE_USE_ANTHROPIC_AWS": ("AWS_", "ANTHROPIC_AWS_"),
    "ANTHROPIC_AWS_BASE_URL": ("AWS_", "ANTHROPIC_AWS_"),
    "ANTHROPIC_BEDROCK_BASE_URL": ("AWS_",),
    "ANTHROPIC_BEDROCK_MANTLE_BASE_URL": ("AWS_",),
    "CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD": ("ANTHROPIC_GOOGLE_CLOUD_", "CLOUD_ML_REGION", "GOOGLE_", "GCLOUD_"),
    "ANTHROPIC_GOOGLE_CLOUD_BASE_URL": ("ANTHROPIC_GOOGLE_CLOUD_", "GOOGLE_", "GCLOUD_"),
    "CLAUDE_CODE_USE_VERTEX": (
        "ANTHROPIC_VERTEX_", "CLOUD_ML_REGION", "VERTEX_REGION_", "GOOGLE_", "GCLOUD_", "CLAUDE_CODE_SKIP_VERTEX_AUTH",
    ),
    "ANTHROPIC_VERTEX_BASE_URL": ("ANTHROPIC_VERTEX_", "CLOUD_ML_REGION", "GOOGLE_"),
    "CLAUDE_CODE_USE_FOUNDRY": ("ANTHROPIC_FOUNDRY_", "AZURE_"),
    "ANTHROPIC_FOUNDRY_BASE_URL": ("ANTHROPIC_FOUNDRY_", "AZURE_"),
    "ANTHROPIC_FOUNDRY_RESOURCE": ("ANTHROPIC_FOUNDRY_", "AZURE_"),
}  # fmt: skip
"""Variables that determine where requests go, and the variables that belong to each: names, or prefixes of names."""
_NEW_ENDPOINT = re.compile(r"ANTHROPIC_[A-Z0-9_]*_BASE_URL|CLAUDE_CODE_USE_ANTHROPIC_[A-Z0-9_]+")
"""What such variables of newer clients are called."""
_NEUTRAL_VALUES = ("", "0", "false", "no", "off", "https://api.anthropic.com")
"""Values that do not change the endpoint."""
_PASSED_GROUPS = ("LC_", "XDG_")
_ADDED = {"CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS": "1"}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_NEVER = frozenset({"NODE_OPTIONS", "NODE_PATH", "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PS4", "IFS"}) | frozenset(
    {"PERL5OPT", "PERL5LIB", "RUBYOPT", "RUBYLIB", "JAVA_TOOL_OPTIONS", "GIT_SSH_COMMAND", "CLAUDECODE"}
)
_NEVER_GROUPS = ("LD_", "DYLD_", "PYTHON", "BASH_FUNC_", "CHORUS_", "BUN_")
"""Prefixes (and above, names) of variables that would load code into the client or its child processes before a person
is asked for permission."""


def environment(variables: Mapping[str, str], *, named: Iterable[str] = (), run: str | None = None) -> dict[str, str]:
    """Returns the part of the environment `variables` that the client gets, plus the additions for a `run`.

    `named` are variables that the person allowed by name. Settings contain only their names, never their values.
    """
    wanted = {name for name in named if may_be_allowed(name)}
    found = {
        name: value
        for name, value in variables.items()
        if name in PASSED or name in wanted or (name.startswith(_PASSED_GROUPS) and not _is_never(name))
    }
    return found | _ADDED | {RUN_VARIABLE: run} if run is not None else found


def withheld(variables: Mapping[str, str], *, named: Iterable[str] = ()) -> list[str]:
    """Returns the names of the variables that the client does not get."""
    return sorted(variables.keys() - environment(variables, named=named).keys())


def missing_endpoint_variables(variables: Mapping[str, str], *, named: Iterable[str] = ()) -> list[str]:
    """Returns the variables to allow so that the client uses the same endpoint as in the person's own shell.

    Empty if it does already. First come the variables that select the endpoint, then those that belong to them.
    """
    missing = withheld(variables, named=named)
    selecting = [name for name in missing if _is_of_endpoint(name) and _selects_endpoint(variables[name])]
    related = tuple(part for name in selecting for part in _ENDPOINTS.get(name, ()))
    return [*selecting, *(name for name in missing if related and name.startswith(related) and name not in selecting)]


def _is_of_endpoint(name: str) -> bool:
    return name in _ENDPOINTS or _NEW_ENDPOINT.fullmatch(name) is not None


def _selects_endpoint(value: str) -> bool:
    return value.strip().rstrip("/").lower() not in _NEUTRAL_VALUES


def may_be_allowed(name: str) -> bool:
    """Returns whether a person may allow this variable."""
    return _NAME.fullmatch(name) is not None and not _is_never(name)


def allowed(name: str) -> str:
    """Returns `name` if it may be allowed; otherwise raises `ChorusError`."""
    if not may_be_allowed(name):
        raise ChorusError(f"{name!r}: not a variable that an agent may get: it is not a name, or it would load code")
    return name


def _is_never(name: str) -> bool:
    return name in _NEVER or name.startswith(_NEVER_GROUPS)
