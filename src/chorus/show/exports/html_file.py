"""Writes a conversation as one HTML file: the web application, and the data that it shows.

The file loads nothing and sends nothing. Its policy allows one script, known by its hash. The data is compressed JSON
in an element that no browser runs. Without scripts, a browser shows the Markdown instead.
"""

import hashlib
import html
import re
import zlib
from base64 import b64encode
from pathlib import Path

from msgspec import Struct

from chorus.errors import ChorusError

BUNDLE = Path(__file__).parents[1] / "server" / "app" / "exported"
"""The web application as one script and one style sheet."""
_LEVEL = 7
"""Higher levels take half as long again and save half a percent."""
_MARKUP = re.compile(r"<(!--|/?script)", re.IGNORECASE)
"""What an HTML parser would act on inside of a script."""
_POLICY = (
    "default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; img-src data: blob:; "
    "form-action 'none'; base-uri 'none'; object-src 'none'; "
    "require-trusted-types-for 'script'; trusted-types chorus"
)
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div id="root"></div>
<noscript><pre>{markdown}</pre></noscript>
<script type="application/json" id="chorus-data">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""


class Application(Struct, frozen=True):
    """The application for exported files."""

    script: str
    style: str


def read_bundle(folder: Path = BUNDLE) -> Application:
    """Returns the application. Raises `ChorusError` if it was not built."""
    try:
        script = (folder / "exported.js").read_text("utf-8")
        style = (folder / "exported.css").read_text("utf-8")
    except OSError:
        raise ChorusError(
            "the application for exported files was not built; in a checkout of the source, `./dev serve` builds it"
        ) from None
    if "</style" in style.lower():
        raise ChorusError("the style sheet for exported files cannot be put into a page; build it again")
    # Such text occurs in strings and patterns only, where the escape means the same.
    return Application(_MARKUP.sub(r"\\x3c\1", script), style)


def html_file(data: bytes, markdown: str, title: str, bundle: Application) -> bytes:
    """Returns the file. `data` is JSON, `markdown` the text that is shown without scripts."""
    packer = zlib.compressobj(_LEVEL, wbits=-zlib.MAX_WBITS)
    packed = packer.compress(data) + packer.flush()
    policy = _POLICY.format(script=_hash(bundle.script), style=_hash(bundle.style))
    page = _PAGE.format(
        policy=html.escape(policy, quote=True).replace("&#x27;", "'"),
        title=html.escape(title),
        style=bundle.style,
        markdown=html.escape(markdown, quote=False),
        data='{"encoding":"deflate-raw+base64","data":"' + b64encode(packed).decode() + '"}',
        script=bundle.script,
    )
    return page.encode("utf-8", "replace")


def _hash(text: str) -> str:
    return b64encode(hashlib.sha256(text.encode()).digest()).decode()
