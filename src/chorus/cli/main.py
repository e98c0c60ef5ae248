"""The `chorus` command: imports only the command that was called, and reports every error in one line.

Help and completion use only the table below, so they import no command and no rendering library.
"""

import gc
import importlib
import io
import os
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from chorus.errors import ChorusError, QueryError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

DISTRIBUTION = "chorus-agents"
FAILED, MISUSED, INTERRUPTED = 1, 2, 130
_COLLECT_EVERY = 20_000
"""New objects between two searches for garbage. With the usual 700, these take up to a tenth of a command's time."""
NO_PAGER = "chorus.no_pager"
"""The key of the global option `--no-pager` in the click context."""


class Entry(NamedTuple):
    """The location of a command and its summary for the help."""

    target: str
    """`module:attribute` of the click command."""
    summary: str


GROUPS: dict[str, dict[str, Entry]] = {
    "Read": {
        "serve": Entry("chorus.cli.commands.serve:serve", "Show all sessions in the browser, live, and record them."),
        "open": Entry("chorus.cli.commands.open:open_", "Print a new login link of the running server."),
        "phone": Entry("chorus.cli.commands.phone:phone", "Use Chorus on a phone: pair, list and revoke devices."),
        "list": Entry("chorus.cli.commands.list:list_", "List the recorded conversations."),
        "show": Entry("chorus.cli.commands.show:show", "Show a conversation in the terminal."),
        "files": Entry(
            "chorus.cli.commands.files:files", "Show every version of the files that a conversation touched."
        ),
        "replay": Entry("chorus.cli.commands.replay:replay", "Play a conversation over time, or write an asciicast."),
        "compare": Entry("chorus.cli.commands.compare:compare_", "Show two conversations next to each other."),
        "cost": Entry("chorus.cli.commands.cost:cost", "Show what was spent, next to what the client reported."),
        "usage": Entry("chorus.cli.commands.usage:usage", "Show tokens, cost, tools, waiting and activity."),
        "stats": Entry("chorus.cli.commands.stats:stats", "Count records, tokens, tools and unread lines."),
    },
    "Find": {
        "search": Entry("chorus.cli.commands.search:search", "Find what was said and done in all conversations."),
        "context": Entry("chorus.cli.commands.context:context", "Show what surrounds a hit of a search."),
        "index": Entry("chorus.cli.commands.index:index", "Bring the search index up to date, or rebuild it."),
    },
    "Keep": {
        "sync": Entry("chorus.cli.commands.sync:sync", "Record new sessions in the vault, once or live."),
        "service": Entry("chorus.cli.commands.service:service", "Record sessions in the background."),
        "doctor": Entry("chorus.cli.commands.doctor:doctor", "Report what is at risk, not recorded yet, or damaged."),
        "verify": Entry(
            "chorus.cli.commands.verify:verify", "Check the vault, or that reading a source loses no byte."
        ),
        "restore": Entry("chorus.cli.commands.restore:restore", "Write a session back to where the client finds it."),
        "pack": Entry("chorus.cli.commands.pack:pack", "Write a conversation and its side files into one file."),
        "unpack": Entry("chorus.cli.commands.unpack:unpack", "Write the session of a pack for another folder."),
        "history": Entry("chorus.cli.commands.history:history", "List what agents changed in the files of a folder."),
        "diff": Entry("chorus.cli.commands.diff:diff", "Show what a conversation changed in files."),
        "undo": Entry("chorus.cli.commands.undo:undo", "Take back what an agent changed in files."),
        "blame": Entry("chorus.cli.commands.blame:blame", "Show which prompt wrote each line of a file."),
        "commit-info": Entry("chorus.cli.commands.commit_info:commit_info", "Show which conversations wrote a commit."),
        "git": Entry("chorus.cli.commands.git:git", "Manage the snapshots of files that agents change."),
        "export": Entry("chorus.cli.commands.export:export", "Write a conversation as a file for somebody else."),
        "mark": Entry("chorus.cli.commands.mark:mark", "Set a title, star, tags or note, or archive a conversation."),
        "forget": Entry("chorus.cli.commands.forget:forget", "Remove conversations from the vault for good."),
        "init": Entry("chorus.cli.commands.init:init", "Make a folder a workspace with its own vault."),
        "config": Entry("chorus.cli.commands.config:config", "Read and change settings."),
    },
    "Steer": {
        "run": Entry("chorus.cli.commands.run:run", "Start an agent and watch it."),
        "resume": Entry("chorus.cli.commands.resume:resume", "Continue a recorded session, or a copy of it."),
        "board": Entry("chorus.cli.commands.board:board", "Show what every agent does, and which of them need you."),
        "runs": Entry("chorus.cli.commands.runs:runs", "List the agents that are running."),
        "attach": Entry("chorus.cli.commands.attach:attach", "Watch a run that works in the background."),
        "send": Entry("chorus.cli.commands.send:send", "Send a message to a running agent."),
        "interrupt": Entry(
            "chorus.cli.commands.interrupt:interrupt", "Interrupt a running agent; it then waits for a message."
        ),
        "set": Entry("chorus.cli.commands.set:set_", "Change the model or the permission mode of a running agent."),
        "stop": Entry("chorus.cli.commands.stop:stop", "End a run."),
        "tmux": Entry("chorus.cli.commands.tmux:tmux", "Show and steer sessions in panes of tmux."),
        "approvals": Entry(
            "chorus.cli.commands.approvals:approvals", "Show what agents ask for, and what was decided."
        ),
        "approve": Entry("chorus.cli.commands.approve:approve", "Allow what an agent asked for."),
        "deny": Entry("chorus.cli.commands.deny:deny", "Deny what an agent asked for."),
        "approver": Entry("chorus.cli.commands.approver:approver", "Manage who may approve."),
        "rules": Entry("chorus.cli.commands.rules:rules", "Let rules answer routine requests, tried on history first."),
        "budget": Entry("chorus.cli.commands.budget:budget", "Limit what runs, conversations and days may use."),
        "hooks": Entry("chorus.cli.commands.hooks:hooks", "Answer permission prompts of any terminal in Chorus."),
        "workspace": Entry("chorus.cli.commands.workspace:workspace", "Manage the folders in which agents work."),
        "agent": Entry("chorus.cli.commands.agent:agent", "Manage named agents and their settings."),
    },
    "Tools": {
        "read": Entry("chorus.cli.commands.read:read", "Print the records of a source, one JSON object per line."),
        "drift": Entry("chorus.cli.commands.drift:drift", "List what Chorus does not know in the data."),
        "permission-tool": Entry(
            "chorus.cli.commands.permission_tool:permission_tool",
            "Answer the permission prompts of `claude -p` in Chorus.",
        ),
        "fake-claude": Entry(
            "chorus.cli.commands.fake_claude:fake_claude", "Play a recorded run in place of `claude`."
        ),
        "completion": Entry("chorus.cli.commands.completion:completion", "Print the completion script of a shell."),
    },
}
"""The commands, in the groups and order of `--help`."""
COMMANDS: dict[str, Entry] = {name: entry for group in GROUPS.values() for name, entry in group.items()}


