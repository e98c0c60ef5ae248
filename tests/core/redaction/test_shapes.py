"""Measures redaction on secrets in shapes for which no rule has an example of its own, in many encodings."""

import html
import json
import random
from base64 import b64encode, encodebytes
from urllib.parse import quote

import pytest

from chorus.core.redaction.choices import Choices
from chorus.core.redaction.redactor import Redactor
from chorus.core.redaction.scanner import Scanner
from chorus.testing.reading import split
from tests.core.redaction.encoded import session_of
from tests.core.redaction.shapes import SHAPES, shaped

PLANTED = list(shaped(seed=5))


def redacted(texts) -> str:
    """Returns the texts of a session after redaction."""
    pieces = split(bytes(session_of(texts)))
    redactor = Redactor(Choices())
    redactor.search("session", pieces)
    redactor.settle()
    lines = (new for _, new in redactor.replace("session", pieces))
    return "\n".join(json.dumps(json.loads(line), ensure_ascii=False) for line in lines)


def in_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def recall(write, look) -> tuple[float, list[str]]:
    """Returns the share of secrets of which nothing is left, and the shapes of the others.

    `write` gives the text in which a secret is planted, `look` what must not be left of a part of it.
    """
    planted = random.Random(1).sample(PLANTED, len(PLANTED))
    after = redacted(write(each.text) for each in planted)
    left = [each.shape for each in planted if any(in_json(look(part)) in after for part in each.parts)]
    return 1 - len(left) / len(planted), left


def test_the_shapes_are_many():
    """There are at least 300 secrets in at least 60 shapes."""
    assert len(PLANTED) >= 300
    assert len({shape for shape, _, _ in SHAPES}) >= 60


ENCODINGS = {
    "plain": (str, str),
    "json": (lambda text: json.dumps({"line": text}), lambda part: json.dumps(part)[1:-1]),
    "json twice": (lambda text: json.dumps(json.dumps(text)), lambda part: json.dumps(json.dumps(part)[1:-1])[1:-1]),
    "url": (lambda text: f"GET /x?a={quote(text, safe='')}", lambda part: quote(part, safe="")),
    "url twice": (lambda text: f"GET /x?a={quote(quote(text))}", lambda part: quote(quote(part))),
    "html": (lambda text: f"<pre>{html.escape(text)}</pre>", html.escape),
    "hexadecimal": (lambda text: f"data {text.encode().hex()} end", lambda part: part.encode().hex()),
    "escaped bytes": (
        lambda text: "b'" + "".join(f"\\x{byte:02x}" for byte in text.encode()) + "'",
        lambda part: "".join(f"\\x{byte:02x}" for byte in part.encode()),
    ),
    "numbered": (lambda text: "\n".join(f"{n:6}\t{line}" for n, line in enumerate(text.split("\n"), 1)), str),
    "diff": (lambda text: "\n".join(f"+{line}" for line in text.split("\n")), str),
    "box": (lambda text: "\n".join(f"│ {line} │" for line in text.split("\n")), str),
    "colours": (lambda text: f"\x1b[31m{text[:9]}\x1b[1m{text[9:]}\x1b[0m", str),
}


@pytest.mark.parametrize("name", ENCODINGS)
def test_secrets_of_any_shape_are_found(name, capsys):
    """Of at least 98 of 100 secrets nothing is left, and of 99 of 100 that are not encoded."""
    share, left = recall(*ENCODINGS[name])
    with capsys.disabled():
        print(f"\n  redaction, shapes, {name}: {share:.3f} of {len(PLANTED)} found; left: {left}")

    assert share >= (0.99 if name in ("plain", "json") else 0.98)


WHOLE = {
    "base64": lambda text: b64encode(text.encode()).decode(),
    "base64 in rows": lambda text: encodebytes((f"words before it: {text}\n").encode()).decode().strip(),
    "base64 twice": lambda text: b64encode(b64encode(text.encode())).decode(),
    "a dump": lambda text: "\n".join(
        f"{at:08x}: {text.encode()[at : at + 16].hex(' ', 2):<40} ................"
        for at in range(0, len(text.encode()), 16)
    ),
}


@pytest.mark.parametrize("name", WHOLE)
def test_what_encodes_a_secret_is_hidden_as_a_whole(name):
    """At least 98 of 100 texts that hold a secret are not there any more after redaction."""
    after = redacted(
        f"x {WHOLE[name](each.text)} y" if name != "a dump" else WHOLE[name](each.text) for each in PLANTED
    )
    left = [each.shape for each in PLANTED if in_json(WHOLE[name](each.text)) in after]

    assert 1 - len(left) / len(PLANTED) >= 0.98, left


def test_a_value_that_a_terminal_wrapped_is_hidden_completely():
    """The rest of a value in the next row is hidden as well, whatever the name before it is."""
    made = [each for each in shaped(seed=6) if "\n" not in each.text and len(each.secret) >= 20]
    cut = {each: each.text.find(each.secret) + len(each.secret) // 2 for each in made}
    wrapped = [each for each in made if cut[each] >= 16 and cut[each] * 2 >= len(each.text)]
    after = redacted(f"{each.text[: cut[each]]}\n{each.text[cut[each] :]}" for each in wrapped)
    left = [each.shape for each in wrapped if each.text[cut[each] :][: len(each.secret) // 2 - 1] in after]

    assert len(wrapped) > 100
    assert 1 - len(left) / len(wrapped) >= 0.9, left


@pytest.mark.parametrize(
    "text",
    [
        "--- PASS: TestFoo/truncate_at_u2",
        "PASS: TestParser_Level2 (0.00s)",
        "the password is stored in settings.local.json2",
        "key: mise-v0-linux-x64-f804a68745ce7318dacd9fc03814b81b5096313365af949b8b5ab0473a66e624",
        "session_id: 797fa8b6-e95e-4431-beff-a14a09602bdc",
        "TOKEN=$(cat token2)\nMAX_TOKENS=8192",
        "mytool --token-file /run/token2 --max-tokens 8000",
        "das Passwort ist falsch eingegeben",
        "/hooks/useSomethingVeryLong2.ts",
        "auth('user', 'role')",
        "commit 795d6475fd54cb79d84c1486bf39d97508893c3f",
        "| token | string | the token of the request |",
        "password:\n  The password of the user2, at least eight characters",
    ],
)
def test_text_about_secrets_stays(text):
    """Tests, options, tables and identifiers are no secrets."""
    assert [span.value for span in Scanner().scan(text) if span.rule.kind == "secret"] == []
