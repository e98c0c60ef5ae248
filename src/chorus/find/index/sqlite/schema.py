"""The tables. Everything in them can be rebuilt from the vault: an index with another schema is deleted."""

import sqlite3

SCHEMA = 27
"""Increased with every change of what the tables contain, including the rules for words and marks."""
APPLICATION = 0x43484F52
NO_DELETES_BEFORE = (3, 43, 0)
"""Older versions of SQLite cannot delete a row from a word index that stores no text."""
TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE conversation (
    n INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, workspace TEXT NOT NULL, agent TEXT NOT NULL, branch TEXT,
    cwd TEXT, title TEXT, client_title TEXT, started_at TEXT NOT NULL, ended_at TEXT NOT NULL, tokens INTEGER NOT NULL,
    messages INTEGER NOT NULL, status TEXT NOT NULL, is_empty INTEGER NOT NULL, row BLOB NOT NULL,
    positions BLOB NOT NULL
);
CREATE INDEX conversation_workspace ON conversation (workspace);
CREATE INDEX conversation_cwd ON conversation (cwd);
CREATE INDEX conversation_branch ON conversation (branch);
CREATE INDEX conversation_agent ON conversation (agent);
CREATE INDEX conversation_ended ON conversation (ended_at, name);
CREATE INDEX conversation_titled ON conversation (client_title, name, ended_at, is_empty) WHERE client_title <> '';
CREATE TABLE leaf (conversation INTEGER NOT NULL, first TEXT NOT NULL, numbers BLOB NOT NULL, data BLOB NOT NULL);
CREATE UNIQUE INDEX leaf_first ON leaf (conversation, first);
CREATE TABLE entry (n INTEGER PRIMARY KEY, conversation INTEGER NOT NULL, ms_after INTEGER NOT NULL);
CREATE TABLE dead (n INTEGER PRIMARY KEY);
CREATE TABLE usage (
    message INTEGER NOT NULL, conversation INTEGER NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (message, conversation)
) WITHOUT ROWID;
CREATE INDEX usage_conversation ON usage (conversation);
CREATE TABLE kind (n INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE copy (message INTEGER NOT NULL, conversation INTEGER NOT NULL, PRIMARY KEY (message, conversation))
WITHOUT ROWID;
CREATE TABLE spent (
    conversation INTEGER NOT NULL, thread TEXT NOT NULL, quarter TEXT NOT NULL, model TEXT NOT NULL, tier TEXT NOT NULL,
    prompt_over INTEGER NOT NULL, is_per_turn INTEGER NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL,
    cache_creation INTEGER NOT NULL, cache_read INTEGER NOT NULL, cache_creation_5m INTEGER NOT NULL,
    cache_creation_1h INTEGER NOT NULL, web_searches INTEGER NOT NULL, web_fetches INTEGER NOT NULL,
    messages INTEGER NOT NULL, lower_bounds INTEGER NOT NULL,
    PRIMARY KEY (conversation, thread, quarter, model, tier, prompt_over, is_per_turn)
) WITHOUT ROWID;
CREATE TABLE turn (n INTEGER PRIMARY KEY, conversation INTEGER NOT NULL, item TEXT NOT NULL);
CREATE INDEX turn_conversation ON turn (conversation);
CREATE TABLE turn_spent (
    turn INTEGER NOT NULL, day TEXT NOT NULL, model TEXT NOT NULL, tier TEXT NOT NULL, prompt_over INTEGER NOT NULL,
    is_per_turn INTEGER NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL, cache_creation INTEGER NOT NULL,
    cache_read INTEGER NOT NULL, cache_creation_5m INTEGER NOT NULL, cache_creation_1h INTEGER NOT NULL,
    web_searches INTEGER NOT NULL, web_fetches INTEGER NOT NULL, messages INTEGER NOT NULL,
    lower_bounds INTEGER NOT NULL, PRIMARY KEY (turn, day, model, tier, prompt_over, is_per_turn)
) WITHOUT ROWID;
CREATE TABLE activity (
    id INTEGER NOT NULL, conversation INTEGER NOT NULL, label INTEGER NOT NULL, quarter INTEGER NOT NULL,
    outcome INTEGER NOT NULL, duration_ms INTEGER, PRIMARY KEY (id, conversation)
) WITHOUT ROWID;
CREATE TABLE label (n INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, UNIQUE (kind, name));
CREATE TABLE done (
    conversation INTEGER NOT NULL, label INTEGER NOT NULL, quarter INTEGER NOT NULL, outcome INTEGER NOT NULL,
    class INTEGER NOT NULL, count INTEGER NOT NULL, total_ms INTEGER NOT NULL,
    PRIMARY KEY (conversation, label, quarter, outcome, class)
) WITHOUT ROWID;
CREATE TABLE done_total (
    label INTEGER NOT NULL, outcome INTEGER NOT NULL, class INTEGER NOT NULL, count INTEGER NOT NULL,
    total_ms INTEGER NOT NULL, PRIMARY KEY (label, outcome, class)
) WITHOUT ROWID;
CREATE TABLE agent_type (
    conversation INTEGER NOT NULL, thread TEXT NOT NULL, type TEXT NOT NULL, PRIMARY KEY (conversation, thread)
) WITHOUT ROWID;
CREATE TABLE account_limit (
    conversation INTEGER NOT NULL, type TEXT NOT NULL, data BLOB NOT NULL, PRIMARY KEY (conversation, type)
) WITHOUT ROWID;
CREATE TABLE reported (conversation INTEGER NOT NULL, quarter TEXT NOT NULL, usd REAL NOT NULL, source TEXT NOT NULL);
CREATE INDEX reported_conversation ON reported (conversation);
CREATE TABLE file (
    conversation INTEGER NOT NULL, path TEXT NOT NULL, is_written INTEGER NOT NULL, PRIMARY KEY (conversation, path)
) WITHOUT ROWID;
CREATE TABLE name (kind TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, value)) WITHOUT ROWID;
CREATE TABLE state (conversation INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE feed (seq INTEGER PRIMARY KEY, conversation TEXT NOT NULL, item TEXT, place BLOB);
"""

TITLED = "SELECT name, client_title, ended_at FROM conversation WHERE client_title <> '' AND NOT is_empty"
"""Answered by `conversation_titled` alone: the rows of conversations are large."""


def has_deletes() -> bool:
    """Whether this SQLite can delete rows from the word index."""
    return sqlite3.sqlite_version_info >= NO_DELETES_BEFORE


def create(connection: sqlite3.Connection, epoch: str) -> None:
    """Creates the tables in an empty database."""
    deletes = ", contentless_delete=1" if has_deletes() else ""
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {SCHEMA}")
    connection.executescript(f"BEGIN; {TABLES} COMMIT;")
    connection.execute(f"CREATE VIRTUAL TABLE words USING fts5(said, content='', tokenize='ascii'{deletes})")
    connection.execute("CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, instance)")
    connection.execute("CREATE VIRTUAL TABLE term USING fts5vocab(words, row)")
    connection.execute("INSERT INTO meta VALUES ('epoch', ?)", (epoch,))
    connection.execute("INSERT INTO meta VALUES ('floor', '0'), ('slack', '0')")
    connection.commit()


def is_ours(connection: sqlite3.Connection) -> bool:
    """Whether the database is an index with this schema."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    return application == APPLICATION and connection.execute("PRAGMA user_version").fetchone()[0] == SCHEMA
