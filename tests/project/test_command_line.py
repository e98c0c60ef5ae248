"""Tests of the `chorus` command as a person uses it: help, errors, pipes, colour, completion."""

import importlib
import os
import pkgutil
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import click
import pytest

import chorus.cli.commands
from chorus.cli.main import COMMANDS, GROUPS, LazyGroup, cli, main
from chorus.errors import ChorusError, SourceUnreadable

PATIENCE_S = 60


def command_that(monkeypatch, act):
    """Makes `chorus probe` run `act`."""
    probe = click.Command("probe", callback=act)
    monkeypatch.setattr(LazyGroup, "get_command", lambda _self, _ctx, name: probe if name == "probe" else None)


def raising(error):
    def act():
        raise error

    return act


def run_python(code, **options):
    """Runs `code` in a new interpreter that writes through a buffer, as a real one does."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    environment.update(options.pop("environment", {}))
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
        **options,
    )


PROBE = """
import sys, click
from chorus.cli.main import LazyGroup, main

def act():
{body}

LazyGroup.get_command = lambda self, ctx, name: click.Command("probe", callback=act)
sys.exit(main(["probe"]))
"""


def probe(*lines):
    """Returns a program that runs `chorus probe`, a command of these lines."""
    return PROBE.format(body="\n".join(f"    {line}" for line in lines))


def modules_after(*arguments):
    """Returns the names of all modules that `chorus` loads with these arguments."""
    outcome = run_python(f"""
        import sys
        from chorus.cli.main import main
        try:
            main({list(arguments)!r})
        finally:
            print("\\nMODULES", *sys.modules)
    """)
    assert outcome.returncode == 0, outcome.stderr
    return set(outcome.stdout.rpartition("MODULES")[2].split())


@pytest.mark.parametrize("argument", ["--help", "-h", "--version"])
def test_help_loads_nothing_heavy(argument):
    """Help and version load only the command table and the errors, and no renderer, decoder or command."""
    loaded = modules_after(argument)

    assert not loaded & {"rich", "msgspec", "asyncio", "sqlite3", "subprocess"}
    assert {name for name in loaded if name.partition(".")[0] == "chorus"} == {
        "chorus",
        "chorus.cli",
        "chorus.cli.main",
        "chorus.errors",
    }


@pytest.mark.parametrize("argument", ["--version", "sync --nothing"])
def test_a_command_leaves_its_memory_to_the_system(argument):
    """At the end of a command, the interpreter has no objects left in which it would look for garbage."""
    outcome = run_python(f"""
        import atexit, gc, sys
        from chorus.cli.main import main
        atexit.register(lambda: print("LEFT", gc.get_freeze_count() > 10_000))
        sys.argv = ["chorus", *{argument!r}.split()]
        main()
    """)

    assert outcome.stdout.split()[-2:] == ["LEFT", "True"]


def test_help_lists_every_command(capsys):
    """`chorus --help` names each command of the table with its summary."""
    assert main(["--help"]) == 0

    shown = " ".join(capsys.readouterr().out.split())
    assert all(f"{name} {entry.summary}" in shown for name, entry in COMMANDS.items())


def test_every_command_has_one_group():
    """Each command that a module of `chorus.cli.commands` defines is in exactly one group of the help."""
    defined = set()
    for found in pkgutil.iter_modules(chorus.cli.commands.__path__, "chorus.cli.commands."):
        commands = [
            each for each in vars(importlib.import_module(found.name)).values() if isinstance(each, click.Command)
        ]
        below = [sub for each in commands if isinstance(each, click.Group) for sub in each.commands.values()]
        defined |= {each.name for each in commands if each not in below and each is not cli}
    grouped = [name for group in GROUPS.values() for name in group]

    assert sorted(grouped) == sorted(defined)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_of_the_table_exists(name):
    """Each command of the table can be imported, has the name under which it is listed, and has a help text."""
    command = cli.get_command(click.Context(cli), name)

    assert isinstance(command, click.Command)
    assert (command.name, bool(command.help)) == (name, True)


def test_the_module_is_the_command():
    """`python -m chorus` does what `chorus` does."""
    call = [sys.executable, "-m", "chorus", "--help"]
    outcome = subprocess.run(call, capture_output=True, text=True, timeout=PATIENCE_S, check=True)

    assert outcome.stdout.startswith("Usage: chorus [OPTIONS]")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["raed"], "chorus: No such command 'raed'. Did you mean 'read'? Try 'chorus --help'.\n"),
        (["--colour"], "chorus: No such option '--colour'. Try 'chorus --help'.\n"),
        (
            ["completion"],
            "chorus: Missing argument 'SHELL'. Choose from: bash, zsh, fish. Try 'chorus completion --help'.\n",
        ),
        (["completion", "fish", "x"], "chorus: Got unexpected extra argument (x). Try 'chorus completion --help'.\n"),
    ],
)
def test_misuse_is_one_line(arguments, line, capsys):
    """A usage error is one line on standard error that says where to find help, and the exit code is 2."""
    assert main(arguments) == 2
    assert capsys.readouterr() == ("", line)


@pytest.mark.parametrize(
    "error", [ChorusError("no\n  luck"), SourceUnreadable("no luck"), click.ClickException("no luck")]
)
def test_an_expected_error_is_one_line(error, monkeypatch, capsys):
    """An expected error is printed in one line, without a traceback, and the exit code is 2."""
    command_that(monkeypatch, raising(error))

    assert main(["probe"]) == 2
    assert capsys.readouterr() == ("", "chorus: no luck\n")


def test_an_error_cannot_steer_the_terminal(monkeypatch, capsys):
    """Control characters in the text of an error, for example from a file name, are shown as escapes."""
    command_that(monkeypatch, raising(ChorusError("a\x1b]0;title\x07 \u202eb")))

    assert main(["probe"]) == 2
    assert capsys.readouterr().err == "chorus: a\\x1b]0;title\\x07 \\u202eb\n"


def test_our_own_mistake_keeps_its_traceback(monkeypatch):
    """An unexpected error keeps its traceback and is not shown as a mistake of the user."""
    command_that(monkeypatch, raising(KeyError("bug")))

    with pytest.raises(KeyError):
        main(["probe"])


@pytest.mark.parametrize(
    ("arguments", "code"), [(["--help"], 0), (["--version"], 0), ([], 2), (["completion", "fish"], 0)]
)
def test_exit_codes(arguments, code, capsys):
    """A successful command has exit code 0, and `chorus` alone shows its help and has exit code 2."""
    assert main(arguments) == code


def test_a_command_chooses_its_exit_code(monkeypatch):
    """The shell gets the exit code that the command chooses."""
    command_that(monkeypatch, lambda: click.get_current_context().exit(7))

    assert main(["probe"]) == 7


def test_what_a_command_returns_is_not_an_exit_code(monkeypatch):
    """A command that returns a value, for example a number of lines, has not failed."""
    command_that(monkeypatch, lambda: 7)

    assert main(["probe"]) == 0


def test_an_error_after_output_to_a_closed_pipe_is_one_line():
    """An error is one line even if the reader of the earlier output is gone."""
    reader, writer = os.pipe()
    os.close(reader)
    code = probe("from chorus.errors import ChorusError", "sys.stdout.write('some')", "raise ChorusError('no luck')")
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    call = [sys.executable, "-c", code]
    outcome = subprocess.run(
        call, env=environment, stdout=writer, stderr=subprocess.PIPE, timeout=PATIENCE_S, check=False
    )
    os.close(writer)

    assert (outcome.returncode, outcome.stderr) == (1, b"chorus: no luck\n")


def test_interrupt_is_130_and_quiet():
    """Ctrl-C ends with exit code 130 and prints no traceback."""
    outcome = run_python(probe("import os, signal", f"os.kill(os.getpid(), {int(signal.SIGINT)})", "input()"))

    assert (outcome.returncode, outcome.stderr.strip()) == (130, "")


@pytest.mark.parametrize(
    "body",
    [
        ["for number in range(100_000): click.echo(number)"],
        ["for number in range(100_000): sys.stdout.write(f'{number}\\n')"],
        ["sys.stdin.read()", "sys.stdout.write('still in the buffer when the command returns')"],
        ["sys.stdin.read()", "sys.stdout.write('still in the buffer when it leaves')", "sys.exit(1)"],
    ],
    ids=["echo", "write", "last flush", "own exit"],
)
def test_a_closed_pipe_is_quiet(body):
    """When the reader ends early, as `head` does, standard error stays empty, even when the interpreter exits."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", probe(*body)], env=environment, **pipes) as writer:
        assert writer.stdin and writer.stdout and writer.stderr
        if len(body) == 1:
            writer.stdout.readline()
        writer.stdout.close()
        writer.stdin.close()
        said = writer.stderr.read()
        writer.wait(PATIENCE_S)

    assert (said, writer.returncode) == (b"", 1)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_one_line():
    """If output cannot be written, one line says so, and the exit code is not 0."""
    with Path("/dev/full").open("w") as full:
        call = [sys.executable, "-m", "chorus", "--help"]
        outcome = subprocess.run(call, stdout=full, stderr=subprocess.PIPE, timeout=PATIENCE_S, check=False)

    assert (outcome.returncode, outcome.stderr) == (1, b"chorus: No space left on device\n")


