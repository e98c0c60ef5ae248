"""Tests the versions of files that are rebuilt from the records of a client."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chorus.core.file_versions.files import files_of
from chorus.core.file_versions.model import Cause, Certainty
from chorus.testing.builders import tool_use
from tests.core.file_versions.simulated_client import FOLDER, SimulatedClient

EXACT, REBUILT, UNKNOWN = Certainty.EXACT, Certainty.REBUILT, Certainty.UNKNOWN


def versions(client, name="a.txt"):
    """Returns the versions of one file as pairs of certainty and content."""
    (file,) = (each for each in files_of([client.conversation()], client.backup) if each.path == f"{FOLDER}/{name}")
    return [(each.certainty, file.content(each)) for each in file.versions]


def last(client, name="a.txt"):
    (file,) = (each for each in files_of([client.conversation()], client.backup) if each.path == f"{FOLDER}/{name}")
    return file.last


@pytest.mark.parametrize(
    "content",
    [
        b"one\ntwo\n",
        b"one\r\ntwo\r\n",
        b"\xef\xbb\xbfone\ntwo\n",
        b"one\ntwo",
        b"\tone\n\t\ttwo\n",
        "one\ntwo ☃ \U0001f600\u2028\n".encode(),
        "\ufeffone\ntwo\n".encode("utf-16-le"),
        b"one\r\ntwo\nthree\r\n",
    ],
)
def test_an_edit_after_a_backup_is_exact(content):
    """With a backup of the client, an edited file is exact in line endings, marks, encoding and last line."""
    client = SimulatedClient({"a.txt": content})
    client.read("a.txt")
    client.edit("a.txt", "two", "zwei\n\tdrei")
    assert versions(client) == [(EXACT, content), (EXACT, client.disk["a.txt"])]


def test_an_edit_without_a_backup_is_rebuilt():
    """Without a backup, no record shows whether a file has `\\n` or `\\r\\n`, so no version is exact."""
    client = SimulatedClient({"a.txt": b"one\r\ntwo\r\n"}, keeps_backups=False)
    client.read("a.txt")
    client.edit("a.txt", "two", "zwei")
    assert versions(client) == [(REBUILT, b"one\ntwo\n"), (REBUILT, b"one\nzwei\n")]


def test_a_file_that_was_written_is_exact():
    """A file that the client wrote as a whole is exact, and so are later edits of it."""
    client = SimulatedClient({}, keeps_backups=False)
    client.write("a.txt", "one\r\ntwo\r\n")
    client.edit("a.txt", "two", "zwei")
    assert versions(client) == [(EXACT, b"one\r\ntwo\r\n"), (EXACT, b"one\r\nzwei\r\n")]


def test_an_old_client_may_have_changed_line_endings():
    """Clients before 2.1.89 wrote a new file with the line endings of other files, so it is rebuilt."""
    client = SimulatedClient({}, keeps_backups=False, version="2.1.50")
    client.write("a.txt", "one\ntwo\n")
    assert versions(client) == [(REBUILT, b"one\ntwo\n")]


def test_a_file_that_lost_its_mark_is_not_exact():
    """A version is not exact if the client wrote the text without the mark of the file, as older clients did."""
    client = SimulatedClient({"a.txt": "\ufeffone\n".encode("utf-16-le")})
    client.write("a.txt", "two\n")
    assert versions(client)[-1][0] is EXACT
    client.session.lines[-1]["toolUseResult"]["content"] = "two\n"
    assert versions(client)[-1][0] is REBUILT


def test_a_shell_command_leaves_the_content_unknown():
    """After a command that may write, the content is unknown, and the reason is the command."""
    client = SimulatedClient({"a.txt": b"one\n"})
    client.edit("a.txt", "one", "two")
    client.shell("make", a_txt=b"three\n")
    assert versions(client)[-1] == (UNKNOWN, None)
    assert (last(client).cause, last(client).tool) == (Cause.COMMAND, "Bash")
    assert "shell command" in last(client).reason


def test_a_command_that_only_reads_changes_nothing():
    """A plain command that only reads does not make the content of a file unknown."""
    client = SimulatedClient({"a.txt": b"one\n"})
    client.edit("a.txt", "one", "two")
    client.shell("ls -la && cat a.txt | head -3 2>&1")
    assert versions(client)[-1] == (EXACT, b"two\n")


def test_only_line_endings_changed_in_between():
    """After a command that changed only line endings, which the client does not notice, the next edit is not exact."""
    client = SimulatedClient({"a.txt": b"one\ntwo\n"})
    client.edit("a.txt", "one", "eins")
    client.shell("unix2dos a.txt", a_txt=b"eins\r\ntwo\r\n")
    client.edit("a.txt", "two", "zwei")
    assert versions(client)[-1] == (REBUILT, b"eins\nzwei\n")
    client.write("a.txt", "new\n")
    assert versions(client)[-1] == (EXACT, b"new\n")


def test_a_change_from_outside_is_a_version_of_its_own():
    """A text that the client found and that no record explains becomes a version by a person or another program."""
    client = SimulatedClient({"a.txt": b"one\ntwo\n"})
    client.edit("a.txt", "one", "eins")
    client.change(a_txt=b"eins\nby hand\ntwo\n")
    client.edit("a.txt", "two", "zwei")
    (file,) = files_of([client.conversation()], client.backup)
    assert [(each.certainty, each.cause) for each in file.versions] == [
        (EXACT, Cause.BACKUP),
        (EXACT, Cause.CALL),
        (REBUILT, Cause.FOUND),
        (REBUILT, Cause.CALL),
    ]
    assert file.content(file.last) == b"eins\nby hand\nzwei\n"
    assert (file.added, file.removed) == (3, 2)


def test_backups_at_a_prompt_show_what_a_person_did():
    """The state that the client finds at a prompt is exact, whether a person changed, deleted or restored the file."""
    client = SimulatedClient({"a.txt": b"one\n"})
    client.edit("a.txt", "one", "two")
    client.change(a_txt=b"by hand\r\n")
    client.prompt()
    client.edit("a.txt", "hand", "agent")
    client.change(a_txt=None)
    client.prompt()
    found = versions(client)
    assert found[2:] == [(EXACT, b"by hand\r\n"), (EXACT, b"by agent\r\n"), (EXACT, None)]
    assert last(client).is_absent


def test_a_prompt_without_backups_is_a_pause():
    """Between two prompts a person may change line endings without a record, so the next edit is not exact."""
    client = SimulatedClient({}, keeps_backups=False)
    client.write("a.txt", "one\ntwo\n")
    client.prompt()
    client.edit("a.txt", "two", "zwei")
    assert versions(client) == [(EXACT, b"one\ntwo\n"), (REBUILT, b"one\nzwei\n")]


def test_a_backup_that_is_not_there_proves_nothing():
    """If the vault does not have a backup, the text is rebuilt from the edit."""
    client = SimulatedClient({"a.txt": b"one\r\n"})
    client.edit("a.txt", "one", "two")
    client.backups.clear()
    assert versions(client) == [(REBUILT, b"one\n"), (REBUILT, b"two\n")]


def test_a_large_file_is_edited_from_the_backup():
    """The record of a large file does not contain the original, so its versions are built from the backup."""
    content = b"".join(b"line %06d\r\n" % n for n in range(30_000))
    client = SimulatedClient({"a.txt": content})
    client.edit("a.txt", "line 000100", "LINE", hides_original=True)
    client.edit("a.txt", "line 020000", "LINE", hides_original=True)
    assert versions(client)[1:] == [
        (EXACT, content.replace(b"line 000100", b"LINE")),
        (EXACT, client.disk["a.txt"]),
    ]


def test_a_person_who_changed_the_edit_is_named():
    """If a person changed the text before it was written, the version is rebuilt, and its reason names the person."""
    client = SimulatedClient({})
    client.write("a.txt", "one\n")
    client.session.lines[-1]["toolUseResult"]["userModified"] = True
    assert versions(client)[-1] == (REBUILT, b"one\n")
    assert "person" in last(client).reason


def test_a_change_that_was_only_staged_changes_nothing():
    """A change that waits for a person does not change the file."""
    client = SimulatedClient({})
    client.write("a.txt", "one\n")
    client.write("a.txt", "two\n")
    client.session.lines[-1]["toolUseResult"]["staged"] = True
    assert versions(client)[-1] == (EXACT, b"one\n")


def test_a_shortened_record_is_not_an_empty_file():
    """If the result of a write does not contain the content, the content is taken from the call and is not empty."""
    client = SimulatedClient({}, keeps_backups=False)
    client.write("a.txt", "one\n")
    client.write("a.txt", "two\n")
    client.session.lines[-1]["toolUseResult"].update(content="", originalFile=None)
    assert versions(client)[-1] == (EXACT, b"two\n")


def test_what_the_client_wrote_is_taken_from_its_patch():
    """If the patch and the input of an edit differ in quotation marks, the patch shows what the client wrote."""
    client = SimulatedClient({"a.txt": "say “hello” now\nend\n".encode()})
    client.edit("a.txt", "“hello”", "“bye”")
    client.session.lines[-1]["toolUseResult"]["newString"] = '"bye"'
    assert versions(client)[-1] == (EXACT, "say “bye” now\nend\n".encode())


def test_a_hook_after_a_call_weakens_its_version():
    """If a hook changed the file right after the call, the version of the call is not exact."""
    client = SimulatedClient({}, keeps_backups=False)
    client.write("a.txt", "one\n")
    client.session.attachment(
        "hook_additional_context", content=["formatted"], hookEvent="PostToolUse", toolUseID="toolu_0001"
    )
    assert [each[0] for each in versions(client)] == [REBUILT, UNKNOWN]


def test_a_failed_and_an_unanswered_call():
    """A call that failed before it wrote changes nothing; a call without a result leaves the content unknown."""
    client = SimulatedClient({}, keeps_backups=False)
    client.write("a.txt", "one\n")
    asked = {"file_path": f"{FOLDER}/a.txt", "old_string": "x", "new_string": "y"}
    client.session.assistant(tool_use("Edit", asked, id="toolu_f"))
    client.session.tool_result("toolu_f", "<tool_use_error>String not found</tool_use_error>", is_error=True)
    assert versions(client) == [(EXACT, b"one\n")]
    client.session.assistant(tool_use("Edit", asked, id="toolu_g"))
    assert versions(client)[-1] == (UNKNOWN, None)


def test_a_sub_agent_whose_results_have_no_structure():
    """Without structured results, as in sub-agents, a new file is exact, and an edit of it is exact as well."""
    client = SimulatedClient({})
    client.session.assistant(tool_use("Agent", {"prompt": "do it"}, id="toolu_agent"))
    agent = client.session.agent("a1b2", "toolu_agent")
    agent.assistant(tool_use("Write", {"file_path": f"{FOLDER}/a.txt", "content": "one\ntwo\n"}, id="toolu_w"))
    agent.tool_result("toolu_w", f"File created successfully at: {FOLDER}/a.txt")
    agent.assistant(
        tool_use("Edit", {"file_path": f"{FOLDER}/a.txt", "old_string": "two", "new_string": "zwei"}, id="toolu_e")
    )
    agent.tool_result("toolu_e", "The file has been updated successfully.")
    client.session.lines += agent.lines
    client.session.tool_result("toolu_agent", "done", structured={"agentId": "a1b2", "status": "completed"})
    assert versions(client) == [(EXACT, b"one\ntwo\n"), (EXACT, b"one\nzwei\n")]
    assert last(client).agent == "a1b2"


def test_two_conversations_are_followed_together():
    """A version that one conversation wrote is the base of an edit in another conversation of the same workspace."""
    first = SimulatedClient({}, keeps_backups=False)
    first.write("a.txt", "one\ntwo\n")
    second = SimulatedClient(dict(first.disk), keeps_backups=False)
    clock = first.session.clock
    second.session = type(second.session)("other-session", version=second.version, cwd=FOLDER, clock=clock)
    second.session.user("Go on")
    second._number = 50
    second.edit("a.txt", "two", "zwei")
    (file,) = files_of([second.conversation(), first.conversation()])
    assert [(each.certainty, each.conversation) for each in file.versions] == [
        (EXACT, first.session.id),
        (EXACT, "other-session"),
    ]


def test_hostile_names_are_only_text():
    """Hostile paths and names of backups in a transcript are never used as paths and never raise."""
    client = SimulatedClient({})
    entry = {"backupFileName": "../../etc/passwd", "version": 1, "backupTime": "never", "realParentDir": "/x"}
    client.session.add(
        {"type": "file-history-delta", "trackingPath": "\x00../..", "backup": entry, "messageId": "m", "timestamp": "?"}
    )
    client.session.add({"type": "file-history-snapshot", "snapshot": {"trackedFileBackups": {"a": 5}}})
    client.session.add({"type": "file-history-snapshot", "snapshot": "?"})
    asked: list[str] = []
    files_of([client.conversation()], lambda _, name: asked.append(name))
    assert asked == []


TEXTS = st.text(alphabet="ab\n\t é☃", max_size=12)
CONTENTS = st.builds(
    lambda text, ending, mark: mark + text.replace("\n", ending).encode(),
    st.text(alphabet="abc\n\t", min_size=1, max_size=30),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([b"", b"\xef\xbb\xbf"]),
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.text(alphabet="abc\n\t", min_size=1, max_size=30), st.just("")),
        st.tuples(st.just("edit"), st.integers(0, 60), TEXTS),
        st.tuples(st.just("read"), st.just(""), st.just("")),
        st.tuples(st.just("shell"), st.one_of(st.none(), CONTENTS), st.just("")),
        st.tuples(st.just("prompt"), st.one_of(st.none(), CONTENTS), st.just("")),
    ),
    max_size=12,
)


@given(start=st.one_of(st.none(), CONTENTS), steps=STEPS, keeps_backups=st.booleans())
def test_no_version_that_claims_to_be_exact_is_wrong(start, steps, keeps_backups):
    """Whatever calls, commands and people change, an exact version has the bytes that were on disk after its call."""
    client = SimulatedClient({} if start is None else {"a.txt": start}, keeps_backups=keeps_backups)
    has_commands = False
    for kind, value, more in steps:
        content = client.disk.get("a.txt")
        text = (content or b"").decode().replace("\r\n", "\n").removeprefix("\ufeff")
        if kind == "write":
            client.write("a.txt", value)
        elif kind == "edit" and text:
            old = text[value % len(text) :][:3]
            if old != more and text.count(old) == 1:
                client.edit("a.txt", old, more)
        elif kind == "read" and content:
            client.read("a.txt")
        elif kind == "shell":
            has_commands = True
            client.shell("make", a_txt=value)
        elif kind == "prompt":
            if value is not None and keeps_backups:
                client.change(a_txt=value)
            client.prompt()
    for file in files_of([client.conversation()], client.backup):
        for version in file.versions:
            if version.call not in client.states:
                continue
            if version.certainty is EXACT:
                assert file.content(version) == client.states[version.call]
            assert version.certainty is EXACT or has_commands or not keeps_backups
