"""Counts the usage in turn results in another way: plain `json`, no code of Chorus."""

import re

FIELDS = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
MODELS = ("inputTokens", "outputTokens", "cacheCreationInputTokens", "cacheReadInputTokens")
PER_PROCESS_UNTIL = (2, 1, 150)


class Results:
    """The turn results of each session, in the order of their files."""

    def __init__(self):
        self.of = {}
        self.versions = {}
        self._seen = set()
        self._with_agents = set()

    def hear(self, path, whose, record, place):
        """Takes one record of the session `whose`."""
        version = record.get("version") or record.get("claude_code_version")
        if isinstance(version, str):
            self.versions.setdefault(whose, set()).add(version)
        if record.get("parent_tool_use_id") or record.get("agentId") or record.get("agent_id"):
            self._with_agents.add((whose, path))
        name = record.get("uuid") or place
        if record.get("type") == "result" and name not in self._seen:
            self._seen.add(name)
            self.of.setdefault(whose, []).append((path, record, (whose, path) in self._with_agents))

    def has_models(self, whose):
        return any(record.get("modelUsage") for _, record, _ in self.of.get(whose, ()))

    def used(self, whose):
        """Returns what each turn result of the session added: four counts each."""
        numbers = [tuple(map(int, re.findall(r"\d+", version)[:3])) for version in self.versions.get(whose, ())]
        goes_on = not numbers or max(numbers) > PER_PROCESS_UNTIL
        before, found = None, []
        for path, record, has_agents in self.of.get(whose, ()):
            totals = {
                model: [used.get(key) or 0 for key in MODELS]
                for model, used in (record.get("modelUsage") or {}).items()
            }
            own = turn_counts(record)
            if not totals:
                found += [own] if own else []
                continue
            stated = record.get("model_usage_since_last_result")
            if stated is not None:
                found.append(added_up([[used.get(key) or 0 for key in MODELS] for used in stated.values()]))
            elif before is not None and (goes_on or before[0] == path):
                grown = []
                for model, total in totals.items():
                    less = before[1].get(model, [0] * 4)
                    change = [now - then for now, then in zip(total, less, strict=True)]
                    grown.append(change if min(change) >= 0 else total)
                found.append(added_up(grown))
            elif not goes_on or own is None or has_agents or own in totals.values():
                found.append(added_up(totals.values()))
            else:
                most = max(totals.values(), key=sum)
                holds = all(total >= part for total, part in zip(most, own, strict=True))
                found.append(own if holds else added_up(totals.values()))
            before = (path, totals)
        return found


def turn_counts(record):
    """Returns the counts that a turn result gives for its turn alone; None if it gives none."""
    usage = record.get("usage") or {}
    outcome = record.get("result") if isinstance(record.get("result"), dict) else {}
    given = outcome.get("usage") or {}
    if usage:
        return [usage.get(field) or 0 for field in FIELDS]
    return [given.get("inputTokens") or 0, given.get("outputTokens") or 0, 0, 0] if given else None


def added_up(many):
    return [sum(counts) for counts in zip(*many, strict=True)] if many else [0] * 4
