"""Tests an exported conversation opened from disk: it works without a server, and nothing hostile in it runs."""

import re

import pytest
from playwright.sync_api import Page, expect

from chorus.testing.builders import Session
from chorus.testing.builders.disk import lay_out
from chorus.testing.builders.secrets import Secrets
from tests.cli.commands import run
from tests.e2e.support import exfiltration, firefox, hostile
from tests.e2e.support.opening import open_call, transcript
from tests.e2e.support.reading import STEP, STEPS, read_through
from tests.e2e.support.trapping import AUDIT, Trap
from tests.e2e.support.watching import Watch
from tests.show.exports.reading import page_data
from tools import browser as browsers

SHARED = "5e551011-0000-4000-8000-00000000000e"
SECRET = next(iter(Secrets(seed=9).all())).secret
IMAGE = re.compile(r'(address src of|picture) img <img [^>]*src="data:image/(png|jpeg|gif|webp);base64,')
NOWHERE = "http://127.0.0.1:9"
ROOT = '<div id="root"></div>'
OWN = re.compile(r"^element (style|script|meta) ")
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def shared() -> Session:
    """Builds a conversation with what a reader opens: a branch, an edit, a sub-agent, an image, many rows."""
    session = Session(SHARED, cwd="/home/mlind/shop")
    session.title("A bug in the till")
    session.user(f"The till is wrong. The key is {SECRET}")
    session.user([{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}])
    edit = {"file_path": "/home/mlind/shop/till.py", "old_string": "x = 1\n", "new_string": "x = 2\n"}
    session.assistant("I look at it.", {"type": "tool_use", "id": "toolu_e", "name": "Edit", "input": edit})
    session.tool_result("toolu_e", "The file was updated")
    session.assistant(
        {"type": "tool_use", "id": "toolu_t", "name": "Task", "input": {"prompt": "count", "description": "Count"}}
    )
    agent = session.agent("a1b2c3", "toolu_t")
    agent.user("count")
    agent.assistant("There are eleven coins.")
    session.tool_result("toolu_t", "There are eleven coins.")
    fork = session.assistant("first answer")[-1]
    session.leaf = fork["parentUuid"]
    session.assistant("second answer")
    for number in range(300):
        session.user(f"question {number}")
        session.assistant(f"answer **{number}**")
    return session


