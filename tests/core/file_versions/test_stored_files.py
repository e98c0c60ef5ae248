"""Tests of versions that come from snapshots: they count more than what the records say."""

from chorus.core.conversation.items import Call
from chorus.core.file_versions.files import files_of
from chorus.core.file_versions.model import Cause, Certainty, Source
from chorus.core.file_versions.stored_files import StoredEdit
from tests.core.file_versions.simulated_client import FOLDER, SimulatedClient

EXACT, REBUILT, UNKNOWN = Certainty.EXACT, Certainty.REBUILT, Certainty.UNKNOWN


def stored(client, before, after, *, call: int | None = None, tool="", name="a.txt", **more) -> StoredEdit:
    """A snapshot of one change; with `call`, of the call with this number."""
    conversation = client.conversation()
    calls = [each.tool_use_id for each in conversation.all(Call)]
    return StoredEdit(
        path=f"{FOLDER}/{name}", conversation=conversation.id, call="" if call is None else calls[call], tool=tool,
        time=conversation.session.ended_at or "", before=lambda: before, after=lambda: after, **more,
    )  # fmt: skip


def files(client, *edits):
    found = files_of([client.conversation()], client.backup, lambda _conversation: edits)
    return {each.path.removeprefix(f"{FOLDER}/"): each for each in found}


def versions(file):
    return [(each.certainty, each.source, file.content(each)) for each in file.versions]


def test_an_edit_with_a_snapshot_is_exact():
    """Where the records only tell the text, the snapshot has the bytes, and it is named as the source."""
    client = SimulatedClient({"a.txt": b"one\r\ntwo\r\n"}, keeps_backups=False)
    client.edit("a.txt", "two", "zwei")
    assert {each.certainty for each in files(client)["a.txt"].versions} == {REBUILT}
    edit = stored(client, b"one\r\ntwo\r\n", b"one\r\nzwei\r\n", call=-1, tool="Edit")
    file = files(client, edit)["a.txt"]

    assert versions(file) == [
        (EXACT, Source.SNAPSHOT, b"one\r\ntwo\r\n"),
        (EXACT, Source.SNAPSHOT, b"one\r\nzwei\r\n"),
    ]
    assert [each.reason for each in file.versions] == ["", ""]
    assert (file.last.added, file.last.removed) == (1, 1)
    assert file.last.cause is Cause.CALL


def test_a_version_that_was_exact_before_names_the_snapshot():
    """A snapshot with the same bytes is the source, and adds no version."""
    client = SimulatedClient({})
    client.write("a.txt", "one\n")
    client.edit("a.txt", "one", "two")
    edits = [
        stored(client, None, b"one\n", call=-2, tool="Write"),
        stored(client, b"one\n", b"two\n", call=-1, tool="Edit"),
    ]
    file = files(client, *edits)["a.txt"]

    assert [each.source for each in file.versions if each.call] == [Source.SNAPSHOT, Source.SNAPSHOT]
    assert [each for each in versions(file) if each[2]] == [
        (EXACT, Source.SNAPSHOT, b"one\n"),
        (EXACT, Source.SNAPSHOT, b"two\n"),
    ]


def test_a_file_that_only_a_command_changed_has_versions():
    """What a shell command did to a file is known from its snapshot, and the command is named."""
    client = SimulatedClient({"a.txt": b"one\n"})
    client.shell("make")
    file = files(client, stored(client, b"x\n", b"y\n", call=-1, tool="Bash", name="made.txt"))["made.txt"]

    assert versions(file) == [(EXACT, Source.SNAPSHOT, b"x\n"), (EXACT, Source.SNAPSHOT, b"y\n")]
    assert (file.versions[0].is_start, file.last.cause, file.last.tool) == (True, Cause.COMMAND, "Bash")


def test_a_snapshot_ends_the_doubt_after_a_command():
    """A file in doubt since a command is exact again where a later snapshot has it."""
    client = SimulatedClient({"a.txt": b"one\r\ntwo\r\n"})
    client.edit("a.txt", "one", "eins")
    client.shell("make")
    client.edit("a.txt", "two", "zwei")
    assert files(client)["a.txt"].last.certainty is REBUILT
    edit = stored(client, b"eins\r\ntwo\r\n", b"eins\r\nzwei\r\n", call=-1, tool="Edit")

    assert versions(files(client, edit)["a.txt"])[-1] == (EXACT, Source.SNAPSHOT, b"eins\r\nzwei\r\n")


def test_an_undo_is_not_a_version_of_the_agent():
    """What a person put back is a version that no call made."""
    client = SimulatedClient({})
    client.write("a.txt", "one\n")
    file = files(client, stored(client, b"one\n", None, is_by_agent=False))["a.txt"]

    assert (file.last.is_absent, file.last.cause, file.last.call) == (True, Cause.FOUND, "")


def test_a_snapshot_whose_content_is_gone_is_passed_over():
    """If the objects of a snapshot were removed, the records count as before."""
    client = SimulatedClient({"a.txt": b"one\n"}, keeps_backups=False)
    client.edit("a.txt", "one", "two")

    def gone():
        raise LookupError

    edit = StoredEdit(path=f"{FOLDER}/a.txt", conversation="c", time="", before=gone, after=gone)
    assert versions(files(client, edit)["a.txt"]) == versions(files(client)["a.txt"])
