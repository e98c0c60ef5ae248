"""The words of a query on a command line: `-word` excludes a word, and a mistyped option is no word."""

from collections.abc import Sequence

import click

QUERY_SETTINGS = {"ignore_unknown_options": True, "help_option_names": ["--help"]}
"""In a query, `-word` excludes a word, so unknown words that begin with a dash are not options."""
_LIKE_AN_OPTION = 0.8


def refuse_mistyped_options(ctx: click.Context, words: Sequence[str]) -> None:
    """Raise `click.NoSuchOption` for a word that looks like a mistyped option, and answer a lone `-h` with the help."""
    options = [name for option in ctx.command.params for name in option.opts if name.startswith("--")]
    for word in words:
        if not word.startswith("--"):
            continue
        from difflib import get_close_matches

        meant = get_close_matches(word.partition("=")[0], options, cutoff=_LIKE_AN_OPTION)
        if meant:
            raise click.NoSuchOption(word, possibilities=meant, ctx=ctx)
    if list(words) == ["-h"]:
        click.echo(ctx.get_help())
        ctx.exit()
