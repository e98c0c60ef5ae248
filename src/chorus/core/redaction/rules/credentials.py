"""Secrets of no particular service: private keys, signed tokens, passwords in addresses, and values beside a name.

A value beside a name has no format of its own. It counts only if it looks random (`min_entropy`) or follows a word that
leaves no doubt; `doubtful.py` says which values are code, examples or references.
"""

from chorus.core.redaction.rule import Rule

NAMES = (
    r"(?:[\w.-]{0,40}(?:secret|passwd|password|passphrase|api[_-]?key|access[_-]?key|private[_-]?key|encryption[_-]?key"
    r"|(?:signing|auth|master|app|application|admin|shared|account|subscription|functions?|license|deploy|unseal|hmac|jwt"
    r"|webhook|service|server|root|session|cookie|storage|instrumentation|vapid|preshared|recovery)[_ -]?key"
    r"|(?:auth|access|refresh|bearer|id|api|bot|csrf|session|identity|device|login|reset|invite|registration|deploy|join"
    r"|verification|security|service|user|client|oauth|jwt|sas|push|personal|web|job|runner|npm|github)[_-]?token"
    r"|secret id|credentials?)"
    r"|[\w.-]{0,40}[_.-](?:token|pwd|pw|pass|pat|psk|secret|salt)|token|pwd|psk)"
)
"""Names beside which a value that looks random is a secret."""
_BESIDE = r"[\w.-]{0,20}[\"'\x60]{0,2}\]?\s{0,12}(?:=>|:=|[:=])[*]{0,2}\s{0,3}(?:[bru@][\"']|[\"'\x60]{0,2})"

PRIVATE_KEY = Rule(
    "private-key",
    "Private key",
    ("private key",),
    r"(-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[^-]|-[^-]){16,}(?:-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----)?)",
    "RFC 7468 and RFC 4880: textual encodings of keys",
    has_lines=True,
)
RULES = (
    PRIVATE_KEY,
    Rule(
        "private-key",
        "Private key",
        ("private key",),
        r"([A-Za-z0-9+/]{40,}[A-Za-z0-9+/=\s→|>]*-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----)",
        "RFC 7468: the end of a key of which the beginning is not shown",
        has_lines=True,
    ),
    Rule(
        "private-key",
        "Private key",
        ("private key ----", "static key"),
        r"(---- BEGIN SSH2 (?:ENCRYPTED )?PRIVATE KEY ----[^-]{16,}(?:---- END SSH2 (?:ENCRYPTED )?PRIVATE KEY ----)?"
        r"|-----BEGIN OpenVPN Static key V1-----[^-]{16,}(?:-----END OpenVPN Static key V1-----)?)",
        "RFC 4716 and OpenVPN manual: key files",
        has_lines=True,
    ),
    Rule(
        "putty-key",
        "PuTTY private key",
        ("putty-user-key-file",),
        r"(PuTTY-User-Key-File-[23]:[\s\S]{40,}?Private-MAC: [a-f0-9]{40,64})",
        "PuTTY documentation: PPK file format",
        has_lines=True,
    ),
    Rule(
        "json-web-token",
        "JSON web token",
        ("eyj",),
        r"\b(eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{16,})",
        "RFC 7519: JSON web tokens",
    ),
    Rule(
        "bearer",
        "Bearer token",
        ("bearer ",),
        r"(?i)\bbearer ([\w.~+/-]{20,}={0,3})",
        "RFC 6750: bearer tokens",
        min_entropy=3.0,
        is_fixed=False,
    ),
    Rule(
        "basic-auth",
        "Basic authentication",
        ("basic ",),
        r"(?i)authorization[\"']{0,2}\s{0,2}[:=,]\s{0,2}[\"']{0,2}basic ([A-Za-z0-9+/]{8,}={0,2})(?:[^\w+/=-]|$)",
        "RFC 7617: basic authentication",
        is_fixed=False,
    ),
    Rule(
        "url-password",
        "Password in an address",
        ("://",),
        r"\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s/:@\"'<>\x60]{0,100}:([^\s/@\"'<>\x60:]{3,})@[\w.\[-]",
        "RFC 3986: user information of an address",
        is_fixed=False,
    ),
    Rule(
        "command-password",
        "Password of a command",
        ("-u ", "--user ", "--password", "--token", "sshpass", "pgpassword", "mysql_pwd", "docker login"),
        r"(?:(?:-u|--user)[ =][\"']?[\w.@+-]{1,80}:|--(?:password|token|secret|api-key)[ =][\"']?"
        r"|sshpass -p ?[\"']?|PGPASSWORD=[\"']?|MYSQL_PWD=[\"']?)([^\s\"'$<>{}\[\]()]{6,})",
        "curl, docker, PostgreSQL and MySQL: options of the command line",
        min_entropy=2.5,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        "netrc-password",
        "Password in .netrc",
        ("machine ",),
        r"\bmachine \S{1,}\s{1,8}login \S{1,100}\s{1,8}password (\S{4,})",
        "GNU inetutils: the .netrc file",
        is_fixed=False,
    ),
    Rule(
        "connection-password",
        "Password of a connection",
        ("password=", "pwd="),
        r"(?i);\s{0,2}(?:password|pwd)=([^;\"'\s${}<>]{4,})",
        "ADO and ODBC: connection strings",
        is_fixed=False,
    ),
    Rule(
        "named-secret",
        "Value beside the name of a secret",
        (
            *("secret", "passw", "passphrase", "key", "token", "credential", "pwd", "_pass", "_pw", "_pat", "psk"),
            "salt",
        ),
        rf"(?i)\b{NAMES}{_BESIDE}([^\s\"'\x60,;(){{}}<>\[\]\\]{{8,}})",
        "names that programs use in settings and environments",
        min_entropy=3.0,
        is_fixed=False,
    ),
)
