"""Secrets in commands, declarations, addresses and sentences, where no `=` or `:` alone leads to the value."""

from chorus.core.redaction.rule import Rule
from chorus.core.redaction.rules.credentials import NAMES

_VALUE = r"([^\s\"'\x60,;(){}<>\[\]\\]{8,200})"
_OPTION = r"[^\s\"'$<>{}\[\]()|&;-][^\s\"'$<>{}\[\]()|&;]{5,200}"

RULES = (
    Rule(
        "named-secret",
        "Value beside the name of a secret",
        ("secret", "passw", "passphrase", "key", "token", "credential"),
        rf"(?i)(?:<(?:\w{{1,20}}:)?(?:{NAMES}|keyMaterial)>\s{{0,8}}|<key>{NAMES}</key>\s{{0,40}}<string>|\b(?:key|name)=[\"']{NAMES}[\"']\s{{1,4}}value=[\"']"
        rf"|[\"']{NAMES}[\"']\s?(?:,|\{{[^{{}}\n]{{0,80}}default\s?=)\s{{0,2}}[\"'])([^\s\"'<>]{{8,200}})[\"'<\s]",
        "XML elements and attributes, and arguments of functions",
        min_entropy=3.0,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        "named-secret",
        "Value beside the name of a secret",
        ("secret", "passw", "passphrase", "key", "token", "credential"),
        rf"(?i)\b{NAMES}[\w.-]{{0,20}}\s?:\s?[\w&<>|' ]{{1,30}}=\s{{0,2}}@?[\"'\x60]{_VALUE}",
        "declarations with a type",
        min_entropy=3.0,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        "named-secret",
        "Value beside the name of a secret",
        ("define", "setenv", "setx", "set -", "env ", "arg "),
        rf"(?i)\b(?:define|setenv|setx|set(?: -\w{{1,3}}){{1,2}}|env|arg)\s{{1,4}}{NAMES}[\w.-]{{0,20}}"
        rf"\s{{1,4}}[\"']?{_VALUE}",
        "directives of shells, compilers and images",
        min_entropy=3.0,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        "named-secret",
        "Value of a variable for a key",
        ("_key", "_pat", "_pw", "_auth", "_psk"),
        r"\b[A-Z][A-Z0-9_]{0,40}_(?:KEY|PAT|PW|AUTH|PSK)[\"']?\s?[=:]\s?[\"']?(?:base64:)?([\w+/=.~-]{16,200})",
        "names that programs use in environments",
        min_entropy=3.0,
        is_fixed=False,
    ),
    Rule(
        "named-secret",
        "Value that a sentence names",
        ("password", "passphrase", "api key", "secret", "token", "access key"),
        rf"(?i)\b(?:password|passphrase|api key|secret(?: key)?|access key|token)"
        rf"(?: for [\w .-]{{1,30}})?(?: is:?|:)? [\"'\x60]?{_VALUE}",
        "sentences in which a person gives a secret",
        min_entropy=3.3,
        is_fixed=False,
    ),
    Rule(
        "named-password",
        "Password beside its name",
        ("passw", "passphrase", "_pass", "pwd", "secret"),
        r"(?i)\b[\w.-]{0,40}(?:password|passwd|passphrase|pwd|_pass|secret|secret_key)[\"']?\s{0,3}(?:=>|:=|[:=])\s{0,3}@?"
        r"(?:\"([^\"\s\\<>]{8,64})\"|'([^'\s\\<>]{8,64})'|([^\s\"'\x60,;(){}<>\[\]\\]{8,64})(?:[\s\"'\x60,;)\]}]|$))",
        "passwords of people have other characters than keys",
        min_entropy=2.7,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        "command-password",
        "Password of a command",
        ("identified by", "password '", "password e'"),
        r"(?i)\b(?:identified by|password)\s{1,3}e?'([^'\s]{6,200})'",
        "MySQL and PostgreSQL: statements about users",
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        "command-password",
        "Password of a command",
        (
            "docker",
            "podman",
            "az ",
            "mysql",
            "mariadb",
            "htpasswd",
            "ldap",
            "redis-cli",
            "gh secret",
            "sqlcmd",
            "mongo",
        ),
        r"\b(?:(?:docker|podman|helm registry) login\b[^\n]{0,120}? -p[ =]?[\"']?"
        r"|az \w[^\n]{0,160}? -p[ =]?[\"']?|(?:mysql|mariadb)[\w-]{0,12}\b[^\n]{0,120}? -p[\"']?"
        r"|htpasswd (?:-\w{1,6} ){1,3}\S{1,80} \S{1,80} [\"']?|ldap\w{3,8}\b[^\n]{0,120}? -w[ =]?[\"']?"
        r"|redis-cli\b[^\n]{0,120}? -a[ =]?[\"']?|gh secret set [^\n]{0,80}?(?:--body|-b)[ =]?[\"']?"
        r"|sqlcmd\b[^\n]{0,120}? -P[ =]?[\"']?|mongo\w{0,8}\b[^\n]{0,120}? -p[ =]?[\"']?)"
        rf"({_OPTION})",
        "manuals of these programs",
        min_entropy=2.5,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        "command-password",
        "Password of a command",
        ("pass:", "storepass", "keypass", "-password", "chpasswd", "sonar.login", "-psk"),
        r"(?:\b-?pass(?:in|out)?[ =]pass:|\s-k pass:|-(?:src|dest)?(?:storepass|keypass)[ =:]"
        r"|-D[\w.]{0,60}(?:password|sonar\.login|token|secret)="
        rf"|--[\w-]{{1,30}}-password[ =][\"']?)({_OPTION})"
        rf"|echo [\"']?[\w-]{{1,40}}:({_OPTION})[\"']?\s?\|\s?(?:sudo )?chpasswd",
        "OpenSSL, keytool, Java, wget, chpasswd",
        min_entropy=2.5,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        "cookie",
        "Session cookie",
        ("curl", "cookie"),
        r"(?i)\bcurl\b[^\n]{0,200}? (?:-b|--cookie)[ =]?[\"']([\w.-]{1,60}=[^\"'\n]{12,})[\"']",
        "curl: the options for cookies",
        is_fixed=False,
    ),
    Rule(
        "authorization",
        "Value of an authorization header",
        ("authorization",),
        r"(?i)\b(?:proxy-)?authorization[\"']{0,2}\s{0,2}[:=,]\s{0,2}[\"']{0,2}"
        r"(?:[A-Za-z][\w-]{2,20} )?([\w.~+/=:-]{16,})",
        "RFC 9110: credentials are a scheme and a value",
        min_entropy=3.0,
        is_fixed=False,
    ),
    Rule(
        "registry-auth",
        "User and password of a registry",
        ("auth",),
        r"\bauth[\"']?\s?:\s?[\"']([A-Za-z0-9+/]{12,400}={0,2})[\"']?",
        "Docker documentation: config.json",
        min_entropy=3.0,
        is_fixed=False,
    ),
    Rule(
        "url-password",
        "Password in an address",
        ("jdbc:oracle:",),
        r"jdbc:oracle:(?:thin|oci):[\w.$#-]{1,60}/([^\s/@\"'<>]{4,100})@",
        "Oracle: addresses of databases",
        is_fixed=False,
    ),
    Rule(
        "url-token",
        "Token in an address",
        ("://",),
        r"\b[a-z][a-z0-9+.-]{1,20}://([^\s/:@\"'<>\x60{}$]{20,200})@[\w.\[-]",
        "RFC 3986: user information of an address",
        min_entropy=3.0,
        is_fixed=False,
    ),
    Rule(
        "url-parameter",
        "Secret in the query of an address",
        ("key=", "sig=", "signature=", "auth=", "token=", "secret=", "code=", "sas="),
        r"(?i)[?&;](?:[\w.-]{0,30}(?:key|signature|token|secret)|sig|auth|sas|code)=([\w%./+~-]{16,400})",
        "signed addresses, and keys in addresses",
        min_entropy=3.0,
        is_fixed=False,
    ),
    Rule(
        "connection-password",
        "Password of a connection",
        ("password=", "pwd="),
        r"(?i)[?&](?:password|pwd)=([^&;\"'\s${}<>#]{4,200})",
        "JDBC: properties of a connection in its address",
        min_entropy=2.0,
        is_fixed=False,
    ),
    Rule(
        "password-hash",
        "Hash of a password",
        ("$1$", "$2a$", "$2b$", "$2y$", "$5$", "$6$", "$y$", "$argon2", "$apr1$"),
        r"(\$2[aby]\$[0-9]{2}\$[./A-Za-z0-9]{53}"
        r"|\$(?:[156]|apr1)\$(?:rounds=[0-9]{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{22,86}"
        r"|\$y\$[./A-Za-z0-9]{1,10}\$[./A-Za-z0-9]{1,86}\$[./A-Za-z0-9]{43}"
        r"|\$argon2(?:id|i|d)\$v=[0-9]{1,3}\$[\w=,]{1,60}\$[A-Za-z0-9+/]{8,64}\$[A-Za-z0-9+/]{16,128})",
        "crypt(5) and the argon2 reference: encoded hashes",
    ),
)
