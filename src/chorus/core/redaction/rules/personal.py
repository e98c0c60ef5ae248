"""What says who and where somebody is: folders, user names, mail addresses, machines."""

from chorus.core.redaction.rule import Rule

HOME, MAIL = "user", "email"

RULES = (
    Rule(
        HOME,
        "User name in a home folder",
        ("/home/", "/users/", "\\users\\"),
        r"(?:/home/|/Users/|(?i:[a-z]:[\\/]{1,4}users[\\/]{1,4}))([A-Za-z0-9][\w.-]{0,63})",
        "Filesystem Hierarchy Standard; macOS and Windows profiles",
        kind="personal",
        is_fixed=False,
    ),
    Rule(
        HOME,
        "User name in a home folder",
        ("-home-", "-users-"),
        r"(?:^|[^\w])-(?:home|Users)-([A-Za-z0-9][\w.]{0,63})",
        "the client's names of project folders",
        kind="personal",
        is_fixed=False,
    ),
    Rule(
        MAIL,
        "Mail address",
        ("@",),
        r"\b([A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@(?:[A-Za-z0-9][A-Za-z0-9-]{0,62}\.){1,5}[A-Za-z]{2,24})\b",
        "RFC 5322: addresses",
        kind="personal",
        is_fixed=False,
    ),
    Rule(
        "host",
        "Name of a machine",
        (".internal", ".local", ".lan", ".corp", ".intra", ".intranet", ".home.arpa", ".ts.net", ".home"),
        r"\b((?:[A-Za-z0-9][A-Za-z0-9-]{0,62}\.){1,6}(?:internal|lan|corp|intra|intranet|home\.arpa|ts\.net)|[A-Za-z0-9][A-Za-z0-9-]{1,62}\.local)(?:[^\w.(-]|\.?$|\.\s)",
        "RFC 6762 and RFC 8375: names of private networks",
        kind="personal",
        is_fixed=False,
    ),
    Rule(
        "address",
        "Address in a private network",
        ("10.", "192.168.", "172.", "100."),
        r"(?:^|[^\w.])((?:10\.[0-9]{1,3}|192\.168|172\.(?:1[6-9]|2[0-9]|3[01])|100\.(?:6[4-9]|[7-9][0-9]|1[01][0-9]|12[0-7]))\.[0-9]{1,3}\.[0-9]{1,3})(?:[^\w.]|\.\s|\.?$)",
        "RFC 1918 and RFC 6598: private addresses",
        kind="personal",
        is_fixed=False,
    ),
)