@pytest.fixture(scope="module")
def files(tmp_path_factory, built):
    """Exported files by the ids of their conversations."""
    folder = tmp_path_factory.mktemp("exported")
    sessions = [shared(), exfiltration.loading(), *hostile.corpus()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHORUS_HOME", str(folder / "home"))
        patch.setenv("CLAUDE_CONFIG_DIR", str(folder / "claude"))
        for session in sessions:
            lay_out(folder / "claude" / "projects", session)
        assert run("sync").exit_code == 0
        made = {}
        for session in sessions:
            path = folder / f"{session.id}.html"
            done = run("export", session.id, "--html", "--yes", "-o", path)
            assert done.exit_code == 0, done.stderr
            made[session.id] = path
    return made


@pytest.fixture
def opened(browser, nowhere, request):
    """A page of a browser that can load only files; the test fails at its end if anything else was requested."""
    nowhere.take()
    settings = getattr(request, "param", {})
    context = browsers.context(browser, NOWHERE, nowhere.url, **settings)
    watch = Watch(context, NOWHERE)
    page = context.new_page()
    page.set_default_timeout(10_000)
    yield page
    asked = [request.url for request in watch.requests if not request.url.startswith(("file:", "data:", "blob:"))]
    context.close()
    assert asked == [] and nowhere.take() == [], "the file asked for something"
    assert watch.unexpected() == [], "the file complained"


def open_file(page: Page, path, fragment="") -> None:
    page.goto(f"{path.as_uri()}{fragment}")
    expect(transcript(page).locator("article").first).to_be_visible()


def tripped(found: dict) -> dict:
    """Returns what hostile text did, without the script, style sheet, policy and images that belong to the file."""
    inside = [each for each in found.pop("in the document", []) if not IMAGE.match(each)]
    own = [match[1] for each in inside if (match := OWN.match(each))]
    left = [each for each in inside if not OWN.match(each)]
    if left:
        found["in the document"] = left
    if sorted(own) != ["meta", "script", "style"]:
        found["own"] = own
    return found


def test_a_file_is_read_like_the_page(opened, files, axe):
    """Rows, diffs, images, sub-agents, branches, the outline and the search work without any server."""
    open_file(opened, files[SHARED])
    expect(opened).to_have_title(re.compile("A bug in the till"))
    messages = transcript(opened)
    expect(messages.get_by_text("[anthropic-key-1]")).to_be_visible()
    assert messages.locator("img").first.evaluate("each => each.complete && each.naturalWidth") == 1
    open_call(opened, "toolu_e")
    expect(opened.locator('[data-call="toolu_e"]').get_by_text("x = 2")).to_be_visible()
    opened.keyboard.press("End")
    expect(messages.get_by_text("answer 299")).to_be_visible()
    opened.keyboard.press("/")
    opened.keyboard.type("question 123")
    expect(opened.locator(".find-count")).to_have_text(re.compile("1 of 1"))
    expect(messages.get_by_text("question 123", exact=True)).to_be_visible()
    opened.keyboard.press("Escape")
    assert axe(opened) == []
    expect(opened.get_by_role("button", name="Share")).to_have_count(0)
    expect(opened.get_by_role("navigation", name="Pages")).to_have_count(0)
    open_file(opened, files[SHARED], "#/?thread=a1b2c3")
    expect(transcript(opened).get_by_text("There are eleven coins.").first).to_be_visible()


def test_a_file_has_its_player(opened, files):
    """The player of a file plays and steps, and shows the state at a moment, from the data in the file."""
    open_file(opened, files[SHARED])
    opened.keyboard.press("v")
    player = opened.get_by_role("region", name="Player")
    expect(player).to_be_visible()
    expect(opened.get_by_role("slider", name="Time of the recording")).to_be_visible()
    opened.keyboard.press("Home")
    expect(transcript(opened).locator("article")).to_have_count(1)
    expect(opened).to_have_url(re.compile("at=2026-01-05T09"))


@pytest.mark.parametrize("opened", [{"java_script_enabled": False}], indirect=True)
def test_without_scripts_there_is_the_markdown(opened, files):
    """A browser that runs no scripts finds the text of the conversation in the file."""
    opened.goto(files[SHARED].as_uri())
    text = opened.locator("noscript").text_content() or ""

    assert "# A bug in the till" in text and "answer **299**" in text and SECRET not in text


@pytest.mark.parametrize("opened", [{"color_scheme": "dark", "viewport": {"width": 390, "height": 800}}], indirect=True)
def test_a_phone_in_the_dark(opened, files, axe):
    """On a phone nothing is wider than the screen, and axe finds nothing serious."""
    open_file(opened, files[SHARED])

    assert opened.evaluate("document.documentElement.scrollWidth") <= 390
    assert axe(opened) == []


@pytest.mark.parametrize("kind", hostile.SESSIONS)
def test_nothing_in_a_hostile_file_runs(opened, files, kind):
    """With the hostile corpus in every field of a file, text stays text, and nothing is requested."""
    trap = Trap(opened)
    open_file(opened, files[hostile.SESSIONS[kind]])
    read = read_through(opened)

    assert len(read) > 20
    assert tripped(trap.sprung()) == {}


def test_two_hundred_texts_in_a_file_ask_nobody(opened, files):
    """Each of 200 texts that would load something from another host stays text."""
    trap = Trap(opened)
    open_file(opened, files[exfiltration.SESSION])
    read = "\n".join(read_through(opened).values())

    assert exfiltration.END in read and tripped(trap.sprung()) == {}


def test_the_detectors_notice_a_file_without_its_policy(browser, nowhere, files, tmp_path):
    """As a control, payloads run and load when they are HTML in a file without its policy."""
    page_text = files[SHARED].read_text("utf-8")
    policy = re.search(r'<meta http-equiv="Content-Security-Policy"[^>]*>', page_text)
    assert policy is not None
    payloads = "".join(each for each in hostile.HTML if "refresh" not in each)
    bad = tmp_path / "bad.html"
    bad.write_text(
        page_text.replace(policy[0], "").replace('<div id="root"></div>', f'<div id="root"></div>{payloads}')
    )
    context = browsers.context(browser, NOWHERE, nowhere.url)
    page = context.new_page()
    trap = Trap(page)
    page.goto(bad.as_uri(), wait_until="commit")
    page.wait_for_timeout(1_000)
    sprung = tripped(trap.sprung())
    context.close()

    assert sprung["ran"] == 1 and sprung["in the document"] and nowhere.take()


def test_the_policy_of_a_file_stops_what_the_application_would_not(browser, nowhere, files, tmp_path):
    """The policy of a file prevents payloads that are HTML in its document from running and loading."""
    payloads = "".join(each for each in hostile.HTML if "refresh" not in each)
    page_text = files[SHARED].read_text("utf-8")
    bad = tmp_path / "bad.html"
    bad.write_text(page_text.replace(ROOT, ROOT + payloads))
    nowhere.take()
    context = browsers.context(browser, NOWHERE, nowhere.url)
    page = context.new_page()
    trap = Trap(page)
    page.goto(bad.as_uri(), wait_until="commit")
    page.wait_for_timeout(1_000)
    sprung = trap.sprung()
    context.close()

    assert "ran" not in sprung and "dialogs" not in sprung and nowhere.take() == []


def test_no_secret_is_in_the_file(files):
    """The file does not contain the planted secret, neither packed nor unpacked."""
    data = files[SHARED].read_bytes()

    assert SECRET.encode() not in data + page_data(data)


ROWS = "document.querySelector('[aria-label=Transcript] article')"


@pytest.fixture(scope="module")
def fox(tmp_path_factory, nowhere):
    """A real Firefox whose requests go to the sink."""
    program = firefox.program()
    if program is None:
        pytest.skip("no Firefox on this machine, and none could be installed (Debian: firefox-esr)")
    profile = tmp_path_factory.mktemp("firefox") / "profile"
    with firefox.running(program, profile, int(nowhere.url.rpartition(":")[2])) as running:
        yield running


def open_in_firefox(fox: firefox.Firefox, path) -> None:
    fox.requests.clear()
    fox.complaints.clear()
    fox.open(path.as_uri())


def asked_by_firefox(fox: firefox.Firefox) -> list[str]:
    """Returns what the page asked for. What Firefox asks for by itself is not among it."""
    return [each for each in fox.requests if not each.startswith(("file:", "data:", "blob:"))]


def sprung_in_firefox(fox: firefox.Firefox) -> dict:
    """Returns what hostile text did, as `Trap` does."""
    ran = fox.evaluate("window.__pwned")
    return {"in the document": fox.evaluate(f"({AUDIT})()"), **({"ran": ran} if ran else {})}


def read_in_firefox(fox: firefox.Firefox) -> str:
    """Opens all calls and thoughts, reads the transcript to its end, and returns its text."""
    fox.until(ROWS)
    fox.press("E", "t", "\ue011")
    rows: dict[str, str] = {}
    for _ in range(STEPS):
        step = fox.evaluate(f"({STEP})()")
        rows.update(step["rows"])
        if step["isEnd"]:
            return "\n".join(rows.values())
    raise AssertionError("the transcript has no end")


def test_firefox_reads_a_file(fox, files):
    """In Firefox, the rows, an image, the search and the player of a file work without any server."""
    open_in_firefox(fox, files[SHARED])
    fox.until(f"{ROWS}?.textContent.includes('[anthropic-key-1]')")
    fox.until("document.querySelector('[aria-label=Transcript] img')?.naturalWidth === 1")
    fox.press("/", *"question 123")
    fox.until("/1 of 1/.test(document.querySelector('.find-count')?.textContent)")
    fox.press("\ue00c", "v")
    fox.until("document.querySelector('[role=slider]')")
    # Firefox shows a bar for any part that is wider than its place, however little.
    bar = "document.querySelector('.time-line-scroller')"
    assert fox.evaluate(f"{bar}.offsetHeight - {bar}.clientHeight") == 0
    fox.press("\ue011")
    fox.until("location.href.includes('at=2026-01-05T09')")
    assert fox.evaluate("document.querySelectorAll('[aria-label=Transcript] article').length") == 1
    assert "x = 2" in read_in_firefox(reopened(fox, files[SHARED]))
    assert asked_by_firefox(fox) == [] and fox.complaints == []


def reopened(fox: firefox.Firefox, path) -> firefox.Firefox:
    fox.open("about:blank")
    open_in_firefox(fox, path)
    return fox


@pytest.mark.parametrize("kind", hostile.SESSIONS)
def test_nothing_in_a_hostile_file_runs_in_firefox(fox, nowhere, files, kind):
    """In Firefox too, hostile text stays text, and nothing is requested."""
    nowhere.take()
    open_in_firefox(fox, files[hostile.SESSIONS[kind]])
    read = read_in_firefox(fox)

    assert len(read) > 100
    assert tripped(sprung_in_firefox(fox)) == {} and asked_by_firefox(fox) == []
    assert [each for each in nowhere.take() if "pwned" in each] == []


@pytest.mark.parametrize("has_policy", [True, False])
def test_the_policy_of_a_file_stops_firefox(fox, nowhere, files, tmp_path, has_policy):
    """In Firefox, payloads that are HTML in the document run and load only without the policy of the file."""
    page_text = files[SHARED].read_text("utf-8")
    policy = re.search(r'<meta http-equiv="Content-Security-Policy"[^>]*>', page_text)
    assert policy is not None
    payloads = "".join(each for each in hostile.HTML if "refresh" not in each and "alert" not in each)
    bad = tmp_path / "bad.html"
    bad.write_text(page_text.replace("" if has_policy else policy[0], "").replace(ROOT, ROOT + payloads))
    nowhere.take()
    open_in_firefox(fox, bad)
    ran = fox.evaluate("new Promise((done) => setTimeout(() => done(window.__pwned ?? 0), 1000))")
    loaded = [each for each in nowhere.take() if "pwned" in each]

    assert (ran, loaded == []) == ((0, True) if has_policy else (1, False))
