"""Content blocks, of which the messages of all dialects consist."""

from collections.abc import Sequence
from typing import Any

Block = dict[str, Any]
"""One content block, as its JSON object."""

# A PNG of one pixel: small, but a valid image.
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="


def text(words: str) -> Block:
    return {"type": "text", "text": words}


def thinking(words: str, *, signature: str = "c2lnbmVk") -> Block:
    return {"type": "thinking", "thinking": words, "signature": signature}


def tool_use(name: str, given: dict[str, Any] | None = None, *, id: str = "toolu_1") -> Block:  # noqa: A002 - as on the wire
    return {"type": "tool_use", "id": id, "name": name, "input": given or {}}


def tool_result(call: str, content: Any = "", *, is_error: bool | None = None) -> Block:
    """Returns the result of `call`; `is_error` is left out when it is None, as clients often do."""
    block = {"type": "tool_result", "tool_use_id": call, "content": content}
    return block if is_error is None else {**block, "is_error": is_error}


def image(data: str = PIXEL, media_type: str = "image/png") -> Block:
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}


def blocks_of(content: Sequence[str | Block]) -> list[Block]:
    """Returns blocks unchanged, and strings as text blocks."""
    return [text(part) if isinstance(part, str) else part for part in content]
