"""`chorus files`: the files that a conversation touched, and every version of them."""

from pathlib import Path

import click

from chorus.base.zone import local_zone
from chorus.cli.file_output import FileTables, print_blame, print_content, print_diffs
from chorus.cli.output import complain, counted, print_json, printable, say
from chorus.cli.pager import paged
from chorus.cli.vault_ids import open_vault, the_one, vault_option
from chorus.core.file_versions.model import FileVersions
from chorus.core.file_versions.moments import NOW, Moment, moment_of, version_at
from chorus.errors import ChorusError
from chorus.keep.archive.file_versions import FilesOverTime, files_over_time, of_workspace
from chorus.keep.snapshots.stored_edits import stored_edits

INCOMPLETE = 1


@click.command()
@click.argument("conversation", metavar="ID")
@click.argument("path", required=False, metavar="[PATH]")
@click.option("--at", "at", metavar="MOMENT", help="The state at a version number, a call's id or a time.")
@click.option("--diff", "is_diff", is_flag=True, help="Show what changed up to --at; since --from, or since the start.")
@click.option("--from", "since", metavar="MOMENT", help="With --diff: compare with this moment.")
@click.option("--ignore-space", is_flag=True, help="With --diff: ignore changes of white space.")
@click.option("--blame", "is_blame", is_flag=True, help="Show which call wrote each line of PATH.")
@click.option("--restore", "restore_to", metavar="DEST", type=click.Path(), help="Write the file or files to DEST.")
@click.option("--force", "is_forced", is_flag=True, help="With --restore: replace files that differ.")
@click.option("--workspace", "is_workspace", is_flag=True, help="Follow all conversations of the workspace together.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
@vault_option
@click.pass_context
@paged
def files(
    ctx: click.Context,
    conversation: str,
    path: str | None,
    *,
    at: str | None,
    is_diff: bool,
    since: str | None,
    ignore_space: bool,
    is_blame: bool,
    restore_to: str | None,
    is_forced: bool,
    is_workspace: bool,
    as_json: bool,
    vault: str | None,
) -> None:
    """List the files that a conversation touched; with PATH, the versions of one file; with --at, its content.

    ID is the beginning of a conversation's id, the number of a hit of the last search, or a query that only this
    conversation answers. PATH is a path, or the end of one. A version is exact (byte for byte what was on disk),
    rebuilt (the text is known, not every byte) or unknown. --restore writes below DEST, or to the file DEST if PATH is
    given, and never over a file that differs without --force. The exit code is 1 if a file could not be written.
    """
    store = open_vault(vault)
    kept = the_one(conversation, store)
    with stored_edits(store.root) as stored:
        found = files_over_time(store, of_workspace(store, kept.workspace) if is_workspace else [kept], stored)
    if (since is not None or ignore_space) and not is_diff:
        raise click.UsageError("--from and --ignore-space belong to --diff")
    if is_forced and restore_to is None:
        raise click.UsageError("--force belongs to --restore")
    if is_blame and path is None:
        raise click.UsageError("--blame needs PATH")
    if sum((is_diff, is_blame, restore_to is not None)) > 1:
        raise click.UsageError("--diff, --blame and --restore exclude each other")
    chosen = [_named(found, path)] if path is not None else found.files
    moment = moment_of(at, found.calls, local_zone()) if at else NOW
    if moment.number is not None and path is None:
        raise ChorusError(f"{at}: a version number needs PATH; versions are counted for each file")
    if restore_to is not None:
        if not _restore(found, chosen, moment, Path(restore_to), is_one=path is not None, is_forced=is_forced,
                        as_json=as_json):  # fmt: skip
            ctx.exit(INCOMPLETE)
    elif is_diff:
        first = moment_of(since, found.calls, local_zone()) if since else Moment(order=("", 0, "", 0, 0))
        print_diffs(chosen, first, moment, ignores_space=ignore_space, as_json=as_json, is_one=path is not None)
    elif is_blame:
        print_blame(chosen[0], version_at(chosen[0], moment), as_json=as_json)
    elif path is not None and at:
        print_content(chosen[0], version_at(chosen[0], moment), as_json=as_json)
    else:
        tables = FileTables(kept.id, found)
        whole = tables.versions(chosen[0]) if path is not None else tables.files(moment)
        if as_json:
            print_json(whole)
        elif path is not None:
            tables.print_versions(chosen[0])
        else:
            tables.print_files(moment)


def _named(found: FilesOverTime, path: str) -> FileVersions:
    """Return the file with this path, or the only one whose path ends with it."""
    ending = "/" + path.replace("\\", "/").removeprefix("./").lstrip("/")
    exact = [each for each in found.files if each.path == path]
    matches = exact or [each for each in found.files if each.path.replace("\\", "/").endswith(ending)]
    if found.folder and len(matches) > 1:
        matches = [each for each in matches if each.path == f"{found.folder}{ending}"] or matches
    if len(matches) != 1:
        names = ", ".join(each.path for each in matches[:3])
        what = f"{len(matches)} files end with it ({names} …)" if matches else "the conversation did not touch it"
        raise ChorusError(f"{path}: {what}; `chorus files` with the id alone lists the files")
    return matches[0]


def _restore(
    found: FilesOverTime,
    chosen: list[FileVersions],
    moment: Moment,
    dest: Path,
    *,
    is_one: bool,
    is_forced: bool,
    as_json: bool,
) -> bool:
    """Write the files; returns whether all were written."""
    from chorus.keep.restore.file_copies import FileCopy, parts_below, write_copies

    copies: list[FileCopy] = []
    notes: list[tuple[str, str]] = []
    left_out: list[tuple[str, str]] = []
    for file in chosen:
        if not is_one and (
            not file.versions or (file.versions[0].order > moment.order and not file.versions[0].is_start)
        ):
            continue
        version = version_at(file, moment)
        content = file.content(version)
        if content is None:
            what = "there was no file" if version.is_absent else f"its content is not known: {version.reason}"
            if is_one:
                raise ChorusError(f"{file.path}: {what}; nothing was written: choose another moment with --at")
            if not version.is_absent:
                left_out.append((file.path, what))
            continue
        if is_one:
            place = dest / Path(file.path.replace("\\", "/")).name if dest.is_dir() else dest
            copies.append(FileCopy(place.absolute().parent, (place.name,), content))
        else:
            parts = parts_below(file.path, found.folder)
            if parts is None:
                left_out.append((file.path, "it is outside the folder of the conversation; name it to write it"))
                continue
            copies.append(FileCopy(dest.absolute(), parts, content))
        if version.reason:
            notes.append((file.path, version.reason))
    done = write_copies(copies, is_forced=is_forced)
    if as_json:
        print_json(
            {
                "files": [
                    {"path": str(each.path), "bytes": len(each.content), "outcome": each.outcome} for each in done
                ],
                "not_exact": [{"path": path, "reason": reason} for path, reason in notes],
                "left_out": [{"path": path, "reason": reason} for path, reason in left_out],
            }
        )
    else:
        for each in done:
            click.echo(f"{each.outcome:9}  {printable(str(each.path))}  ({counted(len(each.content), 'byte')})")
        for path, reason in notes:
            complain(f"rebuilt, perhaps not byte for byte: {path}: {reason}")
        if not done and not left_out:
            say("No file was there at that moment; nothing was written.")
    for path, reason in left_out:
        complain(f"not written: {path}: {reason}")
    return not left_out
