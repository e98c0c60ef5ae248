"""Tests that sessions of the real client, from one folder per scenario, can be read in the browser."""

import json
import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.support.lasting import served
from tests.e2e.support.opening import LISTED, transcript
from tests.e2e.support.reading import read_through

SHARED = Path(__file__).resolve().parents[3] / "shared"
CAPTURES = SHARED / "captures"
SESSIONS = {path.stem: path for path in sorted(CAPTURES.glob("*/home/.claude/projects/*/*.jsonl"))}
FEW = {"b2_multi_block", "c_tools", "e5_nested", "e4_bash_bg", "i1_stdio", "j_image", "l_plan", "m_compact", "n_hooks"}
FEW |= {"o_queue", "old_1.0.128", "old_2.1.150", "r8_resume_at", "r12_SIGKILL", "r13_tasks"}
TELLING = 40
"""So many letters of a text are looked for: what comes later may be folded away."""

pytestmark = pytest.mark.skipif(not SESSIONS, reason="no recordings beside this clone (../shared)")


def lay_out_captures(server):
    for folder in CAPTURES.glob("*/home/.claude/projects/*"):
        shutil.copytree(folder, server.claude / "projects" / folder.name, dirs_exist_ok=True)
    for folder in CAPTURES.glob("*/home/.claude/plans"):
        shutil.copytree(folder, server.claude / "plans", dirs_exist_ok=True)


serving = served(lay_out_captures)


@pytest.fixture
def page(entered):
    return entered


def letters(text: str) -> str:
    return re.sub(r"\W|_", "", text)


def said_in(path: Path) -> list[str]:
    """Returns the texts of people and the model on the last thread of the session, as its lines contain them."""
    lines = [json.loads(line) for line in path.read_bytes().splitlines() if line.strip()]
    known = {line["uuid"]: line for line in lines if "uuid" in line and not line.get("isSidechain")}
    last = [line for line in known.values() if line["type"] in ("user", "assistant")]
    at = last[-1] if last else None
    chain = []
    while at is not None and at not in chain:
        chain.append(at)
        at = known.get(at.get("parentUuid") or at.get("logicalParentUuid") or "")
    found = []
    for line in reversed(chain):
        if line["type"] not in ("user", "assistant") or line.get("isMeta") or line.get("isCompactSummary"):
            continue
        content = line["message"]["content"]
        parts = [content] if isinstance(content, str) else [each["text"] for each in content if each["type"] == "text"]
        found += [part for part in parts if not part.lstrip().startswith(("<", "[Request interrupted"))]
    return found


def missing_in(page, session_id: str, name: str) -> list[str]:
    """Returns the texts of a session that its page does not show."""
    page.goto("/c/" + name)
    nothing = page.get_by_role("heading", name="No messages yet")
    expect(transcript(page).locator("article").first.or_(nothing)).to_be_visible()
    said = said_in(SESSIONS[session_id])
    if not said and nothing.count():
        return []
    shown = letters("\n".join(read_through(page).values()))
    return [text for text in said if letters(text)[:TELLING] not in shown]


def read_all(page, watch, wanted) -> int:
    """Reads sessions one after the other, fails for missing texts, and returns how many texts were found."""
    names = {each["id"]: each["name"] for each in page.evaluate(LISTED)}
    written = {stem: path for stem, path in wanted.items() if path.stat().st_size}
    assert [stem for stem in written if stem not in names] == []
    lost = {}
    for session_id, path in written.items():
        missing = missing_in(page, session_id, names[session_id])
        errors = watch.unexpected()
        if missing or errors:
            lost[f"{path.parts[-6]} {session_id}"] = (missing, errors)
    assert lost == {}
    return sum(len(said_in(path)) for path in written.values())


def test_captures_can_be_read(page, watch):
    """One recorded session of each kind opens without an error and shows every prompt and answer."""
    few = {stem: path for stem, path in SESSIONS.items() if path.parts[-6] in FEW}

    assert read_all(page, watch, few) > 40


@pytest.mark.long
def test_every_capture_can_be_read(page, watch):
    """Every recorded session opens without an error and shows all its prompts and answers."""
    assert read_all(page, watch, SESSIONS) > 150
