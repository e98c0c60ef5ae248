"""Secrets that a person gives in a sentence, in several languages."""

from chorus.core.redaction.rule import Rule

SAID = "said-password"
_ID, _TITLE = SAID, "Secret that a sentence gives"
_ENGLISH = ("password", "passphrase", "passcode", "api key", "credentials", "access key")
_LATIN = (
    *("passwort", "kennwort", "zugangsdaten", "schlüssel", "mot de passe", "contraseña", "contrasena", "clave"),
    *("senha", "parola", "wachtwoord", "hasło", "haslo", "lösenord", "adgangskode", "passord", "salasana", "heslo"),
    *("jelszó", "şifre", "sifre", "mật khẩu", "kata sandi", "lozinka", "geslo", "slaptažodis", "parool", "jeton"),
)
_OTHER = (
    "пароль",
    "паролем",
    "ключ",
    "密码",
    "密碼",
    "口令",
    "密钥",
    "パスワード",
    "暗証",
    "비밀번호",
    "암호",
    "كلمة المرور",
    "סיסמה",
    "รหัสผ่าน",
    "κωδικός",
)
_IS = (
    r"(?:\s(?:is|was|to|with|ist|lautet|war|est|es|é|è|era|jest|är|er|on|je|este|now)(?::|\s)|[=:：]|\s[—–]\s"
    r"|は|是|为|為|은\s|는\s)"
)
_SAID = (
    r"(?:\"([^\"\s\\<>/]{8,64})\"|'([^'\s\\<>/]{8,64})'|\x60([^\x60\s\\<>/]{8,64})\x60"
    r"|([^\s\"'\x60,;(){}<>\[\]\\|/=:*][^\s\"'\x60,;(){}<>\[\]\\|/=:]{7,64}))"
)
"""What a person may write as a password in a sentence. Paths, places in files and marks of Markdown are none."""

_CHARS = r"[A-Za-z0-9!#$%^&*+@?_~-]"
_TURN = r"(?:[a-z][A-Z0-9!#$%^&*+@?_~-]|[A-Z][0-9!#$%^&*+@?_~-]|[0-9][A-Za-z!#$%^&*+@?_~-]|[!#$%^&*+@?_~-][A-Za-z0-9])"
"""Where a text changes between small letters, capitals, digits and marks."""
_MIXED = rf"({_CHARS}{{0,24}}{_TURN}{_CHARS}{{0,24}}{_TURN}{_CHARS}{{0,24}}{_TURN}{_CHARS}{{0,24}})"
NEAR = "mixed-password"

