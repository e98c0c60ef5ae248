"""Builds the web application into the package, for a wheel, an sdist and an editable install alike.

A bundle that is fresh is taken as it is, without a word to npm; an sdist carries the built files and no web/, so that
nothing is left to do. Where the machine has no node, the one that PyPI has is asked for.
"""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WebApplication(BuildHookInterface[BuilderConfig]):
    """Named by [tool.hatch.build.hooks.custom] in pyproject.toml."""

    def dependencies(self) -> list[str]:
        """Node as a package, when a bundle is to be built and the machine has no node for it."""
        root = Path(self.root)
        if not (root / "web").exists():
            return []
        sys.path.insert(0, self.root)
        from tools import bundle, node

        return [] if bundle.is_fresh(root) or node.found_node() else [node.PACKAGE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the bundle fresh, or stop the build with what is to be done."""
        root = Path(self.root)
        if not (root / "web").exists():
            return
        sys.path.insert(0, self.root)
        from tools import bundle, node

        if bundle.is_fresh(root):
            return
        tool = node.found_node()
        if tool is None:
            self.app.abort(f"The web application needs Node.js 20.19 or newer, or `pip install '{node.PACKAGE}'`.")
            return
        self.app.display_info("building the web application")
        try:
            bundle.build(root, tool)
        except node.NpmFailed as error:
            self.app.abort(f"The web application could not be built. {error}")
