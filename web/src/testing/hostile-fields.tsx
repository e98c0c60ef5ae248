/** All views that show content of a transcript or a client, with a text of the test in every field. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from "@tanstack/react-router"
import { SourceContext } from "@/api/follow"
import { http } from "@/api/http"
import type { ApprovalCard as Card, ConversationDetail, ConversationSummary, Facet, PageRow, ProgressShown, Row, SearchHit, ServerStatus, SubAgent, SubAgentProgressShown, ThreadSummary, ToolCall } from "@/api/schema"
import { APPROVALS_KEY } from "@/api/use-approvals"
import { Folds, FoldsContext } from "@/blocks/folds"
import type { Block } from "@/blocks/shapes"
import { ApprovalCard } from "@/features/approvals/approval-card"
import { Outcome } from "@/features/approvals/outcome"
import { BoardTile } from "@/parts/board-tile"
import { ConversationRow } from "@/features/conversations/conversation-row"
import { ServerNotice } from "@/features/live/server-notice"
import { QueuedList } from "@/features/runs/queued-list"
import { RunEnding } from "@/features/runs/run-ending"
import RunStarting from "@/features/runs/run-starting"
import { Facets } from "@/parts/facets"
import { HitRow } from "@/features/search/hit-row"
import { RowView } from "@/features/transcript/rows/row-view"
import { SessionHeader } from "@/features/transcript/header/session-header"
import { SessionPanel } from "@/features/transcript/panels/session-panel"
import { ThreadCrumb } from "@/features/transcript/header/thread-crumb"
import { TranscriptContext, type Transcript } from "@/features/transcript/transcript-context"
import { ErrorState } from "@/ui/error-state"
import { run } from "./runs"
import { NO_TOKENS } from "./summaries"
import { tile } from "./tiles"

/** Returns the text for a field; each call is one placement. */
export type Fill = (field: string) => string

/** Returns one block of each type. */
function blocks(fill: Fill): Block[] {
  const t = (field: string) => fill(`block ${field}`)
  return [
    { type: "prose", markdown: t("prose.markdown"), cut_chars: 0 },
    { type: "thinking", text: t("thinking.text"), reason: null, cut_chars: 0 },
    { type: "thinking", text: "", reason: t("thinking.reason"), cut_chars: 0 },
    { type: "code", text: t("code.text"), language: t("code.language"), title: t("code.title"), first_line: 1, is_bulk: false, cut_chars: 0 },
    {
      type: "diff",
      path: t("diff.path"),
      hunks: [{ old_start: 1, new_start: 1, lines: [`-${t("diff.lines")}`, `+${t("diff.lines")}`, ` ${t("diff.lines")}`] }],
      is_new: true,
      cut_chars: 0,
    },
    { type: "shell", command: t("shell.command"), language: t("shell.language"), cut_chars: 0 },
    {
      type: "output",
      text: t("output.text"),
      is_error: true,
      is_bulk: false,
      side_file: { name: t("side_file.name"), size_bytes: 5 },
      tail: t("output.tail"),
      cut_chars: 5,
    },
    { type: "todos", items: [{ text: t("todo.text"), status: t("todo.status"), id: t("todo.id"), note: t("todo.note") }], cut_chars: 0 },
    { type: "image", media_type: t("image.media_type"), size_bytes: 1, source: t("image.source"), item: t("image.item"), nth: 0, cut_chars: 0 },
    { type: "json", text: JSON.stringify({ [t("json.key")]: t("json.value") }, null, 2), title: t("json.title"), is_bulk: false, cut_chars: 0 },
    { type: "json", text: t("json.text"), title: null, is_bulk: false, cut_chars: 0 },
    {
      type: "question",
      header: t("question.header"),
      question: t("question.question"),
      options: [{ label: t("option.label"), description: t("option.description"), is_chosen: false }],
      is_multiple: true,
      answer: t("question.answer"),
      cut_chars: 0,
    },
    { type: "plan", markdown: t("plan.markdown"), cut_chars: 0 },
    { type: "links", links: [{ title: t("link.title"), url: t("link.url") }], cut_chars: 0 },
    { type: "note", text: t("note.text"), level: "error", is_bulk: false, cut_chars: 0 },
    { type: "unread", reason: t("unread.reason"), text: t("unread.text"), place: t("unread.place"), cut_chars: 0 },
  ]
}

