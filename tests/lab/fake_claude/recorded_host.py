"""Plays the host of a recording: it sends the recorded lines, each as soon as it could have been sent."""

from itertools import groupby

from chorus.lab.fake_claude.lines import at, text_at


def schedule(lines, sent):
    """Returns what to send, as (number of lines to read first, bytes to send in one piece)."""
    plan, last, prompts = [], 0, 0
    ends = [number + 1 for number, line in enumerate(lines) if line.kind == "result"]
    for line in sent:
        after = last
        if line.kind == "user":
            is_queued = bool(text_at(line.value, "uuid")) and prompts
            after = 0 if is_queued or not prompts else ends[prompts - 1]
            prompts += 1
        elif line.kind == "control_request":
            after = _before_reply(lines, ends, line)
        elif line.kind == "control_response":
            asked = text_at(line.value, "response", "request_id")
            after = 1 + next(n for n, each in enumerate(lines) if _asks(each, asked))
        last = max(last, after)
        plan.append((last, line.raw))
    return [(after, b"".join(raw for _, raw in group)) for after, group in groupby(plan, key=lambda each: each[0])]


def _before_reply(lines, ends, request):
    name = text_at(request.value, "request_id")
    place = next((n for n, line in enumerate(lines) if text_at(line.value, "response", "request_id") == name), 0)
    if at(request.value, "request", "subtype") != "interrupt":
        return max((end for end in ends if end <= place), default=0)
    while lines[place - 1].kind == "control_cancel_request":
        place -= 1
    return place


def _asks(line, name):
    return line.kind == "control_request" and text_at(line.value, "request_id") == name
