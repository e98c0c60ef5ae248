"""`chorus config`: read and change settings by name."""

from typing import Any

import click

from chorus.base import config as settings
from chorus.cli.output import print_json, print_table, printable
from chorus.cli.pager import paged
from chorus.cli.table import Column
from chorus.cli.vault_ids import vault_option

_COLUMNS = (
    Column("Name"),
    Column("Value", min_width=12, wraps=True),
    Column("Meaning", drop_rank=1, min_width=20, preferred_width=36, wraps=True),
)
_EACH = "workspaces."
_LEAVE = {"gitCommits": 5, "gitBackend": 4, "hasOwnVault": 3, "ignore": 2}


@click.group("config")
def config() -> None:
    """Read and change settings by their dotted names."""


@config.command("get")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@vault_option
@paged
def get(name: str | None, *, as_json: bool, vault: str | None) -> None:
    """Print the setting NAME, or all settings with their meanings."""
    known = settings.load(settings.home(vault))
    if name is not None:
        value = settings.setting(known, name).value
        if as_json:
            print_json(value)
        else:
            click.echo(_plain(value))
        return
    every = settings.settings(known)
    if as_json:
        print_json({each.name: {"value": each.value, "meaning": each.meaning} for each in every})
    else:
        _print(every)


def _print(every: list[settings.Setting]) -> None:
    """Print the settings with their meanings. Settings of workspaces are a second table with one row per workspace."""
    single = [each for each in every if not each.name.startswith(_EACH)]
    rows: dict[str, dict[str, settings.Setting]] = {}
    for each in every[len(single) :]:
        workspace, _, last = each.name.removeprefix(_EACH).rpartition(".")
        rows.setdefault(workspace, {})[last] = each
    of_each = next(iter(rows.values()), {})
    meanings = [(f"{_EACH}ID.{last}", "", each.meaning) for last, each in of_each.items()]
    print_table("Settings", _COLUMNS, [*((e.name, _plain(e.value), e.meaning) for e in single), *meanings])
    columns = [Column("ID"), *(_column(last) for last in of_each)]
    print_table(
        f"{_EACH}ID.…", columns, [(name, *(_plain(e.value) for e in row.values())) for name, row in rows.items()]
    )


def _column(name: str) -> Column:
    return (
        Column(name, min_width=20, keeps_end=True)
        if name == "path"
        else Column(name, drop_rank=_LEAVE.get(name, 1), min_width=12)
    )


@config.command("set")
@click.argument("name")
@click.argument("values", metavar="VALUE…", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print the new value as JSON.")
@vault_option
def set_(name: str, values: tuple[str, ...], *, as_json: bool, vault: str | None) -> None:
    """Set the setting NAME to VALUE. A list takes several values; a single empty VALUE clears it."""
    with settings.edit(settings.home(vault)) as known:
        settings.change(known, name, values)
    if name.endswith(".gate"):
        from chorus.steer.hooks.home import Home
        from chorus.steer.hooks.strict import write_strict

        write_strict(Home(settings.home(vault).absolute()), known)
    value = settings.setting(known, name).value
    if as_json:
        print_json(value)
    else:
        click.echo(f"{name} = {_plain(value)}")


@config.command("path")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@vault_option
def path(*, as_json: bool, vault: str | None) -> None:
    """Print the path of the settings file."""
    file = settings.home(vault).absolute() / "config.json"
    if as_json:
        print_json({"path": str(file), "exists": file.is_file()})
    else:
        click.echo(printable(str(file)))


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return printable(" ".join(value))
    return printable(str(value))
