"""The same numbers as `chorus stats`, counted another way: plain `json`, whole files, dicts; slow and simple.

Nothing of Chorus is used, so that a mistake there is not repeated here.
"""

import json
import re
from collections import Counter
from pathlib import Path

PARTS = ("input", "output", "cache_creation", "cache_read")
FIELDS = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def objects(text):
    """(offset, object) of every JSON object in a text of whole lines; None for a line that begins no object."""
    decoder = json.JSONDecoder()
    at = 0
    while at < len(text):
        if text[at] in " \t\r\n" or text[at] in "[,]":
            at += 1
        elif text[at] == "{":
            try:
                found, end = decoder.raw_decode(text, at)
            except ValueError:
                end = text.find("\n", at)
                found, end = None, len(text) if end < 0 else end
            yield at, found
            at = end
        else:
            end = text.find("\n", at)
            yield at, None
            at = len(text) if end < 0 else end


def blocks_of(record):
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def messages_with_usage(record):
    """(message, uuid of its line) for each model message in a record: its own, a sub-agent's, mirrored, streamed."""
    if record.get("type") == "assistant":
        yield record.get("message") or {}, record.get("uuid")
    if record.get("type") == "progress" and (record.get("data") or {}).get("type") == "agent_progress":
        inner = record["data"].get("message")
        if isinstance(inner, dict) and inner.get("type") == "assistant":
            yield inner.get("message") or {}, inner.get("uuid")
    if record.get("type") == "transcript_mirror":
        for entry in record.get("entries") or ():
            yield from messages_with_usage(entry)
    if record.get("type") == "stream_event" and (record.get("event") or {}).get("type") == "message_start":
        yield record["event"].get("message") or {}, None


def recount(paths):
    """The documented shape of `chorus stats --json`, without `unknown`."""
    records, subtypes, blocks, models, versions = Counter(), Counter(), Counter(), {}, Counter()
    uses, inputs, errors, tool_of = Counter(), {}, Counter(), {}
    calls, results, sessions, tokens, turns = set(), set(), set(), {}, {}
    sessions_with_usage, size, lines, unread = set(), 0, 0, 0
    for path in paths:
        data = Path(path).read_bytes()
        size += len(data)
        lines += sum(bool(line.strip()) for line in data.split(b"\n"))
        last_session, open_message, ids = None, None, set()
        for at, record in objects(data.decode()):
            if record is None:
                unread += 1
                continue
            place = f"{path}@{at}"
            kind = record.get("type") or "(no type)"
            records[kind] += 1
            if record.get("subtype"):
                subtypes[f"{kind}/{record['subtype']}"] += 1
            version = record.get("version") or record.get("claude_code_version")
            if isinstance(version, str):
                versions[version] += 1
            session = record.get("sessionId") or record.get("session_id")
            if session and not (kind == "system" and str(record.get("subtype")).startswith("hook_")):
                ids.add(session)
                last_session = session
            if kind == "assistant":
                message = record.get("message") or {}
                name = message.get("id") or record.get("uuid") or place
                models[name] = models.get(name) or message.get("model")
            if kind in ("user", "assistant"):
                for block in blocks_of(record):
                    blocks[block["type"]] += 1
                    if block["type"] == "tool_use":
                        uses[block["name"]] += 1
                        inputs.setdefault(block["name"], Counter()).update(block["input"].keys())
                        calls.add(block["id"])
                        tool_of[block["id"]] = block["name"]
                    if block["type"] == "tool_result":
                        results.add(block["tool_use_id"])
                        errors[block["tool_use_id"]] += block.get("is_error") is True
            if kind == "tool_use":
                calls.add(record.get("id") or place)
            if kind == "tool_result":
                results.add(record.get("toolUseId") or record.get("tool_use_id") or place)
            for message, uuid in messages_with_usage(record):
                if message.get("usage") and message.get("model") != "<synthetic>":
                    raise_to(tokens, message.get("id") or uuid or place, message["usage"])
                    sessions_with_usage.add(session or last_session or path)
            if kind == "stream_event":
                event = record.get("event") or {}
                if event.get("type") == "message_start":
                    open_message = (event.get("message") or {}).get("id")
                if event.get("type") == "message_delta" and event.get("usage") and open_message:
                    raise_to(tokens, open_message, event["usage"])
            if kind == "result":
                outcome = record.get("result") if isinstance(record.get("result"), dict) else {}
                usage = record.get("usage") or {}
                given = outcome.get("usage") or {}
                counts = [usage.get(field) or 0 for field in FIELDS]
                counts[0] += 0 if usage else given.get("inputTokens") or 0
                counts[1] += 0 if usage else given.get("outputTokens") or 0
                turns[record.get("uuid") or place] = (session or last_session or path, counts)
        sessions |= ids or ({str(path)} if re.search(rb"\{", data) else set())
    total = dict.fromkeys(PARTS, 0)
    for counts in [*tokens.values(), *(counts for whose, counts in turns.values() if whose not in sessions_with_usage)]:
        for part, count in zip(PARTS, counts, strict=True):
            total[part] += count
    failed = Counter()
    for call, times in errors.items():
        if call in tool_of:
            failed[tool_of[call]] += times
    return {
        "files": len(paths),
        "bytes": size,
        "lines": lines,
        "records": dict(records),
        "subtypes": dict(subtypes),
        "blocks": dict(blocks),
        "tools": [
            {"name": name, "uses": uses[name], "errors": failed[name], "inputs": dict(inputs[name])}
            for name in sorted(uses, key=lambda name: (-uses[name], name))
        ],
        "models": dict(Counter(model for model in models.values() if model)),
        "versions": dict(versions),
        "conversations": len(sessions),
        "messages": len(models),
        "tool_calls": len(calls),
        "tool_results": len(results),
        "calls_without_result": len(calls - results),
        "results_without_call": len(results - calls),
        "tokens": total,
        "unread": unread,
    }


def raise_to(tokens, name, usage):
    known = tokens.setdefault(name, [0, 0, 0, 0])
    for n, field in enumerate(FIELDS):
        known[n] = max(known[n], usage.get(field) or 0)
