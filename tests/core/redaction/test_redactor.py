"""Tests the redaction of a stream: consistent placeholders, no other changes, and the choices of a person."""

import json
import sys

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from chorus.core.redaction.choices import Choices
from chorus.core.redaction.redactor import Redactor
from chorus.testing.builders import Session
from chorus.testing.builders.secrets import Secrets
from chorus.testing.reading import assert_tiles, split

MADE = {each.kind: each for each in Secrets(seed=5).all()}
TOKEN, MAIL = MADE["github-token"].secret, "mara.lind@brook.io"


def redacted(data: bytes, **choices):
    """Returns the stream after redaction, and the findings."""
    pieces = split(data)
    redactor = Redactor(Choices(**choices))
    redactor.search("session", pieces)
    redactor.settle()
    return b"".join(new + piece.tail for piece, new in redactor.replace("session", pieces)), redactor.found


def talk(*texts) -> bytes:
    session = Session()
    for text in texts:
        session.user(text)
    return bytes(session)


def test_the_same_secret_has_the_same_placeholder():
    """A value in several records has the same placeholder everywhere, and another value has another placeholder."""
    other = MADE["npm-token"].secret
    after, found = redacted(talk(f"use {TOKEN}", f"again {TOKEN}", f"and {other}"))

    assert after.count(b"[github-token-1]") == 2 and after.count(b"[npm-token-1]") == 1
    assert {each.placeholder: each.count for each in found} == {"[github-token-1]": 2, "[npm-token-1]": 1}


def test_a_secret_is_hidden_where_its_name_is_not():
    """A password that one record names is also removed where it occurs without its name, and in base64."""
    from base64 import b64encode

    secret = MADE["named-secret"].secret
    encoded = b64encode(f"x {secret} y".encode()).decode()
    after, _ = redacted(talk(f'DB_PASSWORD="{secret}"', f"typed {secret} twice", f"decode {encoded}"))

    assert secret.encode() not in after and encoded.encode() not in after


def test_names_and_keys_of_json_are_looked_at_together():
    """A value in the input of a tool is found by the name of its key."""
    secret = MADE["named-secret"].secret
    session = Session()
    session.assistant({"type": "tool_use", "id": "toolu_1", "name": "Deploy", "input": {"api_key": secret}})
    after, _ = redacted(bytes(session))

    assert secret.encode() not in after


def test_a_value_is_judged_by_each_key_beside_it():
    """A value beside the name of a secret is found, also if it occurred beside another name before."""
    secret = MADE["named-secret"].secret
    session = Session()
    session.assistant({"type": "tool_use", "id": "toolu_1", "name": "Deploy", "input": {"label": secret}})
    session.assistant({"type": "tool_use", "id": "toolu_2", "name": "Deploy", "input": {"api_key": secret}})
    after, _ = redacted(bytes(session))

    assert secret.encode() not in after


def test_long_texts_are_changed_like_short_ones():
    """In a text that is too long to be remembered, and behind its encodings, the same values are replaced."""
    from base64 import b64encode

    encoded = b64encode(f"the token is {TOKEN}".encode()).decode()
    for size in (1, 10, 1_000):
        lines = talk(f"use {TOKEN}", f"{'word ' * size}{encoded} {TOKEN}", f"{'word ' * size}nothing")
        after, found = redacted(lines)

        assert TOKEN.encode() not in after and encoded.encode() not in after
        assert after.splitlines()[-1] == lines.splitlines()[-1]
        assert [each.count for each in found] == [3]


def test_home_folders_and_user_names():
    """The user's name is hidden in paths, in folder names of the client, and alone, and paths stay readable."""
    after, found = redacted(
        talk("cd /home/mlind/shop", "-home-mlind-shop", r"C:\Users\mlind\x", "drwx mlind staff", "mlindberg")
    )

    assert b"/home/[user-1]/shop" in after and b"-home-[user-1]-shop" in after and b"drwx [user-1] staff" in after
    assert b"mlindberg" in after and b"mlind " not in after
    assert [each.placeholder for each in found] == ["[user-1]"]


def test_a_user_called_like_a_field_breaks_nothing():
    """Fields that programs read keep their values, even if the name of the user is equal to such a value."""
    after, _ = redacted(talk("in /home/user-assistant/x and /home/assistant/y", "assistant"))

    assert all(isinstance(json.loads(line), dict) and json.loads(line)["type"] == "user" for line in after.splitlines())


