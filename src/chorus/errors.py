"""Every error Chorus raises on purpose.

    ChorusError             what a person can act on; a door prints it in one line
    ├── SourceUnreadable    a file or folder that cannot be opened
    ├── VaultUnwritable     the vault could not keep something: disk full, an I/O error, no permission
    └── VaultTooNew         a vault that a newer Chorus wrote: it can be read, not written

Data never raises: what a reader cannot understand becomes an `Unread` value instead.
"""


class ChorusError(Exception):
    """Base of all errors a caller may want to catch; its text says what, where and what to do next."""


class SourceUnreadable(ChorusError):
    """A named source does not exist, is not a file or folder, or may not be read."""


class VaultUnwritable(ChorusError):
    """Bytes could not be kept; what was acknowledged before is safe, and work can go on when the fault is mended."""


class VaultTooNew(ChorusError):
    """The vault's format is newer than this Chorus."""
