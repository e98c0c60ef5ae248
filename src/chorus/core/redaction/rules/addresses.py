"""Addresses that are secrets themselves: who knows them may post, read, or log in."""

from chorus.core.redaction.rule import Rule

RULES = (
    Rule(
        "webhook-address",
        "Address that only its owner knows",
        (
            *("/hook/", "/hooks/", "/trigger/", "hc-ping.com", "/private-", ".alchemy.com/", "infura.io/", "/webhook"),
            *("quiknode.pro", "ntfy.sh/", "webhook.site/", "pipedream.net", "ankr.com/", "/ical/"),
        ),
        r"://[\w.-]{3,100}(?::[0-9]{1,5})?/(?:[\w./%@-]{0,120}/)?"
        r"(?:hooks?(?:/catch/[0-9]{1,12})?/|webhooks?/(?:v[0-9]/)?|with/key/|v[23]/|private-)([A-Za-z0-9][\w-]{15,100})",
        "Zapier, IFTTT, Mattermost, Feishu, Alchemy, Infura, private calendars: addresses with a key in the path",
        min_entropy=3.0,
        is_fixed=False,
    ),
    Rule(
        "webhook-address",
        "Address that only its owner knows",
        ("hc-ping.com/", "webhook.site/", "quiknode.pro/", "pipedream.net"),
        r"(?:hc-ping\.com|webhook\.site|quiknode\.pro)/([\w-]{20,64})|\b([a-z0-9]{16,40})\.m\.pipedream\.net",
        "Healthchecks, Webhook.site, QuickNode, Pipedream",
        is_fixed=False,
    ),
    Rule(
        "url-token",
        "Token in an address",
        ("/verify", "/reset", "/confirm", "/magic", "/invite", "/login/", "/activate", "/unsubscribe"),
        r"(?i)://[^\s\"'<>?#]{3,200}/(?:verify|verification|reset[\w-]{0,20}|confirm[\w-]{0,20}|magic[\w-]{0,20}"
        r"|invites?|invitation|login|activate|unsubscribe)/([A-Za-z0-9][\w.-]{19,400})",
        "links that log in or confirm",
        min_entropy=3.0,
        is_fixed=False,
    ),
    Rule(
        "url-parameter",
        "Secret in the query of an address",
        ("appid=", "token=", "session=", "sessionid=", "sid=", "pass=", "pw=", "ticket=", "otp="),
        r"(?i)[?&#;](?:app_?id|[\w.-]{0,30}token|session(?:_?id)?|sid|pass|pw|ticket|otp)=([\w%./+~-]{16,800})",
        "keys in addresses",
        min_entropy=3.0,
        is_fixed=False,
    ),
    Rule(
        "url-password",
        "Password in an address",
        ("://",),
        r"\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s/:@\"'<>\x60]{0,100}:([^\s\"'<>\x60]{3,100})@[\w-][\w.-]{0,200}(?::[0-9]{2,5})?(?:[/?#\s\"'\x60,;)]|$)",
        "addresses in which the password was not escaped",
        min_entropy=2.0,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        "url-password",
        "Password in an address",
        ("@tcp(", "@unix(", "@(", ":5432:", ":5433:", ":6432:", ":*:", "@//"),
        r"[\w.-]{1,60}:([^\s\"'\x60/]{6,100})@(?:tcp|udp|unix)?\([\w./:-]{3,200}\)"
        r"|(?:^|[^\w.*-])[\w.*-]{1,200}:(?:[0-9]{4,5}|\*):[\w*-]{1,63}:[\w.*-]{1,63}:([^\s:][^\s]{5,200})",
        "Go MySQL driver: data source names; PostgreSQL: the password file",
        min_entropy=2.5,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        "telegram-token",
        "Telegram bot token",
        ("/bot",),
        r"/bot([0-9]{8,10}:AA[\w-]{32,34})",
        "Telegram documentation: addresses of the Bot API",
    ),
    Rule(
        "authorization",
        "Value of an authorization header",
        ("authorization", "oauth "),
        r"(?i)(?:authorization|\boauth )[^\n]{0,400}?\b(?:signature|response|oauth_token|oauth_token_secret|token)="
        r"[\"']?([\w%+/=~.-]{16,400})",
        "RFC 7616 and request signing: values inside of a header",
        min_entropy=3.0,
        is_fixed=False,
    ),
)