RULES = (
    Rule(
        NEAR,
        "Mixed characters near the name of a secret",
        (
            "passw",
            "pwd",
            "passphrase",
            "creds",
            "credential",
            " pw ",
            "pw:",
            "unlock",
            "keychain",
            "log in",
            "secret",
            "_pass",
        ),
        r"(?is)(?:passw(?:or)?d|\bpwd|passphrase|\bcreds|credential|\bpw\b|\bunlock|\bkeychain|\blog in\b|secret"
        r"|_pass\b).{0,70}?"
        rf"(?-i:[\s\"'\x60=:>/%(|,]{_MIXED}(?:[\s\"'\x60,;)<|@]|$))",
        "passwords that programs made up, where a word near them says what they are",
        min_entropy=3.0,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        NEAR,
        "Mixed characters near the name of a secret",
        (
            "as password",
            "as the password",
            "as my password",
            "for password",
            "is the password",
            "as pw",
            "to log in",
            "to unlock",
        ),
        r"(?:^|[\s\"'\x60=:>/(])([A-Za-z0-9!#$%^&*+@?_~-]{10,60})[\"'\x60]? "
        r"(?i:(?:as|for|is) (?:the |my |our |your )?(?:password|pwd|pw)\b|to (?:log in|unlock))",
        "the same, with the word after it",
        min_entropy=3.0,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        _ID,
        _TITLE,
        _ENGLISH,
        r"(?i)\b(?:password|passphrase|passcode|api key|access key|credentials)"
        r"(?: [^\n=:]{0,40})?(?:\s(?:is|was|to|with|now)(?::|\s)|:)\s{0,3}"
        rf"(?:[\w.@+-]{{1,40}}\s?[:/]\s?)?{_SAID}",
        "sentences in English",
        min_entropy=2.7,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        _ID,
        _TITLE,
        ("password for",),
        rf"(?i)\bpassword for [^\n]{{1,120}}?: ?{_SAID}",
        "programs that ask for a password at a terminal",
        min_entropy=2.7,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        _ID,
        _TITLE,
        (*_LATIN, *_OTHER, "password"),
        rf"(?i)(?:{'|'.join((*_LATIN, *_OTHER, 'password'))})[^\n=:：]{{0,40}}?{_IS}\s{{0,3}}[«„“「]?{_SAID}",
        "sentences in other languages",
        min_entropy=2.7,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        _ID,
        _TITLE,
        ("log in", "login", "sign in", "username", "credentials", "creds"),
        r"(?i)\b(?:log in|login|sign in|credentials|creds|username)\b[^\n]{0,30}?\s[\w.@+-]{1,60}(?:\s?:|\s/)\s?"
        rf"{_SAID}",
        "sentences with a user and a password",
        min_entropy=2.7,
        is_fixed=False,
        is_password=True,
    ),
    Rule(
        _ID,
        _TITLE,
        ("password", "passphrase", "token", "key", "secret"),
        r"(?i)\b(?:password|passphrase|token|key|secret)\b[^\n]{0,60}?:?\s{0,3}\n\s{0,8}\n?\s{0,8}"
        r"([\w.+/=!#*-]{16,200})[\s│]{0,4}(?:\n|$)",
        "programs that print a secret on a line of its own",
        min_entropy=3.0,
        is_fixed=False,
    ),
    Rule(
        _ID,
        _TITLE,
        ("key ", "token ", "secret "),
        r"(?i)\b(?:api|access|secret|openai|auth|bearer|deploy|using|my|this|our|bot|account)?[ -]?(?:key|token|secret)"
        r"(?: is| =|:)? [\"'\x60]?([A-Za-z0-9_]{24,200})\b",
        "sentences that give a key without a verb",
        min_entropy=3.5,
        is_fixed=False,
    ),
    Rule(
        "seed-phrase",
        "Seed phrase of a wallet",
        (
            "mnemonic",
            "seed phrase",
            "seed words",
            "recovery phrase",
            "secret phrase",
            "seed_phrase",
            "12 words",
            "24 words",
        ),
        r"(?i)\b(?:mnemonic|(?:seed|recovery|secret)[ _](?:phrase|words)|(?:12"
        r"|24) words)\b[^\n:=]{0,40}[:=]\s{0,4}[\"']?"
        r"([a-z]{3,8}(?:[ ,]{1,2}[a-z]{3,8}){11,23})\b",
        "BIP 39: mnemonic sentences",
        is_fixed=False,
    ),
    Rule(
        "recovery-code",
        "Recovery code",
        ("recovery key", "bitlocker", "recovery password"),
        r"\b((?:[0-9]{6}-){7}[0-9]{6})\b",
        "BitLocker documentation",
    ),
    Rule(
        "recovery-code",
        "Recovery code",
        ("recovery code", "backup code", "scratch code"),
        r"(?i)(?:recovery|backup|scratch) codes?\b[^\n]{0,60}\n"
        r"((?:[\s|│>→+-]{0,8}(?:[0-9]{1,6}[.)→ \t]{1,3})?[A-Za-z0-9]{4,10}[- ]?[A-Za-z0-9]{4,10}[\s│]{0,8}"
        r"(?:\n|$)){2,24})",
        "recovery codes of two-factor logins",
        is_fixed=False,
        has_lines=True,
    ),
)