@pytest.mark.parametrize(("setting", "coloured"), [({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({}, True)])
def test_no_color_is_respected(setting, coloured, monkeypatch, capsys):
    """A non-empty NO_COLOR removes colour even where the output could show it."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in setting.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("click.utils.should_strip_ansi", lambda _stream=None, color=None: color is False)
    command_that(monkeypatch, lambda: click.echo(click.style("red", fg="red")))

    assert main(["probe"]) == 0
    assert ("\x1b" in capsys.readouterr().out) is coloured


@pytest.mark.parametrize("write", ["sys.stdout.write", "click.echo"])
def test_a_poor_terminal_gets_escapes(write):
    """A character that the encoding of the output lacks is printed as an escape, and the command continues."""
    outcome = run_python(probe(rf"{write}('snow \u2603')"), environment={"PYTHONIOENCODING": "latin-1:strict"})

    assert (outcome.returncode, outcome.stdout.strip()) == (0, r"snow \u2603")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script(shell, capsys):
    """Each shell gets a script that asks this command for its completions."""
    assert main(["completion", shell]) == 0

    script = capsys.readouterr().out
    assert f"_CHORUS_COMPLETE={shell}_complete" in script


def test_completion_answers_from_the_table():
    """The shell gets the commands that begin with the word, and no command is loaded for that."""
    outcome = run_python(
        """
        import sys
        from chorus.cli.main import main
        try:
            main()
        finally:
            print("chorus.cli.commands.stats" in sys.modules)
        """,
        environment={"_CHORUS_COMPLETE": "bash_complete", "COMP_WORDS": "chorus s", "COMP_CWORD": "1"},
    )

    assert outcome.stdout.split() == [*(f"plain,{name}" for name in COMMANDS if name.startswith("s")), "False"]
