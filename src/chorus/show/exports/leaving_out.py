"""Removes what is not shared from records: the output of tools, thinking, images."""

import json
from typing import Any

from chorus.show.exports.selection import Selection

LEFT_OUT = "[left out of this export]"
_RESULTS = ("toolUseResult", "tool_use_result", "toolUseResults")
_THINKING = ("thinking", "redacted_thinking", "thinking_delta", "signature_delta")
_PROGRESS = (b'"type":"progress"', b'"type": "progress"', b'"tool_progress"')


def without(data: bytes, selection: Selection) -> bytes | None:
    """Returns the JSON text of a record without what the selection leaves out; None if nothing of it is left.

    A text in which nothing is left out is returned as it is.
    """
    if selection.has_tool_output and selection.has_thinking and selection.has_images:
        return data
    if not selection.has_tool_output and any(mark in data for mark in _PROGRESS):
        return None
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return data
    cutter = _Cutter(selection)
    left = cutter.of(value)
    if left is None:
        return None
    return (
        json.dumps(left, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
        if (cutter.has_cut)
        else data
    )


class _Cutter:
    def __init__(self, selection: Selection) -> None:
        self._selection = selection
        self.has_cut = False

    def of(self, value: Any) -> Any:
        """Returns a value without what is left out; None for a block that is left out completely."""
        match value:
            case dict():
                return self._object(value)
            case list():
                return [new for each in value if (new := self.of(each)) is not None or each is None]
            case _:
                return value

    def _object(self, value: dict[str, Any]) -> dict[str, Any] | None:
        kind = value.get("type")
        if not self._selection.has_thinking and kind in _THINKING:
            self.has_cut = True
            return None
        if not self._selection.has_images and kind in ("image", "document") and "source" in value:
            self.has_cut = True
            return {"type": "text", "text": LEFT_OUT}
        if not self._selection.has_tool_output and isinstance(kind, str) and kind.endswith("tool_result"):
            self.has_cut = True
            return {**value, "content": LEFT_OUT}
        new: dict[str, Any] = {}
        for name, inner in value.items():
            if name in _RESULTS and not self._selection.has_tool_output:
                self.has_cut = True
                continue
            if name == "base64" and not self._selection.has_images:
                self.has_cut = True
                continue
            left = self.of(inner)
            if left is None and inner is not None:
                # An event whose only content was left out has nothing to say any more.
                return None
            new[name] = left
        return new
