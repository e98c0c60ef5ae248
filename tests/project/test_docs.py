"""Tests of the documentation: links work, nothing is missing, and the site loads nothing from other hosts."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path

import pytest

from chorus.cli.main import COMMANDS
from tests.project.test_repository import tracked

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
COMMANDS_PAGE = DOCS / "guide" / "commands.md"
PATIENCE_S = 120
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(([^()\s]+)\)")
HAS_MKDOCS = all(importlib.util.find_spec(name) for name in ("mkdocs", "material"))


def pages():
    """Returns every Markdown file of the repository."""
    return [path for path in tracked() if path.suffix == ".md"]


def prose(text):
    """Returns a page without its code blocks and code spans."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^( *)(```|~~~).*?^\1\2", "", text, flags=re.DOTALL | re.MULTILINE))


def anchors(text):
    """Returns the anchors of the headings of a page, as the site and the usual viewers of repositories make them."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def broken_links(path):
    """Yields the relative links of a page that lead to no file, or to no heading of a page."""
    for link in LINK.findall(prose(path.read_text("utf-8"))):
        target, _, anchor = link.partition("#")
        if "://" in target or target.startswith("mailto:"):
            continue
        file = (path.parent / target).resolve() if target else path
        if not file.exists() or (anchor and file.suffix == ".md" and anchor not in anchors(file.read_text("utf-8"))):
            yield link


def test_every_link_of_every_page_leads_somewhere():
    """A link in a Markdown file names a file of the repository, and a heading that exists."""
    found = {str(path.relative_to(ROOT)): list(broken_links(path)) for path in pages()}

    assert len(found) > 30
    assert {name: links for name, links in found.items() if links} == {}


def test_a_broken_link_is_recognised(tmp_path):
    """A link to a missing file or heading is found, and a link in a code block is ignored."""
    page = tmp_path / "page.md"
    page.write_text("# A title\n[a](gone.md) [b](#a-title) [c](#other) `[d](gone.md)`\n```\n[e](gone.md)\n```\n")

    assert list(broken_links(page)) == ["gone.md", "#other"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_documented(command):
    """The table of commands contains each command, and the guide that its row links to explains the command."""
    row = re.search(rf"^\| `chorus {command}[ `].*\|$", COMMANDS_PAGE.read_text("utf-8"), re.MULTILINE)
    assert row, f"docs/guide/commands.md has no row for {command}"

    guides = [(COMMANDS_PAGE.parent / link.partition("#")[0]) for link in LINK.findall(row.group())]
    texts = [
        (guide if guide.is_file() else COMMANDS_PAGE).read_text("utf-8").replace(row.group(), "") for guide in guides
    ]
    assert any(re.search(rf"`(?:chorus )?{command}[ `|,]|\bchorus {command}\b|\|{command}[|`]", text) for text in texts)


def test_every_guide_and_format_is_in_its_index():
    """The index of the guides links to each guide, and the index of the formats to each format."""
    missing = [
        f"{folder}/{page.name}"
        for folder in ("guide", "formats")
        for page in (DOCS / folder).glob("*.md")
        if page.name != "index.md" and page.name not in LINK.findall((DOCS / folder / "index.md").read_text("utf-8"))
    ]

    assert missing == []


def test_every_runtime_dependency_has_a_reason():
    """Each package that users install, or that is part of the web application, has a row on the page."""
    page = (DOCS / "dependencies.md").read_text("utf-8")
    required = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    python = {re.split(r"[^\w.-]", each)[0] for each in required}
    web = set(json.loads((ROOT / "web" / "package.json").read_text("utf-8"))["dependencies"])
    rows = [line for line in page.splitlines() if line.startswith("| `")]

    named = {name for row in rows for name in re.findall(r"`([^`]+)`", row.split("|")[1])}
    assert (python | web) - named == set()


def test_every_decision_is_in_the_index():
    """The index lists each decision once, in order, with the title of its page, and no number is used twice."""
    index = (DOCS / "decisions" / "index.md").read_text("utf-8")
    listed = re.findall(r"^\| (\d{4}) \| \[(.+)\]\((.+)\) \|", index, re.MULTILINE)
    files = sorted((DOCS / "decisions").glob("[0-9]*.md"))

    assert [name for _, _, name in listed] == [path.name for path in files]
    assert [f"# {number}. {title}" for number, title, _ in listed] == [
        path.read_text("utf-8").partition("\n")[0] for path in files
    ]
    assert len({number for number, _, _ in listed}) == len(files)


def test_the_changelog_begins_with_what_is_not_released_and_then_this_version():
    """Releases are in order, the newest is the version of the package, and each line is in a known section."""
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    titles = re.findall(r"^## (.+)$", text, re.MULTILINE)

    assert titles[0] == "Unreleased"
    assert re.fullmatch(re.escape(version) + r" \(\d{4}-\d\d-\d\d\)", titles[1])
    assert set(re.findall(r"^### (.+)$", text, re.MULTILINE)) <= {"Added", "Changed", "Fixed", "Removed", "Security"}
    assert not re.search(r"^## [^\n]+\n+- ", text, re.MULTILINE)


def test_no_line_of_the_changelog_says_the_same_twice():
    """No two lines of the changelog begin with the same words, as two forms of one line would after a merge."""
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    beginnings = [line[:60] for line in text.splitlines() if line.startswith("- ")]

    assert len(beginnings) > 100
    assert sorted({each for each in beginnings if beginnings.count(each) > 1}) == []


class Loads(HTMLParser):
    """Collects everything that a browser loads by itself when it shows a page."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag in {"script", "img", "iframe", "source", "video", "audio", "embed"}:
            self.found.append(attributes.get("src") or "")
        if tag == "link" and attributes.get("rel") not in {"canonical", "prev", "next"}:
            self.found.append(attributes.get("href") or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Builds the site in strict mode and returns its folder."""
    if not HAS_MKDOCS:
        pytest.skip("mkdocs and mkdocs-material (group docs in pyproject.toml) could not be installed")
    folder = tmp_path_factory.mktemp("site")
    # --quiet would hide warnings from the strict mode, too.
    call = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    outcome = subprocess.run(
        call, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    return folder


def test_the_site_builds_strictly_and_has_every_page(site):
    """No link of the site is broken, and the site has every page of docs/ and the pages of the project."""
    expected = {path.relative_to(DOCS).with_suffix(".html").as_posix() for path in DOCS.rglob("*.md")}
    built = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}

    assert expected | {"project/contributing.html", "project/architecture.html", "project/changelog.html"} <= built


def test_the_site_loads_nothing_from_another_host(site):
    """Fonts, scripts, styles and pictures come only from the site itself."""
    loads = Loads()
    for page in site.rglob("*.html"):
        loads.feed(page.read_text("utf-8"))
    styles = "".join(path.read_text("utf-8") for path in site.rglob("*.css"))

    assert [each for each in loads.found if "//" in each] == []
    assert re.findall(r"url\(\s*[\"']?(?:https?:)?//[^)]*|@import[^;]*//[^;]*", styles) == []


def test_links_of_the_repository_work_on_the_site(site):
    """A link that leads out of docs/ leads to a page of the site, and a link to a missing file becomes its label."""
    from tools.docs_site import site_links

    assert site_links("[a](../CONTRIBUTING.md#habits)", "index.md") == "[a](project/contributing.md#habits)"
    assert site_links("[a](../decisions)", "guide/show.md") == "[a](../decisions/index.md)"
    assert site_links("[a](docs/security.md)", "project/security-policy.md") == "[a](../security.md)"
    assert site_links("[a](../pyproject.toml) b", "index.md") == "a b"
    assert site_links("[a](gone.md)", "index.md") == "[a](gone.md)"
    assert site_links("```\n[a](../CONTRIBUTING.md)\n```", "index.md") == "```\n[a](../CONTRIBUTING.md)\n```"
