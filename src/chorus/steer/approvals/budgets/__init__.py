"""Budgets: signed by an approver and stored in `state/`, so that no agent can raise its own."""
