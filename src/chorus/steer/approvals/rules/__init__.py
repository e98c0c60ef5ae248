"""Rules in the permission ledger: signed by an approver, stored in `state/`, applied by the process that asks."""