function progress(t: Fill): ProgressShown {
  return {
    step: t("progress.step"),
    completed: 1,
    total: 2,
    percentage: 50,
    source: "program",
    confidence: 1,
    stream: t("progress.stream"),
    offset: 0,
    length: 1,
    at: t("progress.at"),
    reason: t("progress.reason"),
  }
}

function subAgentProgress(t: Fill, own: ProgressShown | null): SubAgentProgressShown {
  return {
    id: t(own === null ? "progress.agent" : "progress.other"),
    call: t("progress.call"),
    parent: t("progress.parent"),
    type: t("progress.type"),
    description: t("progress.description"),
    step: t("progress.agent step"),
    calls: 1,
    source: "task",
    confidence: 1,
    progress: own,
  }
}

function conversation(fill: Fill): ConversationSummary {
  const t = (field: string) => fill(`conversation ${field}`)
  return {
    name: t("name"),
    id: t("id"),
    workspace: t("workspace"),
    workspace_name: t("workspace name"),
    agent: t("agent"),
    title: t("title"),
    own_title: t("own title"),
    first_prompt: t("first prompt"),
    is_starred: true,
    is_archived: true,
    tags: [t("tag")],
    note: t("note"),
    status: t("status"),
    folder: t("folder"),
    branch: t("branch"),
    models: [t("models"), t("models")],
    started_at: t("started_at"),
    ended_at: t("ended_at"),
    messages: 1,
    calls: 1,
    sub_agents: 1,
    sub_agents_at_work: 1,
    tokens: { ...NO_TOKENS, input: 5 },
    copied: NO_TOKENS,
    is_lower_bound: true,
    cost_usd: 1,
    why_no_cost: t("summary.why_no_cost"),
    reported_usd: 1,
    size_bytes: 1,
    damaged: 1,
    is_stub: true,
    running: { session: t("running.session"), pid: 1, status: "waiting", waiting_for: t("running.waiting_for"), pane: { id: "%1", place: t("running.pane.place"), command: t("running.pane.command"), is_foreground: true } },
    progress: { main: progress(t), sub_agents: [subAgentProgress(t, null), subAgentProgress(t, progress(t))] },
  }
}

function agent(fill: Fill): SubAgent {
  const t = (field: string) => fill(`sub-agent ${field}`)
  return { id: t("id"), kind: t("kind"), description: t("description"), status: t("status"), is_background: true, rows: [], elsewhere: t("elsewhere"), entries: 3 }
}

function call(fill: Fill, name: string | null, given: readonly Block[] = []): ToolCall {
  const t = (field: string) => fill(`call ${field}`)
  return {
    type: "call",
    id: t("id"),
    name: name ?? t("name"),
    label: t("label"),
    title: t("title"),
    state: "failed",
    icon: "tool",
    title_is_path: true,
    opens_by_itself: false,
    decided_by: t("decided_by"),
    time: t("time"),
    duration_ms: 200,
    permission: t("permission"),
    asked: [...given],
    agent: agent(fill),
    given: [...given],
    refers: t("refers"),
  }
}

