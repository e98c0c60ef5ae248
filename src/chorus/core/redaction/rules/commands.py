"""Secrets in commands of a shell: after options whose names say so, and where single programs expect them."""

from chorus.core.redaction.rule import Rule
from chorus.core.redaction.rules.values import ANY, BARE, QUOTED

_ID, _TITLE = "command-password", "Password of a command"
_REST = r"[^\n|;&]{0,160}?"
"""What may be between the name of a program and an option."""

RULES = (
    Rule(
        _ID,
        _TITLE,
        ("password", "passwd", "passphrase", "token", "secret", "key", "-pass", "credential"),
        r"(?i)(?:^|[\s\"'\x60])--?[\w.-]{0,40}(?:password|passwd|passphrase|pass|token|secret|secret-string|api-?key"
        rf"|access-?key|secret-?key|auth-?key|n?key-?secret|private-?key|nkey|credentials?)[ =]{ANY}",
        "options of the command line whose names say that a secret follows",
        min_entropy=2.5,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        _ID,
        _TITLE,
        (
            *("zip ", "7z", "unrar", "mosquitto", "ipmitool", "twine", "security ", "ssh-keygen", "snmp", "curl -u"),
            *("smbclient", "freerdp", "net use", "rabbitmqctl", "mc alias", "poetry", "nmcli", "nickserv", "http -a"),
            *("https -a", "--auth", "sqlplus", "openssl", "securestring", "curl ", "mount.cifs", "rdesktop", "lftp"),
        ),
        rf"(?i)\b(?:(?:un)?zip\b{_REST} -P ?|7z[ar]?\b{_REST} -p|(?:un)?rar\b{_REST} -h?p"
        rf"|mosquitto_\w{{1,8}}\b{_REST} -P "
        rf"|ipmitool\b{_REST} -P |twine\b{_REST} -p |security (?:add|set)-\S{{1,40}}\b{_REST} -[wp] "
        rf"|ssh-keygen\b{_REST} -[NP] ?|snmp\w{{1,10}}\b{_REST} -[AX] |curl\b{_REST} -u ?[\"']?[\w.@+-]{{1,80}}:"
        rf"|https?\b{_REST} (?:-a|--auth)[ =][\"']?[\w.@+-]{{1,80}}:|smbclient\b{_REST} -U ?[\"']?[\w.\\-]{{1,80}}%"
        rf"|x?freerdp3?\b{_REST} /p:|rdesktop\b{_REST} -p ?|net use\b{_REST} /user:\S{{1,80}} "
        rf"|rabbitmqctl\b{_REST} (?:add_user|change_password) \S{{1,80}} "
        rf"|mc\b{_REST} (?:alias set|host add) \S{{1,60}} \S{{1,120}} \S{{1,80}} "
        rf"|poetry config (?:pypi-token\.\S{{1,60}}|http-basic\.\S{{1,60}} \S{{1,80}}) |nmcli\b{_REST} password "
        rf"|nickserv identify (?:\S{{1,40}} )?|sqlplus\b{_REST} [\w.-]{{1,60}}/|lftp\b{_REST} -u [\w.-]{{1,60}},"
        rf"|openssl (?:enc|passwd|aes\S{{1,20}})\b{_REST} -(?:k|1|5|6|apr1) |convertto-securestring (?:-string )?)"
        r"(?:\"([^\"\s]{8,100})\"|'([^'\s]{8,100})'|([^\s\"'\x60,;(){}<>\[\]|$@&][^\s\"'\x60,;(){}<>\[\]|@&]{7,100}))",
        "manuals of these programs",
        min_entropy=2.5,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        _ID,
        _TITLE,
        ("sudo ", "password-stdin", "data-file=-", "passwd", "with-token", "secret", "login"),
        r"\b(?:echo|printf)(?: -\w{1,3}){0,2} (?:%s )?(?:[\"']([^\"'\s\\]{8,100})(?:\\n[^\"'\n]{0,100})?[\"']"
        rf"|{BARE}) ?\|[^\n|]{{0,80}}?(?:sudo -S|-stdin|-file[= ]-|\bpasswd|--with-token|\bsecrets?\b|\blogin\b)",
        "programs that read a secret from standard input",
        min_entropy=2.5,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        _ID,
        _TITLE,
        ("password ", "passwd ", "pass "),
        rf"(?:(?:^|\n)\s{{0,8}}(?:set )?|\blogin \S{{1,80}}\s{{1,8}})(?:password|passwd"
        rf"|pass)\s{{1,8}}{ANY}[ \t]{{0,8}}(?:\r?\n|$)",
        "mail programs and .netrc: a name and a value on a line of their own",
        min_entropy=2.5,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        _ID,
        _TITLE,
        ("<<<",),
        rf"\b(?:sudo -S|passwd|login|cryptsetup|gpg|keepassxc-cli|bw|ansible-vault|kinit|smbpasswd"
        rf"|ssh-add)\b[^\n<]{{0,120}}<<< ?{ANY}",
        "Bash manual: here strings",
        min_entropy=2.5,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        _ID,
        _TITLE,
        ("expect", "auth ", "chpasswd"),
        r"(?:\bsend(?: --)? [\"']([^\"'\s\\]{8,100})\\[rn]|> ?AUTH (?:\w{1,40} )?([^\s\"']{8,100})"
        r"|[\"'][\w.-]{1,40}:([^\s\"']{8,100})[\"'] ?\| ?(?:sudo )?chpasswd)",
        "Expect, Redis and chpasswd: what is sent after a prompt",
        min_entropy=2.5,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        _ID,
        _TITLE,
        ("login ", "authtoken", "shodan", " auth ", "apikey ", "config set", "configure set", "config add", "wandb"),
        r"(?:\b(?:cargo|vault|wandb|snyk|gem|doctl|fly|flyctl|railway|huggingface-cli|hf|render|modal|supabase"
        r"|vercel|netlify|ngrok|shodan|sentry-cli|tea|op|bw|hcloud|linode-cli|infisical|doppler|prefect|dvc)"
        r"(?: \w[\w-]{1,20}){0,2} (?:login|auth|init|add-authtoken|authtoken|signin|unlock|token)"
        r"|\bconfig(?:ure)? (?:set|add)(?: -\w| --\w{1,20})? \S{0,80}(?:[Tt]oken|[Ss]ecret|[Pp]assword|_key"
        r"|[Kk]ey|_auth))"
        rf"[ =]{ANY}",
        "programs that are logged in with a key",
        min_entropy=3.0,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        _ID,
        _TITLE,
        ("password =", "password=", "password n'", "pgp_sym", "aes_encrypt", "aes_decrypt", "encryption by password"),
        r"(?i)(?:\bpassword\s{0,3}=?\s{0,3}n?'([^'\s]{6,100})'"
        r"|\b(?:pgp_sym_(?:en|de)crypt|aes_(?:en|de)crypt)\([^\n]{1,120}?,\s?'([^'\s]{6,100})'\s?[,)])",
        "SQL Server, pgcrypto and MySQL: passwords in statements",
        min_entropy=2.5,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        "argument-secret",
        "Secret among the arguments of a function",
        ("auth", "login(", "connect(", "credential"),
        r"(?i)\b(?:auth|basic_?auth|\w{0,20}auth|login|log_?in|sign_?in|\w{0,20}credentials?)\s?(?:[=:]\s?)?[(\[]\s?"
        rf"[\"'][^\"'\s]{{1,80}}[\"']\s?,\s?{QUOTED}|\bconnect\(\s?[\"'][^\"'\s]{{1,80}}[\"']\s?,"
        rf"\s?[\"'][^\"'\s]{{1,80}}[\"']\s?,\s?{QUOTED}",
        "functions that take a user and a password",
        min_entropy=2.5,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        "argument-secret",
        "Secret among the arguments of a function",
        ("jwt", "hmac", "fernet", "cipher", "signer", "serializer(", "expresssession"),
        rf"(?i)\b(?:jwt\w{{0,20}}\.(?:encode|decode|sign|verify)|hmac(?:\.new|\.digest)?|createhmac|fernet|aesgcm"
        rf"|createcipheriv|\w{{0,30}}serializer|cookie_?signer|timestampsigner)\([^\n\"']{{0,80}}"
        rf"(?:[\"'][\w-]{{1,20}}[\"'],\s?)?b?{QUOTED}",
        "functions that sign or encrypt with a key",
        min_entropy=3.0,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        "argument-secret",
        "Secret among the arguments of a function",
        (
            "setpassword",
            "setapikey",
            "setsecret",
            "settoken",
            "setcredential",
            "setaccesskey",
            "setprivatekey",
            "userpwd",
        ),
        rf"(?i)(?:\bset_?(?:\w{{0,20}})(?:password|api_?key|secret|token|access_?key|private_?key)\(\s?{QUOTED}"
        r"|_userpwd,\s?[\"'][\w.@+-]{1,60}:([^\"'\s]{6,100})[\"'])",
        "methods that set a secret; cURL in programs",
        min_entropy=2.7,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        "argument-secret",
        "Secret among the arguments of a function",
        ("buffer.from(", "unhexlify(", "fromhex(", "b64encode("),
        r"(?i)\b(?:key|secret|iv|seed)\w{0,20}\s?=\s?(?:\w{1,20}\.)?(?:from|unhexlify|fromhex)\([\"']"
        r"([A-Za-z0-9+/=]{16,400})[\"']"
        r"|\bb64encode\(b?[\"'][\w.@+-]{1,60}:([^\"'\s]{6,100})[\"']",
        "keys that a program decodes, and basic authentication that it makes",
        min_entropy=2.7,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        _ID,
        _TITLE,
        (
            "auth plain",
            "auth login",
            "requirepass",
            "masterauth",
            "\npass ",
            "setcookie",
            "identified by",
            "password(",
            "_auth:",
            "_auth=",
        ),
        r"(?i)(?:\bauth (?:plain|login) |\b(?:requirepass|masterauth) |\npass |-setcookie |\bidentified by \""
        r"|\bpassword\('"
        r"|_auth[=:]\s?[\w.-]{1,40}:)([^\s\"']{8,400})",
        "SMTP, FTP, Redis, Erlang, SQL: what follows a word of the protocol",
        min_entropy=2.5,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        _ID,
        _TITLE,
        ("curl",),
        r"\bcurl\b[^\n|;&]{0,160}? (?:-u|--user)[ =]?[\"']?([A-Za-z0-9_-]{20,200}):(?:[\s\"']|$)",
        "curl: a key in the place of the user",
        min_entropy=3.0,
        is_fixed=False,
    ),
    Rule(
        _ID,
        _TITLE,
        (" -p ", "/p:", " /p ", "%", "login ", "keymaterial"),
        r"(?:(?:-u|--user|--username)[ =]\S{1,80} (?:-\S{1,20} ){0,2}-p[ =]?|\bsigntool\b[^\n]{0,160}? /p "
        r"|\bcertutil -p "
        r"| -U ?[\w.\\-]{1,60}%|\bLOGIN \S{1,80} [\"']?|\bkeyMaterial=)[\"']?"
        r"([^\s\"'\x60,;(){}<>\[\]|$%-][^\s\"'\x60,;(){}<>\[\]|]{7,100})",
        "options for a password after one for a user, as many programs have them",
        min_entropy=2.7,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        "argument-secret",
        "Secret among the arguments of a function",
        (".encrypt(", ".decrypt(", "compress(", "'key' =>", '"key" =>', '"key": "', '"secret": "', '"key":"'),
        rf"(?i)(?:cryptojs\.\w{{1,20}}\.(?:en|de)crypt|minizip\.compress)\([^\n]{{1,120}}?,\s?{QUOTED}"
        r"|[\"']key[\"'] => [\"']([A-Fa-f0-9]{32,64})[\"']"
        r"|\"(?:jwt|jwtsettings|auth\w{0,20}|encryption|signing)\"\s?:\s?\{[^{}]{0,160}?\"(?:key"
        r"|secret)\"\s?:\s?\"([^\"\s\\]{16,400})\"",
        "keys in settings and calls of libraries that encrypt",
        min_entropy=2.7,
        is_fixed=False,
        is_password=True,
    ),
)
