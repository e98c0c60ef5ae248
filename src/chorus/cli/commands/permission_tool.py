"""`chorus permission-tool`: answer the permission prompts of `claude -p` in Chorus."""

import os
import sys
import threading
from importlib.metadata import version
from pathlib import Path

import click

from chorus.base import config
from chorus.base.processes import look
from chorus.cli.main import DISTRIBUTION
from chorus.cli.vault_ids import vault_option
from chorus.keep.sources.discover import config_folder
from chorus.steer.clients.registry import Registry
from chorus.steer.hooks import prompt_tool
from chorus.steer.hooks.client import ask

_FURTHEST = 16
"""Maximum number of processes between the client and this process."""


@click.command("permission-tool")
@vault_option
def permission_tool(*, vault: str | None) -> None:
    """Serve a tool on standard input and output that lets a person decide in Chorus. The client calls it:

    claude -p … --permission-prompt-tool mcp__chorus__approve
    --mcp-config '{"mcpServers":{"chorus":{"command":"chorus","args":["permission-tool"]}}}'

    Needs Claude Code 2.1.150 or newer, which reports its sessions. Other programs (sh -c, uvx, npx) may start the
    command: its session is that of the nearest client above it. If anything fails, the request is denied, with the
    reason.
    """
    home, cwd = str(config.home(vault).absolute()), str(Path.cwd())
    own, lock = version(DISTRIBUTION), threading.Lock()
    client: tuple[int, ...] | None = None

    def say(line: bytes) -> None:
        with lock:
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()

    def answer(message: prompt_tool.McpMessage, call: prompt_tool.Call) -> None:
        say(message.answered(_decide(home, cwd, call, client)))

    for line in sys.stdin.buffer:
        message = prompt_tool.read_message(line)
        if message is None:
            continue
        client = message.client or client
        call = message.call
        if call is not None:
            # Sub-agents ask in parallel: no request waits for the decision of another.
            threading.Thread(target=answer, args=(message, call), daemon=True).start()
        elif reply := message.reply(own):
            say(reply)


def _decide(home: str, cwd: str, call: prompt_tool.Call, client: tuple[int, ...] | None) -> str:
    session = _session_above(os.getppid())
    if session is None:
        is_old = client is not None and client < prompt_tool.OLDEST_CLIENT
        return prompt_tool.denial(prompt_tool.too_old(client) if is_old else prompt_tool.NO_SESSION)
    output = ask(home, call.hook_text(session, cwd), "prompt-tool")
    return prompt_tool.denial(prompt_tool.UNREACHABLE) if output is None else call.answer(output)


def _session_above(pid: int) -> str | None:
    """Return the session that the nearest client reports, from process `pid` upwards; None if there is none."""
    clients = {running.pid: running.session for running in Registry([config_folder()]).look().values()}
    for _ in range(_FURTHEST):
        if pid in clients:
            return clients[pid]
        seen = look(pid)
        if seen is None or seen.parent <= 1 or seen.parent == pid:
            return None
        pid = seen.parent
    return None
