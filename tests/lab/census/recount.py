"""Counts the same numbers as `chorus stats` in another way: plain `json`, whole files, dicts; slow and simple.

It uses no code of Chorus, so that a mistake there is not repeated here.
"""

import json
import re
from collections import Counter
from operator import ge
from pathlib import Path

from tests.lab.census.results import Results, added_up

PARTS = ("input", "output", "cache_creation", "cache_read")
FIELDS = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def objects(text):
    """Yields (offset, object) for every JSON object in a text of whole lines; None for a line that begins no object."""
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
    """Yields (message, uuid of its line) for each model message: its own, a sub-agent's, mirrored or streamed."""
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


REFUSALS = (
    "The user doesn't want to ",
    "The agent proposed a plan that was rejected",
    "User rejected ",
    "User declined ",
    "Claude requested permissions to ",
    "Permission to use ",
    "Permission for this action ",
    "Auto mode is unavailable: ",
    "PreToolUse:",
    "Tool permission request failed: ",
)


def is_refused(record, block):
    """Returns whether an error result says that the call was refused, by its words or by the fields beside it."""
    content = block.get("content")
    if isinstance(content, list):
        content = "".join(part.get("text") or "" for part in content if isinstance(part, dict))
    if not isinstance(content, str) or "stopped while running, not refused" in content:
        return False
    for meta in record.get("tool_result_meta") or ():
        if meta.get("id") == block["tool_use_id"]:
            decision = (meta.get("permission_decision") or {}).get("decision")
            return decision in ("reject", "deny") or (decision is None and bool(meta.get("non_execution_kind")))
    decision = (record.get("permissionDecision") or {}).get("decision")
    if decision or record.get("toolDenialKind"):
        return decision in ("reject", "deny") or decision is None
    return content.removeprefix("<tool_use_error>").startswith(REFUSALS)


def recount(paths):
    """Returns the numbers in the documented form of `chorus stats --json`, without `unknown`."""
    records, subtypes, blocks, models, versions = Counter(), Counter(), Counter(), {}, Counter()
    uses, inputs, errors, tool_of = Counter(), {}, Counter(), {}
    calls, results, sessions, tokens, ends = set(), set(), set(), {}, Results()
    said_in, ended, flat_calls = {}, set(), set()
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
                    if block["type"] == "tool_use" and block["id"] not in flat_calls:
                        uses[block["name"]] += 1
                        inputs.setdefault(block["name"], Counter()).update(block["input"].keys())
                        calls.add(block["id"])
                        tool_of[block["id"]] = block["name"]
                    if block["type"] == "tool_result":
                        results.add(block["tool_use_id"])
                        errors[block["tool_use_id"]] += block.get("is_error") is True and not is_refused(record, block)
            if kind == "tool_use" and (call := record.get("id") or place) not in calls:
                calls.add(call)
                flat_calls.add(call)
                tool_of[call] = record.get("toolName") or record.get("tool_name") or record.get("name") or ""
                given = record.get("toolInput") or record.get("tool_input") or record.get("input") or {}
                uses[tool_of[call]] += 1
                inputs.setdefault(tool_of[call], Counter()).update(given.keys())
            if kind == "tool_result":
                answered = record.get("toolUseId") or record.get("tool_use_id") or place
                results.add(answered)
                errors[answered] += (record.get("isError") or record.get("is_error")) is True
            for message, uuid in messages_with_usage(record):
                if message.get("usage") and message.get("model") != "<synthetic>":
                    name = message.get("id") or uuid or place
                    raise_to(tokens, name, message["usage"])
                    said_in[name] = session or last_session or path
                    sessions_with_usage.add(said_in[name])
                    if message.get("stop_reason"):
                        ended.add(name)
            if kind == "stream_event":
                event = record.get("event") or {}
                if event.get("type") == "message_start":
                    open_message = (event.get("message") or {}).get("id")
                if event.get("type") == "message_delta" and event.get("usage") and open_message:
                    raise_to(tokens, open_message, event["usage"])
                    if (event.get("delta") or {}).get("stop_reason"):
                        ended.add(open_message)
            ends.hear(path, session or last_session or path, record, place)
        sessions |= ids or ({str(path)} if re.search(rb"\{", data) else set())
    total = dict.fromkeys(PARTS, 0)
    for whose in ends.of:
        told = {name for name, session in said_in.items() if session == whose}
        used = added_up(ends.used(whose))
        least = added_up([tokens[name] for name in told])
        is_open = ends.has_models(whose) and not told & ended
        if whose not in sessions_with_usage or (is_open and all(map(ge, used, least))):
            tokens = {name: counts for name, counts in tokens.items() if name not in told} | {("turns", whose): used}
    for counts in tokens.values():
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
        "lower_bounds": sum(name not in ended for name in tokens if name[0] != "turns"),
        "unread": unread,
    }


def raise_to(tokens, name, usage):
    known = tokens.setdefault(name, [0, 0, 0, 0])
    for n, field in enumerate(FIELDS):
        known[n] = max(known[n], usage.get(field) or 0)
