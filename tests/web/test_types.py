"""Tests what the application relies on in the generated types."""

from pathlib import Path

import pytest

from tools.node import NodeMissing, node, npm_packages

ROOT = Path(__file__).resolve().parents[2]
STRICT = ["--strict", "--noUncheckedIndexedAccess", "--noEmit", "--target", "es2022"]


@pytest.mark.parametrize("checked", ["narrowing.ts", "records.ts"])
def test_the_types_say_what_readers_rely_on(checked):
    """Unions narrow by `type` and are closed, fields with a default are always present, and rows contain rows."""
    try:
        tool = node()
    except NodeMissing as error:
        pytest.skip(str(error))
    compiler = npm_packages(ROOT / "web" / "codegen") / "node_modules" / "typescript" / "lib" / "tsc.js"

    modules = ["--module", "esnext", "--moduleResolution", "bundler"]
    assert tool.run(compiler, *STRICT, *modules, Path(__file__).with_name(checked), cwd=ROOT) == ""