function rows(fill: Fill, at: string): PageRow[] {
  const t = (field: string) => fill(`row ${field}`)
  const all: Row[] = [
    {
      type: "message",
      id: t("message.id"),
      time: t("message.time"),
      author: t("message.author"),
      model: t("message.model"),
      duration_ms: 1,
      tokens: NO_TOKENS,
      cost_usd: 1,
      stop_reason: t("message.stop_reason"),
      error: t("message.error"),
      is_partial: true,
      is_unfinished: true,
      is_queued: true,
      is_abandoned: true,
      pieces: [
        { type: "prose", markdown: t("message.typed"), cut_chars: 0 },
        { type: "thinking", text: "", reason: t("message.thinking"), cut_chars: 0 },
        call(fill, null),
        call(fill, "Bash", [{ type: "shell", command: t("call.command"), language: "bash", cut_chars: 0 }]),
      ],
    },
    { type: "turn", id: t("turn.id"), time: t("turn.time"), outcome: t("turn.outcome"), is_error: true, duration_ms: 1, duration_api_ms: 1, stop_reason: t("turn.stop_reason"), num_turns: 2, tokens: NO_TOKENS, cost_usd: 1, blocks: [] },
    { type: "turn", id: t("turn.id"), time: t("turn.time"), outcome: t("turn.outcome"), is_error: false, duration_ms: 1, duration_api_ms: 1, stop_reason: t("turn.stop_reason"), num_turns: 2, tokens: NO_TOKENS, cost_usd: 1, blocks: [] },
    { type: "compaction", id: t("compaction.id"), time: t("compaction.time"), trigger: t("compaction.trigger"), pre_tokens: 1, post_tokens: 1 },
    { type: "queued", is_waiting: true, id: t("queued.id"), time: t("queued.time"), blocks: [{ type: "prose", markdown: t("queued.typed"), cut_chars: 0 }] },
    { type: "mode", id: t("mode.id"), time: t("mode.time"), mode: t("mode.mode") },
    { type: "notice", id: t("notice.id"), time: t("notice.time"), title: t("notice.title"), is_internal: true, blocks: blocks(fill) },
    { type: "branch", id: t("branch.id"), time: t("branch.time"), at, words: t("branch.words"), is_abandoned: true },
    { type: "orphan", id: t("orphan.id"), time: t("orphan.time"), call: call(fill, null) },
    { type: "agent", id: t("agent.id"), time: t("agent.time"), agent: agent(fill) },
  ]
  return all.map((row) => ({ key: ["", 0, "", 0, 0, ""], thread: "", row, places: { [row.id]: { stream: t("places.stream"), at: 1 } }, moments: { shown: "", pieces: [] } }))
}

/** Calls of which only one line is visible. */
function folded(fill: Fill): PageRow {
  const row: Row = { type: "orphan", id: fill("row orphan.id"), time: null, call: call(fill, "Edit") }
  return { key: ["", 0, "", 0, 0, ""], thread: "", row, places: {}, moments: { shown: "", pieces: [] } }
}

/** An image whose place is in the row: it is loaded from the server. */
function picture(fill: Fill): PageRow {
  const item = fill("row image.item")
  const block: Block = { type: "image", media_type: fill("row image.media_type"), size_bytes: 1, source: "inline", item, nth: 0, cut_chars: 0 }
  const row: Row = { type: "notice", id: fill("row notice.id"), time: null, title: "", is_internal: false, blocks: [block] }
  return { key: ["", 0, "", 0, 0, ""], thread: "", row, places: { [item]: { stream: fill("row places.stream"), at: 1 } }, moments: { shown: "", pieces: [] } }
}

function thread(fill: Fill, id: string): ThreadSummary {
  const t = (field: string) => fill(`thread ${field}`)
  return { id, kind: t("kind"), description: t("description"), status: t("status"), call: t("call"), parent: "", entries: 1, started_at: t("started_at"), ended_at: t("ended_at") }
}

function detail(fill: Fill, threadId: string): ConversationDetail {
  const t = (field: string) => fill(`detail ${field}`)
  return {
    summary: conversation(fill),
    tools: [t("tools"), `mcp__${t("tools")}`],
    mcp_servers: [{ name: t("mcp.name"), status: t("mcp.status") }],
    permission_mode: t("permission_mode"),
    versions: [t("versions")],
    api_key_source: t("api_key_source"),
    slug: t("slug"),
    plan: { type: "plan", markdown: t("plan"), cut_chars: 0 },
    context: { tokens: 1, window: 2 },
    threads: [thread(fill, threadId)],
    unread: 1,
    epoch: "e",
    seq: 1,
  }
}

