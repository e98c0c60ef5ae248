"""The permission ledger: every permission request, and its decision, which is made once.

A permission request has several stages. Each stage has one name:

| stage | name | defined in | what it adds |
|---|---|---|---|
| asked by a client of a run | `PermissionRequest` | `core/protocol/frames.py` | its id, tool, input, suggestions |
| asked by a hook | `PermissionPayload` | `steer/hooks/payloads.py` | the same, from the payload of a hook |
| sent to the ledger | `Request` | `steer/approvals/model.py` | the ledger's id, asker, conversation, deadline, plans |
| first line in the file | `Asked` | `steer/approvals/events.py` | digest, time; later lines are the other events |
| in the ledger | `Row` | `steer/approvals/model.py` | state, decision, outcome |
| in memory | `RequestSummary` | `steer/approvals/ledger_state.py` | places of its lines; no content once settled |
| in a checkpoint | `SavedSummary` | `steer/approvals/settled_requests.py` | the stored form of a summary |
| open in a run | `OpenRequest` | `steer/runs/messages.py` | what the status of a run says about it |
| waited for by a hook | `_HookRequest` | `show/server/hooks/questions.py` | the future of its answer |
| shown to a person | `Card` | `steer/approvals/cards.py` | view blocks, hints, offers; hidden characters made visible |
| shown on the page | `ApprovalCard` | `show/wire/approvals.py` | the wire format of a card and its row |

And so has its answer:

| stage | name | defined in | what it adds |
|---|---|---|---|
| made by a person | `Decision` | `steer/approvals/model.py` | behaviour, message, changed input, signature |
| recorded | `Decided` | `steer/approvals/events.py` | the digest of what the person saw |
| checked by the asker | `Verdict` | `steer/approvals/verdict.py` | the proof that an approver signed |
| sent to the client of a run | `PermissionDecision` | `steer/runs/approval_port.py` | the client's id |
| given elsewhere | `Answered` | `steer/approvals/model.py` | where, and whether it was allowed |
"""
