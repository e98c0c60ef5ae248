"""Tests an afternoon with the real client, in a browser: turns read as differences, one is undone, lines lead back."""

import subprocess
import uuid

import pytest
from playwright.sync_api import expect

from chorus.core.protocol.launch import Launch
from tests.client.test_run import bash, calls, desk, says
from tests.client.test_snapshot_campaign import named, run_once
from tests.client.test_snapshots import ALLOWED
from tests.e2e.support.opening import transcript
from tests.support.real_client import Unavailable, installed
from tests.support.running import WORKSPACE

__all__ = ["desk", "named"]

START = "import os\n\n\ndef main():\n    return 1\n\n\ndef other():\n    return 'x'\n"
PROMPTS = ("Return a hundred\n\nand take notes", "Say why, and move the notes", "Let somebody test it")
INNER = {"description": "agent", "prompt": "Add a test.", "subagent_type": "general-purpose"}


@pytest.fixture(scope="module", autouse=True)
def _installed():
    try:
        installed()
    except Unavailable as reason:
        pytest.skip(str(reason))


@pytest.fixture
def afternoon(named):
    """Three turns of one session in a repository, with changes of a person between and after them."""
    person = named(
        calls(("t_r", "Read", {"file_path": "app.py"})),
        calls(("t_e", "Edit", {"file_path": "app.py", "old_string": "return 1", "new_string": "return 100"})),
        calls(bash("t_b", "printf 'by the first turn\\n' > notes.txt")),
        says("Done."),
        calls(bash("t_s", "sed -i \"s/'x'/'why'/\" app.py; mv notes.txt moved.txt")),
        says("Done, too."),
        calls(("t_a", "Agent", INNER)),
        calls(
            ("t_w", "Write", {"file_path": "test_app.py", "content": "def test_main():\n    assert main() == 100\n"})
        ),
        *[says("Finished.")] * 4,
        files={"app.py": START.encode()},
    )
    work, session = person.place.work, str(uuid.uuid4())
    for step in (["init", "-q"], ["config", "user.name", "Ada"], ["config", "user.email", "ada@example.org"]):
        subprocess.run(["git", *step], cwd=work, check=True)
    commit(work, "start")
    allowed = (*ALLOWED, "Agent", "Task")
    for number, prompt in enumerate(PROMPTS):
        resumes = session if number else None
        run_once(person, prompt, Launch(session=session, allowed_tools=allowed, resumes=resumes))
        place = work / "app.py"
        place.write_text(f"# mine {number}\n" + place.read_text())
    commit(work, "everything")
    return person, session


def commit(work, message):
    subprocess.run(["git", "add", "-A"], cwd=work, check=True)
    subprocess.run(["git", "commit", "-qm", message], cwd=work, check=True)


@pytest.fixture
def serving(afternoon, empty):
    """A server for the folders of the afternoon."""
    person, _ = afternoon
    empty.vault, empty.claude = person.place.home, person.client.config
    empty.start()
    return empty


def test_an_afternoon(afternoon, serving, entered):
    """Each turn is a difference under its prompt; one is undone and nothing else; every line opens its prompt."""
    person, session = afternoon
    work, page = person.place.work, entered
    page.goto(f"/c/{WORKSPACE}/ada/{session}/changes")
    for number, (prompt, words) in enumerate(zip(PROMPTS, ("return 100", "'why'", "def test_main"), strict=True), 1):
        turn = page.get_by_role("region", name=f"Turn {number}", exact=True)
        expect(turn.get_by_role("link", name=prompt.partition("\n")[0])).to_be_visible()
        expect(turn).to_contain_text(words)
    page.get_by_role("button", name="Undo turn 2").click()
    dialog = page.get_by_role("dialog")
    boxes = dialog.get_by_role("checkbox")
    expect(boxes).to_have_count(3)
    for box in boxes.all():
        box.check()
    dialog.get_by_role("button", name="Change 3 files").click()
    expect(dialog.get_by_role("status")).to_have_text("3 files changed.")
    mine = "# mine 2\n# mine 1\n# mine 0\n"
    assert (work / "app.py").read_text() == mine + START.replace("return 1", "return 100")
    assert (work / "notes.txt").read_text() == "by the first turn\n" and not (work / "moved.txt").exists()
    lines = {"app.py": ("return 100", 0), "notes.txt": ("by the first turn", 0), "test_app.py": ("def test_main", 2)}
    for file, (text, number) in lines.items():
        page.goto(f"/blame/{WORKSPACE}?file={file}")
        shown = page.get_by_role("region", name="Lines of the file")
        line = shown.get_by_role("link").filter(has_text=text)
        expect(line).to_be_visible()
        expect(shown.get_by_role("link").filter(has_text="mine")).to_have_count(0)
        line.click()
        expect(transcript(page).locator("article.current")).to_contain_text(PROMPTS[number].partition("\n")[0])
