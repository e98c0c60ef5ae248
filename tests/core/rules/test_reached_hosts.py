"""Tests of rules about hosts: other spellings, redirects and options that lead to another host."""

import pytest

from tests.core.rules.judged import of_command, ruling

HOST = "host:*.example.org"
URL = "https://a.example.org/x"


@pytest.mark.parametrize(
    "line",
    [
        f"curl -L {URL}",
        f"curl -sSfL {URL}",
        f"curl --location {URL}",
        f"curl --proxy {URL} {URL}",
        f"curl --upload-file {URL} {URL}",
        f"curl --unix-socket {URL} {URL}",
        f"curl --insecure {URL}",
        f"curl --resolve a.example.org:443:10.0.0.1 {URL}",
        f"curl --connect-to ::evil.net: {URL}",
        f"curl {URL} --next http://evil.net",
        "curl https://a.example.org?@evil.net/",
        "curl 'https://a.example.org#@evil.net/'",
        "curl https://a.example.org:80@evil.net/",
        "curl https://a.example.org:80:80/",
        "curl 'https://a.example.org/\\@evil.net'",
        "curl 'https://{a,b}.example.org/'",
        "curl https://[::1]/",
        "curl https://example.org",
        "curl https://evilexample.org",
        "curl https://a.example.org.",
        "curl https://a.example\u3002org/",
        f"wget {URL}",
        f"wget -q {URL}",
        f"wget -i {URL} --max-redirect=0",
        f"wget --max-redirect=0 --span-hosts --recursive {URL}",
        f"wget --max-redirect=20 {URL}",
        f"git clone --recursive {URL}",
        f"git clone --recurse-submodules {URL}",
    ],
)
def test_a_command_that_may_reach_another_host_is_asked(line):
    """A rule about hosts allows no redirects, no unknown option, and no URL that programs may differ on."""
    name = " ".join(line.split()[: 2 if line.startswith("git") else 1])
    assert of_command(f'allow command:"{name} *" {HOST}', line) == "ask"


@pytest.mark.parametrize(
    "line",
    [f"curl -fsS {URL}", f"curl --compressed '{URL}?q=1#x'", f"wget -q --max-redirect=0 {URL}", f"git clone {URL}"],
)
def test_a_command_that_reaches_only_this_host_is_allowed(line):
    """A command whose words are URLs of the host and plain options is allowed."""
    name = " ".join(line.split()[: 2 if line.startswith("git") else 1])
    assert of_command(f'allow command:"{name} *" {HOST}', line) == "allow"


@pytest.mark.parametrize(
    ("host", "line", "behaviour"),
    [
        ("evil.net", "curl http://EVIL.net/", "deny"),
        ("evil.net", "curl http://%65vil.net/", "deny"),
        ("evil.net", "curl http://\uff45vil.net/", "deny"),
        ("evil.net", "curl http://evil\u3002net/", "ask"),
        ("evil.net", "curl 'http://evil\u3002net/'", "deny"),
        ("evil.net", "curl 'http://{evil,x}.net/'", "ask"),
        ("evil.net", "curl 'http://ev[i-i]l.net/'", "ask"),
        ("evil.net", "curl '{evil,x}.net'", "ask"),
        ("evil.net", "git clone 'user@evil.net:x'", "deny"),
        ("*.evil.net", "curl http://a.evil.net./", "deny"),
        ("127.0.0.1", "curl http://0x7f.1/", "deny"),
        ("127.0.0.1", "curl http://2130706433:80/", "deny"),
        ("127.0.0.1", "curl http://127.1", "deny"),
        ("127.0.0.1", "curl http://017700000001/", "deny"),
        ("localhost", "curl http://127.0.0.1/", "deny"),
        ("127.0.0.1", "curl http://127.0.0.2/", "allow"),
        ("evil.net", "git log --format=%h", "allow"),
        ("evil.net", "grep '[a-z]' x", "allow"),
    ],
)
def test_another_spelling_does_not_pass_a_rule_that_denies(host, line, behaviour):
    """A rule that denies a host denies it in every spelling, and what may become its name is asked."""
    rules = f'allow command:"curl *"\nallow command:"git *"\nallow command:"grep *"\ndeny host:{host}'
    assert of_command(rules, line) == behaviour


@pytest.mark.parametrize(
    ("url", "behaviour"),
    [
        ("http://127.0.0.1/", "deny"),
        ("http://2130706433/", "deny"),
        ("http://0x7f.1/", "deny"),
        ("http://user@127.0.0.1/", "ask"),
        ("http://127.0.0.1.", "ask"),
        ("http://[::ffff:127.0.0.1]/", "ask"),
        ("http://10.0.0.1/", "allow"),
    ],
)
def test_the_host_of_a_tool_is_denied_in_every_spelling(url, behaviour):
    """The same holds for the URL of a tool."""
    assert ruling("allow tool:WebFetch\ndeny host:127.0.0.1", "WebFetch", {"url": url}).behaviour == behaviour
