"""Secrets whose name is a value itself: lists of names and values, blocks of a name and a default, tables."""

from chorus.core.redaction.rule import Rule
from chorus.core.redaction.rules.credentials import NAMES
from chorus.core.redaction.rules.values import ANY, QUOTED

_ID, _TITLE = "named-secret", "Value beside the name of a secret"
_WORDS = ("secret", "passw", "passphrase", "key", "token", "credential", "pwd", "_pass", "_pw", "_pat", "psk")
_NAME = rf"[\w./:-]{{0,60}}?{NAMES}[\w.-]{{0,20}}"
_BETWEEN = r"[\s|│>→+0-9-]{0,60}"
"""What may be between two lines: an indent, the marks of a diff or a quotation, the number of a line."""
_COOKIE = r"[\w.-]{0,40}(?:sess(?:ion)?|sid|auth|token|jwt|csrf|remember|login|identity)[\w.-]{0,20}"

RULES = (
    Rule(
        _ID,
        _TITLE,
        ("value", '"val"', "default", "content", "--secret-string"),
        rf"(?i)\b(?:name|key|variable|field|label)[\"']?(?:\s?[=:]\s?|\s)[\"']?{_NAME}[\"']?\s{{0,4}}[,;]?{_BETWEEN}"
        r"(?:--?type \w{1,20} |[\"']?type[\"']?\s?[=:]\s?[\"']?\w{1,30}[\"']?\s{0,4},?\s{0,60})?"
        rf"(?:--)?[\"']?(?:value|val|content|default|string)[\"']?(?:\s?[=:]\s?|\s){ANY}",
        "lists of names and values: Kubernetes, containers, parameters",
        min_entropy=2.5,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        _ID,
        _TITLE,
        ('"value":', "'value':", "value:", "value=", '"val":', '"value" :', '"content":'),
        rf"(?i)[\"']?\b(?:value|val|content)[\"']?\s?[=:]\s?{ANY}\s{{0,4}},?\s{{0,60}}"
        rf"[\"']?(?:name|key)[\"']?\s?[=:]\s?[\"']?{_NAME}[\"'\s]",
        "lists of values and names",
        min_entropy=2.5,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        _ID,
        _TITLE,
        ("default =", "default=", '{"value"', '{ "value"', '"sensitive"', "\n  value"),
        rf"(?i)\b{NAMES}[\"']?\s?(?:[=:]\s?)?\{{[^{{}}]{{0,120}}?\b(?:value|default|content)[\"']?\s?[=:]\s?{ANY}",
        "Terraform: variables and outputs",
        min_entropy=2.5,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        _ID,
        _TITLE,
        ("_id  ", "_token  ", "_key  ", "token  ", "password  ", "secret  ", "token\t", "password\t", "_key\t"),
        rf"(?i)(?:^|\n)\s{{0,8}}\|?\s?{NAMES}\s{{0,40}}(?:  |\t|\|)\s{{0,40}}([\w.+/=-]{{12,200}})\s{{0,40}}"
        rf"(?:\||\n|$)",
        "tables of names and values, as Vault prints them",
        min_entropy=3.0,
        is_fixed=False,
    ),
    Rule(
        _ID,
        _TITLE,
        ("pass:", "pass =", "pass=", "pass'", 'pass"', "pw:", "pw =", "pw="),
        rf"(?:^|[^\w.-])(?:(?:pass|pw)[\"']?\s?[:=]\s?|PASS=){ANY}",
        "short names in settings",
        min_entropy=2.7,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        _ID,
        _TITLE,
        ("x-session", "x-token", "x-auth", "unseal key"),
        r"(?i)\b(?:x-(?:session(?:-id)?|token|auth(?:-\w{1,20})?)[\"']?\s?[:=]\s?[\"']?|unseal key [0-9]{1,2}:\s{1,4})"
        r"([\w.+/=-]{16,400})",
        "headers of applications; keys that Vault prints",
        min_entropy=3.0,
        is_fixed=False,
    ),
    Rule(
        _ID,
        _TITLE,
        ("get;",),
        rf"(?i)\b{NAMES}\s?\{{\s?get;[^{{}}\n]{{0,40}}\}}\s?=\s?{QUOTED}",
        "C#: properties with a value",
        min_entropy=2.5,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        _ID,
        _TITLE,
        ("kty", '"oct"'),
        r"\"kty\"[^{}]{0,900}?\"(?:d|k)\"\s?:\s?\"([\w-]{16,800})\"",
        "RFC 7517: JSON web keys",
        is_fixed=False,
    ),
    Rule(
        _ID,
        _TITLE,
        ("-oauth", 'bearer"', "http-basic", "gitlab-token"),
        r"\"(?:github-oauth|gitlab-oauth|gitlab-token|bearer|bitbucket-oauth)\"\s?:\s?\{\s?\"[\w.-]{3,80}\"\s?:\s?"
        r"\"([\w-]{16,200})\"",
        "Composer documentation: authentication",
        min_entropy=3.0,
        is_fixed=False,
    ),
    Rule(
        "cookie",
        "Session cookie",
        ("cookie", "httponly", "sessid", "sessionid=", "session_id=", "connect.sid", " sid=", "true\t", "false\t"),
        rf"(?i)(?:\"name\"\s?:\s?\"{_COOKIE}\"\s?,\s{{0,40}}\"value\"\s?:\s?\"([^\"\s\\]{{12,}})\""
        rf"|\bcookies?[\"']?\s?[=:]\s?\{{?\s?[\"']?{_COOKIE}[\"']?\s?[=:]\s?[\"']?([\w%.~+/:-]{{12,}})"
        rf"|(?:TRUE|FALSE)\t\S{{0,200}}\t(?:TRUE|FALSE)\t[0-9]{{1,12}}\t[^\s]{{1,80}}\t([^\s]{{12,}})"
        rf"|\b(?:PHPSESSID|JSESSIONID|ASP\.NET_SessionId|connect\.sid|session_?id|sid)=([\w%.~+/:-]{{16,400}}))",
        "cookies of browsers and of libraries, and the Netscape cookie file",
        min_entropy=3.0,
        is_fixed=False,
    ),
)
