"""Rules that answer permission requests: what a rule says, what a request would do, and what follows from both. Pure.

| step | module |
|---|---|
| a command line → the commands in it | `shell.py`, with the vocabulary of `shell_words.py` |
| a command → the commands that it starts itself | `runners.py` |
| a request → its actions | `actions.py` |
| a text → a rule | `rule.py`, `rule_text.py` |
| a rule and an action → whether they match | `matching.py` |
| rules and a request → a ruling | `judging.py` |
"""
