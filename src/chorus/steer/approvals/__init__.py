"""The permission ledger: every question to a person, and what was answered, once."""
