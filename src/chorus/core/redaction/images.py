"""Flags images: what they show cannot be searched, so a person has to look at them."""

import hashlib

from chorus.core.redaction.rule import Rule

IMAGE = Rule("image", "Image: look at it yourself", (), "", "content blocks of type image", kind="image")
FIELDS = ("data", "base64", "url")
"""The keys beside which images are."""
MIN_CHARS = 64
_STARTS = {
    "iVBORw0KGgo": "PNG",
    "/9j/": "JPEG",
    "R0lGOD": "GIF",
    "UklGR": "WebP",
    "JVBERi0": "PDF",
    "Qk": "BMP",
    "PHN2Zy": "SVG",
    "AAAAIGZ0eXA": "AVIF or HEIC",
}


def image_of(text: str) -> str | None:
    """Returns what kind of image a string of JSON holds, with its size and digest; None if it holds none."""
    if len(text) < MIN_CHARS:
        return None
    body = text.partition("base64,")[2] if text.startswith("data:") else text
    kind = next((kind for start, kind in _STARTS.items() if body.startswith(start)), None)
    if kind is None:
        return None
    digest = hashlib.sha256(body.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{kind}, {len(body) * 3 // 4:,} bytes, {digest}"