class LazyGroup(click.Group):
    """A group that imports a command only when it is called."""

    def __init__(self, name: str | None = None, *, groups: dict[str, dict[str, Entry]], **settings: Any) -> None:
        entries = {name: entry for group in groups.values() for name, entry in group.items()}
        # For a mistyped command, click takes its "did you mean" from the keys of this mapping.
        placeholders = {name: click.Command(name, short_help=entry.summary) for name, entry in entries.items()}
        super().__init__(name, placeholders, **settings)
        self.entries = entries
        self.groups = groups

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = self.entries.get(cmd_name)
        if entry is None:
            return None
        module, _, attribute = entry.target.partition(":")
        return getattr(_load(module), attribute)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        widest = max(map(len, self.entries))
        for title, group in self.groups.items():
            with formatter.section(title):
                # All groups have their summaries in the same column.
                formatter.write_dl([(name.ljust(widest), entry.summary) for name, entry in group.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem

        found = [
            CompletionItem(name, help=entry.summary)
            for name, entry in self.entries.items()
            if name.startswith(incomplete)
        ]
        return found + click.Command.shell_complete(self, ctx, incomplete)


def _load(name: str) -> ModuleType:
    """Import a command. Modules stay in memory, so the garbage collector skips them during the import and later."""
    if name in sys.modules:
        return sys.modules[name]
    is_watching = gc.isenabled()
    gc.disable()
    try:
        return importlib.import_module(name)
    finally:
        gc.freeze()
        if is_watching:
            gc.enable()


def _print_version(ctx: click.Context, _option: click.Parameter, value: bool) -> None:  # noqa: FBT001 - click's shape
    if not value or ctx.resilient_parsing:
        return
    from importlib import metadata

    try:
        version = metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        version = "(unknown version: not installed)"
    click.echo(f"chorus {version}")
    ctx.exit()


@click.group(cls=LazyGroup, groups=GROUPS, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version and exit.",
)
@click.option("--no-pager", is_flag=True, help="Do not use a pager for long output.")
@click.pass_context
def cli(ctx: click.Context, *, no_pager: bool) -> None:
    """Record, search, show and steer Claude Code sessions."""
    ctx.meta[NO_PAGER] = no_pager
    if os.environ.get("NO_COLOR"):
        ctx.color = False


@cli.result_callback()
def _nothing(*_: object, **__: object) -> None:
    """Ignore the return value of a command: only `ctx.exit` sets an exit code."""


def main(args: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0, 1 (failed), 2 (misused, or nothing to read), 130 (Ctrl-C)."""
    for stream in (sys.stdout, sys.stderr):
        # Characters that the encoding of the terminal lacks are printed as escapes instead of raising an error.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if args is None:
        # This process runs one command: between two collections it makes far more objects than a server does.
        gc.set_threshold(_COLLECT_EVERY, *gc.get_threshold()[1:])
    try:
        code = _run(args)
        if sys.stdout is not None:
            # Flush here, where the error of a closed pipe or a full disk can still be caught.
            sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
        return FAILED
    except OSError as error:
        _discard_output()
        return _complain(_plainly(error), FAILED)
    finally:
        if args is None:
            # At its end, the interpreter looks for garbage in all objects. The system takes their memory back anyway.
            gc.freeze()
    return code


def _run(args: Sequence[str] | None) -> int:
    try:
        return cli.main(args, prog_name="chorus", standalone_mode=False) or 0
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return MISUSED
    except click.UsageError as error:
        return _complain(_with_hint(error), MISUSED)
    except click.ClickException as error:
        return _complain(error.format_message(), MISUSED)
    except QueryError as error:
        # Its second and third line point at the place. They contain no control characters.
        sentence, *place = f"chorus: {error}\n".splitlines(keepends=True)
        click.echo("".join([_wrapped(sentence), *place]), err=True, nl=False)
        return MISUSED
    except ChorusError as error:
        return _complain(str(error), MISUSED)
    except (click.Abort, KeyboardInterrupt):
        # Flushing the buffer could block: its reader may be waiting for this process.
        _discard_output()
        return INTERRUPTED
    except SystemExit as leaving:
        return _complain(leaving.code, FAILED) if isinstance(leaving.code, str) else leaving.code or 0


def _with_hint(error: click.UsageError) -> str:
    message = error.format_message().strip()
    stop = "" if message.endswith((".", "?", "!")) else "."
    return f"{message}{stop} Try '{error.ctx.command_path if error.ctx else 'chorus'} --help'."


def _plainly(error: OSError) -> str:
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename else reason


def _complain(text: str, code: int) -> int:
    """Print `text` as one sentence on standard error, with control characters as escapes, and return `code`."""
    line = " ".join(text.split())
    shown = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in line)
    click.echo(_wrapped(f"chorus: {shown}\n"), err=True, nl=False)
    return code


def _wrapped(line: str) -> str:
    """Return a line wrapped between words, if it is for a terminal that is narrower."""
    if sys.stderr is None or not sys.stderr.isatty():
        return line
    from chorus.cli.prose import prose

    return prose(line.rstrip("\n"), on=sys.stderr)


def _discard_output() -> None:
    """Redirect standard output to the null device, so that the last flush of the interpreter cannot fail."""
    try:
        descriptor = sys.stdout.fileno()
    except (AttributeError, OSError, ValueError):
        return
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, descriptor)
    os.close(nothing)
