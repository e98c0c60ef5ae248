"""Hooks of the documentation site: `./dev docs` runs mkdocs, and mkdocs calls this file.

The pages must work in two places: on the site, and as plain files of the repository. In the repository a page may link
to any file, also outside of `docs/`. Here such a link is changed into one that works on the site. What is missing in
both places is left as it is, so that the strict build fails.
"""

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
OUTSIDE = {
    "CONTRIBUTING.md": "project/contributing.md",
    "ARCHITECTURE.md": "project/architecture.md",
    "CHANGELOG.md": "project/changelog.md",
    "RELEASING.md": "project/releasing.md",
    "SECURITY.md": "project/security-policy.md",
    "CODE_OF_CONDUCT.md": "project/code-of-conduct.md",
    "bench/README.md": "project/benchmarks.md",
}
"""Files outside of `docs/` that are pages of the site, with their place there."""

_INSIDE = {place: name for name, place in OUTSIDE.items()}
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
_FENCE = re.compile(r"^\s*(```|~~~)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Lists every decision in the navigation, below the index of decisions."""
    for section in config.nav or []:
        if isinstance(section, dict) and "Decisions" in section:
            pages = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
            section["Decisions"] = ["decisions/index.md", *(f"decisions/{page.name}" for page in pages)]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages that are outside of `docs/`."""
    for name, place in OUTSIDE.items():
        files.append(File.generated(config, place, content=(ROOT / name).read_text("utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Changes the links of a page into links that work on the site."""
    return site_links(markdown, page.file.src_uri)


def site_links(markdown: str, page: str) -> str:
    """Returns the text of the site's page `page`, with links of the repository changed into links of the site."""
    lines: list[str] = []
    is_code = False
    for line in markdown.split("\n"):
        if _FENCE.match(line):
            is_code = not is_code
        lines.append(line if is_code else _LINK.sub(lambda found: _site_link(found, page), line))
    return "\n".join(lines)


def _site_link(found: re.Match[str], page: str) -> str:
    mark, label, link = found.groups()
    target, hash_sign, anchor = link.partition("#")
    if not target or "://" in target or target.startswith("mailto:"):
        return found.group()
    here = _INSIDE.get(page, f"docs/{page}")
    name = posixpath.normpath(posixpath.join(posixpath.dirname(here), target))
    if (ROOT / name).is_dir() and (ROOT / name / "index.md").exists():
        name += "/index.md"
    if name in OUTSIDE:
        place = OUTSIDE[name]
    elif name.startswith("docs/"):
        place = name.removeprefix("docs/")
    elif (ROOT / name).exists():
        # The file is in the repository but not on the site, and the site names no host: the label remains.
        return label
    else:
        return found.group()
    return f"{mark}[{label}]({posixpath.relpath(place, posixpath.dirname(page) or '.')}{hash_sign}{anchor})"
