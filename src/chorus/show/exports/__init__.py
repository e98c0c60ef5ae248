"""Takes conversations out of the vault for other people: redacted, in one of several formats, never half written."""
