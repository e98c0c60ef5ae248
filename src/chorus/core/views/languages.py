"""Maps file names to languages, with the language names that syntax highlighters share."""

_BY_ENDING = {
    "bash": "bash",
    "c": "c",
    "cc": "cpp",
    "cpp": "cpp",
    "cs": "csharp",
    "css": "css",
    "diff": "diff",
    "ex": "elixir",
    "exs": "elixir",
    "go": "go",
    "h": "c",
    "hpp": "cpp",
    "html": "html",
    "ini": "ini",
    "java": "java",
    "js": "javascript",
    "json": "json",
    "jsonl": "json",
    "jsx": "jsx",
    "kt": "kotlin",
    "lua": "lua",
    "md": "markdown",
    "mjs": "javascript",
    "patch": "diff",
    "php": "php",
    "pl": "perl",
    "ps1": "powershell",
    "py": "python",
    "pyi": "python",
    "rb": "ruby",
    "rs": "rust",
    "scala": "scala",
    "scss": "scss",
    "sh": "bash",
    "sql": "sql",
    "svelte": "html",
    "swift": "swift",
    "toml": "toml",
    "ts": "typescript",
    "tsx": "tsx",
    "vue": "html",
    "xml": "xml",
    "yaml": "yaml",
    "yml": "yaml",
    "zsh": "bash",
}
_BY_NAME = {"dockerfile": "docker", "makefile": "make"}


def language_of(path: str) -> str:
    """Returns the language of the file at `path`, or an empty string if it is unknown."""
    name = path.replace("\\", "/").rsplit("/", 1)[-1].lower()
    return _BY_NAME.get(name) or _BY_ENDING.get(name.rsplit(".", 1)[-1] if "." in name else "", "")
