"""Builds vaults that grow piece by piece, and reads their index."""

from random import Random

from chorus.keep.archive.listing import Kept
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.port import Vault
from chorus.testing.indexes import SEEN_AT, WORKSPACE, kept_in
from tests.core.conversation.talks import Talk

NAMES = {"main.jsonl": "session", "stdout.jsonl": "stdout", "stdin.jsonl": "stdin"}


def pieces_of(talk: Talk, conversation: str) -> dict[StreamKey, list[bytes]]:
    """Returns the lines of each stream of a conversation."""
    sources = {"session": bytes(talk.file), "stdout": bytes(talk.stdout) + b"".join(talk.noise)}
    sources["stdin"] = bytes(talk.stdin)
    sources |= {f"agent-{agent.agent_id}": bytes(agent) for agent in talk.file.agents}
    return {
        StreamKey(WORKSPACE, "main", conversation, stream): data.splitlines(keepends=True)
        for stream, data in sources.items()
        if data
    }


def grow(vault: Vault, pieces: dict[StreamKey, list[bytes]], random: Random) -> bool:
    """Appends some lines of some stream, and returns whether any were left."""
    left = [key for key, lines in pieces.items() if lines]
    if not left:
        return False
    for key in random.sample(left, random.randint(1, len(left))):
        count = random.randint(1, max(1, len(pieces[key]) // 2))
        vault.append(key, b"".join(pieces[key][:count]), seen_at=SEEN_AT)
        del pieces[key][:count]
    vault.flush()
    return True


def the_only(vault: Vault) -> Kept:
    (kept,) = kept_in(vault)
    return kept
