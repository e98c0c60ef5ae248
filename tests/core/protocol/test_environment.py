"""D2: Tests which environment variables the client gets."""

import pytest

from chorus.core.protocol.environment import allowed, environment, missing_endpoint_variables, withheld
from chorus.errors import ChorusError

PRESENT = {
    "HOME": "/home/x",
    "PATH": "/bin",
    "LANG": "C",
    "LC_ALL": "C.UTF-8",
    "XDG_CONFIG_HOME": "/c",
    "ANTHROPIC_API_KEY": "k",
    "ANTHROPIC_BASE_URL": "http://evil",
    "NODE_OPTIONS": "--require=/x.js",
    "LD_PRELOAD": "/x.so",
    "BASH_ENV": "/x",
    "PYTHONPATH": "/x",
    "AWS_SECRET_ACCESS_KEY": "s",
    "CHORUS_HOME": "/c",
    "CLAUDECODE": "1",
}
LOADERS = ["NODE_OPTIONS", "LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "PYTHONPATH", "CHORUS_RUN"]


def test_only_what_is_on_the_list_is_passed_on():
    """The client gets the variables of the list that are set, and the two variables that Chorus adds."""
    assert environment(PRESENT, named=(), run="r1") == {
        "HOME": "/home/x",
        "PATH": "/bin",
        "LANG": "C",
        "LC_ALL": "C.UTF-8",
        "XDG_CONFIG_HOME": "/c",
        "ANTHROPIC_API_KEY": "k",
        "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS": "1",
        "CHORUS_RUN": "r1",
    }


def test_what_the_person_named_is_passed_on_with_the_value_it_has():
    """A variable that a person named is passed on with its value if it is set."""
    found = environment(PRESENT, named=["AWS_SECRET_ACCESS_KEY", "ANTHROPIC_BASE_URL", "NOT_THERE"], run="r1")

    assert found["AWS_SECRET_ACCESS_KEY"] == "s"
    assert found["ANTHROPIC_BASE_URL"] == "http://evil"
    assert "NOT_THERE" not in found


@pytest.mark.parametrize("name", LOADERS)
def test_what_would_load_code_cannot_be_named(name):
    """A variable that loads code is refused in the settings, which may be hostile, and when an agent is created."""
    assert name not in environment({name: "x"}, named=[name], run="r") or name == "CHORUS_RUN"
    assert environment({name: "x"}, named=[name], run="r").get("CHORUS_RUN") == "r"
    with pytest.raises(ChorusError, match=name):
        allowed(name)


@pytest.mark.parametrize("name", ["", "A=B", "A B", "1A", "A\0", "é"])
def test_what_is_no_name_is_refused(name):
    """A text that is no valid name of a variable is refused."""
    with pytest.raises(ChorusError):
        allowed(name)


ELSEWHERE = {
    "a gateway": ({"ANTHROPIC_BASE_URL": "https://gateway.example"}, ["ANTHROPIC_BASE_URL"]),
    "bedrock": (
        {"CLAUDE_CODE_USE_BEDROCK": "1", "AWS_REGION": "eu-west-1", "AWS_PROFILE": "work"},
        ["CLAUDE_CODE_USE_BEDROCK", "AWS_PROFILE", "AWS_REGION"],
    ),
    "vertex": (
        {"CLAUDE_CODE_USE_VERTEX": "true", "CLOUD_ML_REGION": "europe-west1", "ANTHROPIC_VERTEX_PROJECT_ID": "p"},
        ["CLAUDE_CODE_USE_VERTEX", "ANTHROPIC_VERTEX_PROJECT_ID", "CLOUD_ML_REGION"],
    ),
    "foundry": ({"CLAUDE_CODE_USE_FOUNDRY": "1"}, ["CLAUDE_CODE_USE_FOUNDRY"]),
    "google cloud": (
        {"CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD": "1", "ANTHROPIC_GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_X": "y"},
        ["CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD", "ANTHROPIC_GOOGLE_CLOUD_PROJECT", "GOOGLE_X"],
    ),
    "the client's gateway": ({"CLAUDE_CODE_USE_GATEWAY": "true"}, ["CLAUDE_CODE_USE_GATEWAY"]),
    "aws": ({"ANTHROPIC_AWS_BASE_URL": "https://x.example"}, ["ANTHROPIC_AWS_BASE_URL"]),
    "mantle": ({"ANTHROPIC_BEDROCK_MANTLE_BASE_URL": "https://x.example"}, ["ANTHROPIC_BEDROCK_MANTLE_BASE_URL"]),
    "an address of a newer client": (
        {"ANTHROPIC_NEXT_BASE_URL": "https://x.example"},
        ["ANTHROPIC_NEXT_BASE_URL"],
    ),
    "a provider of a newer client": ({"CLAUDE_CODE_USE_ANTHROPIC_NEXT": "1"}, ["CLAUDE_CODE_USE_ANTHROPIC_NEXT"]),
}


@pytest.mark.parametrize("where", ELSEWHERE)
def test_what_decides_where_requests_go_is_never_dropped_in_silence(where):
    """A variable that selects the endpoint is reported, with those that belong to it, unless all are passed on."""
    present, wanted = ELSEWHERE[where]
    assert missing_endpoint_variables({"HOME": "/h", "ANTHROPIC_API_KEY": "k", **present}, named=()) == wanted
    assert missing_endpoint_variables({"HOME": "/h", **present}, named=wanted) == []


@pytest.mark.parametrize("value", ["", "0", "false", "https://api.anthropic.com", "https://api.anthropic.com/"])
def test_a_value_that_changes_nothing_is_no_reason(value):
    """A variable that keeps the default endpoint is not reported."""
    assert missing_endpoint_variables({"ANTHROPIC_BASE_URL": value, "CLAUDE_CODE_USE_BEDROCK": value}) == []


@pytest.mark.parametrize("name", ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"])
def test_proxies_are_given_along(name):
    """Proxy variables are passed on, in upper and lower case."""
    assert environment({name: "x", name.lower(): "y"}) == {name: "x", name.lower(): "y"}


def test_what_is_kept_back_is_known():
    """The variables that are not passed on are listed, including those that load code."""
    assert withheld({"HOME": "/h", "B": "", "A": "1", "LD_PRELOAD": "x"}, named=["A", "LD_PRELOAD"]) == [
        "B",
        "LD_PRELOAD",
    ]