function hit(fill: Fill): SearchHit {
  const t = (field: string) => fill(`hit ${field}`)
  const text = t("snippet")
  return {
    number: 1,
    conversation: conversation(fill),
    id: t("id"),
    key: ["", 0, "", 0, 0, ""],
    thread: t("thread"),
    kind: t("kind"),
    role: t("role"),
    author: null,
    tool: t("tool"),
    is_failed: true,
    time: t("time"),
    snippet: { text, marks: [[1, Math.min(4, text.length)]] },
    stands: { part: t("part"), start: 0, end: 4, text: t("stands") },
    also: [t("also")],
  }
}

function facets(fill: Fill): Facet[] {
  const t = (field: string) => fill(`facet ${field}`)
  return [{ field: t("field"), values: [{ value: t("value"), label: t("label"), count: 1, term: t("term") }] }]
}

function card(fill: Fill, state: Card["state"]): Card {
  const t = (field: string) => fill(`approval ${field}`)
  return {
    id: t("id"),
    digest: t("digest"),
    state,
    tool: t("tool"),
    kind: "command",
    title: t("title"),
    blocks: [{ type: "shell", command: t("command"), language: t("language"), cut_chars: 0 }],
    whole: { type: "json", text: t("whole.text"), title: t("whole.title"), is_bulk: false, cut_chars: 0 },
    input: t("input"),
    hints: [{ kind: t("hint.kind"), words: t("hint.words") }],
    offers: [{ index: 0, words: t("offer.words"), is_wide: true, text: t("offer.text") }],
    facts: [
      { name: "folder", text: t("fact.text") },
      { name: "conversation", text: t("fact.text") },
      { name: t("fact.name"), text: t("fact.text") },
    ],
    session: t("session"),
    conversation: t("conversation"),
    conversation_title: t("conversation_title"),
    workspace_name: t("workspace_name"),
    run: t("run"),
    agent: t("agent"),
    created_at: t("created_at"),
    deadline_at: null,
    decision: state === "pending" ? null : { behavior: "deny", at: t("decision.at"), surface: t("decision.surface"), message: t("decision.message"), is_changed: true, approver: t("decision.approver"), rules: [t("decision.rules")] },
    effect: state === "pending" ? null : "sent",
    settled_at: state === "pending" ? null : t("settled_at"),
    latency_ms: state === "pending" ? null : 1,
    note: t("note"),
  }
}

function boardTile(fill: Fill) {
  const t = (field: string) => fill(`tile ${field}`)
  return tile(t("name"), "working", null, {
    title: t("title"),
    workspace_name: t("workspace"),
    agent: t("agent"),
    branch: t("branch"),
    folder: t("folder"),
    run: { id: "r", state: t("run state") },
    pane: t("pane"),
    progress: t("progress"),
    reasons: [{ kind: "client", text: t("reason"), request: null, call: null, since: t("since") }],
    calls: [{ call: t("call id"), tool: t("call tool"), text: t("call text"), thread: "", since: t("call since") }],
    alerts: [{ kind: "loop", text: t("alert text"), thread: t("alert thread"), since: null, evidence: [{ item: t("evidence"), time: null }], count: 3 }],
  })
}

function status(fill: Fill): ServerStatus {
  const t = (field: string) => fill(`server ${field}`)
  return {
    version: t("version"),
    vault: t("vault"),
    epoch: "e",
    seq: 1,
    conversations: 1,
    watched: [{ path: t("watched.path"), sessions: 1, size_bytes: 1 }],
    at_risk: { sessions: 1, cleanup: t("cleanup") },
    state: "failed",
    done_bytes: 1,
    total_bytes: 1,
    alarm: t("alarm"),
    trouble: t("trouble"),
    mended: [t("mended")],
    lost: [t("lost")],
  }
}