def test_what_a_person_decides():
    """A person can keep a finding by placeholder, rule or text, replace it by another text, and add texts to hide."""
    lines = talk(f"{TOKEN} {MAIL} Acme")
    for allowed in ("[email-1]", "email-1", "email", "personal", MAIL):
        after, found = redacted(lines, allowed=frozenset({allowed}))
        assert MAIL.encode() in after and TOKEN.encode() not in after
        assert [each.is_allowed for each in found] == [False, True]
    after, _ = redacted(lines, replaced=(("[email-1]", "the author"), ("Acme", "the customer")))
    assert b"the author" in after and b"the customer" in after
    after, found = redacted(lines, added=("Acme",), variables=(("HOST_KEY", "brook"),))
    assert b"[hidden-1]" in after and b"Acme" not in after
    assert redacted(lines, is_on=False)[0] == lines


def test_images_are_flagged():
    """An image is listed with its kind and size, and it is not changed."""
    session = Session()
    data = "iVBORw0KGgo" + "A" * 400
    source = {"type": "base64", "media_type": "image/png", "data": data}
    session.user([{"type": "image", "source": source}])
    after, found = redacted(bytes(session))

    assert after == bytes(session)
    assert [(each.rule.id, each.preview.split(",")[0]) for each in found] == [("image", "PNG")]


def test_a_preview_gives_no_secret_away():
    """The preview of a finding shows only the ends of the secret."""
    _, found = redacted(talk(TOKEN, f"password: {MADE['named-secret'].secret}"))

    assert [each.preview for each in found if each.value in each.preview] == []
    assert all(len(each.preview.partition("…")[0]) <= 4 for each in found)


@given(st.lists(st.one_of(st.text(max_size=60), st.binary(max_size=40).map(repr)), max_size=8))
def test_what_has_no_secret_keeps_every_byte(texts):
    """A stream without findings keeps every byte."""
    data = talk(*texts)
    after, found = redacted(data)

    assert found or after == data


@given(st.binary(max_size=300))
def test_any_bytes_pass(data):
    """Bytes that are no records pass redaction, and the pieces of the output cover all its bytes."""
    after, found = redacted(data)

    assert found or after == data
    assert_tiles(after, split(after))


@given(st.lists(st.sampled_from(sorted(MADE)), min_size=1, max_size=4), st.text(max_size=20))
def test_redaction_is_done_once(kinds, beside):
    """Redacted lines are valid JSON with the same records, and a second redaction changes nothing."""
    data = talk(*(f"{beside} {MADE[kind].line} {beside}" for kind in kinds))
    after, _ = redacted(data)
    again, _ = redacted(after)

    assert [msgspec.json.decode(line)["uuid"] for line in after.splitlines()] == [
        msgspec.json.decode(line)["uuid"] for line in data.splitlines()
    ]
    assert again == after


def test_many_findings_in_one_text_take_linear_time():
    """Four times as many findings in one text take about four times as many steps, and not sixteen times."""
    from chorus.core.redaction.scanner import Scanner

    def steps(number):
        text = " ".join(f"user{n}@brook{n}.io https://a:pw{n:08d}x@h.io" for n in range(number))
        counted = 0

        def count(_frame, event, _argument):
            nonlocal counted
            counted += event == "call"

        sys.setprofile(count)
        try:
            found = Scanner().scan(text)
        finally:
            sys.setprofile(None)
        assert len(found) == 2 * number
        return counted

    assert steps(2_000) < 6 * steps(500)


def test_a_value_is_hidden_beside_its_name_after_it_was_seen_without():
    """A value that was searched without a name is found where a key names it, and then it is hidden everywhere."""
    secret = MADE["named-secret"].secret
    session = Session()
    session.user(secret)
    session.assistant({"type": "tool_use", "id": "toolu_1", "name": "Deploy", "input": {"api_key": [secret, secret]}})
    after, found = redacted(bytes(session))

    assert secret.encode() not in after and [each.count for each in found] == [3]


def test_a_secret_written_with_escapes_is_hidden():
    """A secret of which every character is an escape is found, beside the same secret in plain text or alone."""
    escaped = "".join(f"\\u{ord(each):04x}" for each in TOKEN).encode()
    data = talk("MARK").replace(b"MARK", escaped)
    after, found = redacted(data)

    assert escaped in data and escaped not in after and b"[github-token-1]" in after
    assert [each.value for each in found] == [TOKEN]


def test_fields_of_tools_are_content_whatever_their_names_are():
    """In `name`, `id` and keys of a tool's data, addresses and added texts are hidden; ids of the format stay."""
    session = Session()
    path = f"/home/mlind/{MAIL}"
    given = {"name": f"Mara <{MAIL}>", "id": path, "version": "Acme Shop 2", path: "x", "type": f"by {MAIL}"}
    call = {"type": "tool_use", "id": "toolu_1", "name": "mcp__shop__call", "input": given}
    session.assistant(call)
    session.user("toolu_1 is of Acme Shop")
    after, _ = redacted(bytes(session), added=("Acme Shop",))

    assert not any(each in after for each in (MAIL.encode(), b"mlind", b"Acme Shop"))
    assert b'"mcp__shop__call"' in after and b'"toolu_1"' in after and session.id.encode() in after
