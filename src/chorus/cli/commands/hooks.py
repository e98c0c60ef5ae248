"""`chorus hooks`: answer the permission prompts of any terminal in Chorus."""

import difflib
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from chorus.cli.output import print_json, printable, say
from chorus.cli.vault_ids import vault_option
from chorus.errors import ChorusError

if TYPE_CHECKING:
    from chorus.steer.hooks.home import Home
    from chorus.steer.hooks.install import InstallPlan

NOT_IN_ORDER = 1
place_option = click.option(
    "--project/--user",
    "is_project",
    default=False,
    help="Use the settings of this folder (.claude/settings.local.json), or your own for all folders (the default).",
)
yes_option = click.option("--yes", "is_agreed", is_flag=True, help="Do not ask.")


@click.group()
def hooks() -> None:
    """Answer the permission prompts of the client in Chorus.

    The prompt in the terminal stays; the first answer counts. While Chorus does not run, the hooks change nothing.
    """


@hooks.command("install")
@place_option
@click.option("--git", "with_edits", is_flag=True, help="Also report edits, so that snapshots of files are taken.")
@yes_option
@vault_option
def install(*, is_project: bool, with_edits: bool, is_agreed: bool, vault: str | None) -> None:
    """Add the hooks to Claude's settings. Shows the change first. All other settings stay. Safe to repeat."""
    from chorus.steer.hooks import install as installing

    home = _home(vault)
    plan = installing.plan_install(home, _place(is_project=is_project), with_edits=with_edits)
    if not plan.is_needed:
        installing.install(home, plan)
        say(f"{plan.path}: the hooks are installed.")
        return
    _show(plan)
    say(f"They call {home.program}, which is also written.")
    if not is_agreed and not click.confirm("Change it?", default=False):
        click.echo("Nothing was changed.")
        return
    installing.install(home, plan)
    say(f"{plan.path}: changed. New sessions ask in Chorus as well.")


@hooks.command("remove")
@place_option
@yes_option
@vault_option
def remove(*, is_project: bool, is_agreed: bool, vault: str | None) -> None:
    """Remove the hooks from Claude's settings. All other settings stay."""
    from chorus.steer.hooks import install as installing

    home = _home(vault)
    plan = installing.plan_remove(home, _place(is_project=is_project))
    if not plan.is_needed:
        installing.remove(home, plan)
        say(f"{plan.path}: contains no hooks of Chorus.")
        return
    _show(plan)
    if not is_agreed and not click.confirm("Change it?", default=False):
        click.echo("Nothing was changed.")
        return
    installing.remove(home, plan)
    say(f"{plan.path}: changed. Current sessions keep the hooks until they end.")


@hooks.command("status")
@click.option(
    "--project/--user",
    "is_project",
    default=None,
    help="Only the settings of this folder, or only your own; by default all.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@vault_option
@click.pass_context
def status(ctx: click.Context, *, is_project: bool | None, as_json: bool, vault: str | None) -> None:
    """Report where the hooks are installed, whether they work, and whether somebody changed them.

    Also reports settings (of this folder, your own, or managed) that prevent the client from running the hooks. The
    exit code is 1 if something is wrong.
    """
    from msgspec import to_builtins

    from chorus.base import config
    from chorus.keep.sources.discover import config_folder
    from chorus.steer.hooks.blockers import blockers, managed_folder
    from chorus.steer.hooks.install import read_note
    from chorus.steer.hooks.status import parts, settings_status
    from chorus.steer.hooks.strict import strict_folders

    home = _home(vault)
    known = {_place(is_project=False), _place(is_project=True), *map(Path, read_note(home).places)}
    if is_project is not None:
        known = {_place(is_project=is_project)}
    places = [settings_status(home, path) for path in sorted(known)]
    shared = parts(home)
    strict = strict_folders(config.load(home.root))
    is_used = any(each.installed or each.trouble for each in places)
    blocked = blockers(config_folder(), Path.cwd(), managed_folder(), os.environ)
    is_whole = not any(each.trouble for each in places) and (not is_used or (shared.runs and shared.key))
    is_well = is_whole and not (is_used and blocked)
    if as_json:
        report = {"places": to_builtins(places), **to_builtins(shared), "strict": strict, "blocked_by": blocked}
        print_json({**report, "in_order": is_well})
    else:
        for each in places:
            said = "installed" if each.installed else "no hooks"
            say(f"{each.path}: {said}" + (f"; {each.trouble}" if each.trouble else ""))
        if is_used:
            said = {"missing": "is missing", "changed": "was changed by somebody else"}.get(shared.program)
            said = said or ("runs" if shared.runs else "does not run")
            say(f"{home.program}: {said}")
            say(f"{home.key}: {'present' if shared.key else 'missing, or readable by others'}")
            say(f"chorus serve: {'answers hooks' if shared.server else 'does not answer; only the terminal asks'}")
            for each in blocked:
                say(each)
            for folder in strict:
                say(f"{folder}: strict; requests are denied there while Chorus does not answer")
    if not is_well:
        if not as_json and not is_whole:
            click.echo("`chorus hooks install` repairs this.")
        ctx.exit(NOT_IN_ORDER)


def _home(vault: str | None) -> "Home":
    from chorus.base import config
    from chorus.steer.hooks.home import Home

    return Home(config.guarded_home(vault).absolute())


def _place(*, is_project: bool) -> Path:
    from chorus.keep.sources.discover import config_folder

    if is_project:
        folder = Path.cwd() / ".claude"
        if folder.is_symlink():
            raise ChorusError(f"{folder}: is a link, and links in a repository are not followed")
        return folder / "settings.local.json"
    # If the settings are a link to another file, that file is changed.
    own = config_folder().absolute() / "settings.json"
    return Path(os.path.realpath(own)) if own.is_symlink() else own


def _show(plan: "InstallPlan") -> None:
    before = (plan.before or b"").decode("utf-8", "replace").splitlines()
    after = (plan.after or b"").decode("utf-8", "replace").splitlines()
    name = str(plan.path)
    for line in difflib.unified_diff(before, after, name, name, lineterm=""):
        click.echo(printable(line.replace("\t", "    ")))