const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() })
const cache = new QueryClient()
cache.setQueryData([...APPROVALS_KEY, "pending"], { cards: [], pending: 0, trouble: null })
const source = { backend: { ...http, runs: () => Promise.resolve({ runs: [] }) }, live: null }
const nothing = () => undefined

function opened(): Folds {
  const folds = new Folds()
  for (const kind of ["thinking", "call", "lines", "json"] as const) folds.putAll(kind, true)
  return folds
}

function closed(): Folds {
  const folds = new Folds()
  for (const kind of ["thinking", "call"] as const) folds.putAll(kind, false)
  return folds
}

/** Every view with every field filled. */
export function everything(fill: Fill) {
  const at = fill("branch point at")
  const threadId = fill("thread id")
  const whole = detail(fill, threadId)
  const transcript: Transcript = {
    name: fill("conversation name"),
    thread: "",
    folder: fill("conversation folder"),
    branches: [{ at, heads: [{ id: fill("branch head id"), key: ["", 0, "", 0, 0, ""], words: fill("branch head words"), time: fill("branch head time"), is_active: true }] }],
    chosen: [],
    locate: nothing,
    openThread: nothing,
    chooseBranch: nothing,
    openRaw: nothing,
    fork: nothing,
    addressOf: (id) => id,
    makeCurrent: nothing,
    loadWhole: () => Promise.resolve(),
  }
  const found = hit(fill)
  const ended = run("r", {
    conversation: fill("run conversation"),
    title: fill("run title"),
    folder: fill("run folder"),
    agent: fill("run agent"),
    state: "ended",
    queued: [fill("run queued")],
    model: fill("run model"),
    mode: fill("run mode"),
    trouble: fill("run trouble"),
    advice: fill("run advice"),
    ended_at: fill("run ended at"),
    ending: fill("run ending"),
    is_failure: true,
    budgets: [{ scope: "run", measure: "money", state: "warning", words: fill("run budget"), share: 0.9 }],
  })
  return (
    <SourceContext value={source}>
      <QueryClientProvider client={cache}>
        <RouterContextProvider router={router}>
          <TranscriptContext value={transcript}>
            <FoldsContext value={opened()}>
              {[...rows(fill, at), picture(fill)].map((row) => (
                <RowView key={row.row.id} row={row} />
              ))}
              <SessionHeader detail={whole} address={() => ""} showing={{ isInternal: true, isWrapped: true, isOutline: true, isPanel: true, isReplay: true, isState: true }} onShowing={nothing} onFind={nothing}>
                {null}
              </SessionHeader>
              <SessionPanel detail={whole} thread="" onThread={nothing} />
              <ThreadCrumb threads={whole.threads} thread={threadId} onThread={nothing} />
              <ConversationRow conversation={whole.summary} activity="done" subAgents={1} progress={whole.summary.progress} run={ended} isSelected />
              <BoardTile tile={boardTile(fill)} />
              <RunEnding run={ended} />
              <RunStarting run={ended} />
              <QueuedList queued={ended.queued} />
              <HitRow hit={found} isFirst isSelected />
              <Facets facets={facets(fill)} q="" onQuery={nothing} />
              <ApprovalCard card={card(fill, "pending")} standing={null} onAnswered={nothing} onLate={nothing} />
              <Outcome card={card(fill, "denied")} />
              <ServerNotice status={status(fill)} />
              <ServerNotice status={{ ...status(fill), alarm: null }} />
              <ErrorState title={fill("problem title")} message={fill("problem message")} />
            </FoldsContext>
            <FoldsContext value={closed()}>
              <RowView row={folded(fill)} />
            </FoldsContext>
          </TranscriptContext>
        </RouterContextProvider>
      </QueryClientProvider>
    </SourceContext>
  )
}
