import type {
  AnnotationAsked,
  ApprovalAnswer,
  ApprovalCard,
  Approvals,
  ApproverChange,
  Approvers,
  Completions,
  ConversationDetail,
  ConversationFacets,
  ConversationList,
  EnrolmentAsked,
  FoundInConversation,
  Leaving,
  Located,
  Message,
  Outline,
  Page,
  PageRow,
  Places,
  Problem,
  RawRecord,
  RecordPlace,
  ResumptionAsked,
  RunAsked,
  RunChange,
  Runs,
  RunShown,
  SearchAnswer,
  ServerStatus,
  SettingsShown,
  TextPiece,
  Ticket,
} from "./schema"

/** What lists are ordered by, the most of it first unless it is rising. */
export type Order = "time" | "cost" | "tokens" | "messages" | "duration"

export interface ListAsked {
  q: string
  order?: Order
  isRising?: boolean
  start?: number
  limit?: number
}

/** At most one of `after`, `before`, `around` and `at`; without any, the end of the thread. */
export interface RowsAsked {
  thread?: string
  after?: string
  before?: string
  around?: string
  at?: string
  limit?: number
  internal?: boolean
  branch?: readonly string[]
  /** Only what this call led to, in the thread of a sub-agent that several calls started and resumed. */
  call?: string
}

export interface SearchAsked {
  q: string
  below?: number
  isRanked?: boolean
  limit?: number
}

/**
 * All that the application asks of whoever holds the conversations. Conversations go by their full name
 * (`workspace/agent/conversation`). Every call fails with a `ProblemError` and nothing else, but for an abort.
 */
export interface Backend {
  login(token: string): Promise<void>
  logout(): Promise<void>
  ticket(): Promise<Ticket>

  status(signal?: AbortSignal): Promise<ServerStatus>
  /** How hooks, logins, prices and the client stand. */
  settings(signal?: AbortSignal): Promise<SettingsShown>
  conversations(asked: ListAsked, signal?: AbortSignal): Promise<ConversationList>
  /** How many conversations answer, and how they divide. */
  facets(q: string, signal?: AbortSignal): Promise<ConversationFacets>
  search(asked: SearchAsked, signal?: AbortSignal): Promise<SearchAnswer>
  complete(q: string, at: number, signal?: AbortSignal): Promise<Completions>

  conversation(name: string, signal?: AbortSignal): Promise<ConversationDetail>
  /** Says something about a conversation; what is not named stays. */
  annotate(name: string, asked: Partial<AnnotationAsked>): Promise<void>
  /** What would go if it were forgotten. */
  leaving(name: string, signal?: AbortSignal): Promise<Leaving>
  /** Removes it for good, if it is still of so many lines. */
  forget(name: string, lines: number): Promise<void>
  rows(name: string, asked: RowsAsked, signal?: AbortSignal): Promise<Page>
  /** The row with nothing cut. */
  row(name: string, id: string, signal?: AbortSignal): Promise<PageRow>
  outline(name: string, thread: string, signal?: AbortSignal): Promise<Outline>
  locate(name: string, id: string, signal?: AbortSignal): Promise<Located>
  find(name: string, asked: { q: string; thread?: string; start?: number; after?: string }, signal?: AbortSignal): Promise<FoundInConversation>
  record(name: string, place: RecordPlace, signal?: AbortSignal): Promise<RawRecord>
  sideFile(name: string, file: string, start: number, signal?: AbortSignal): Promise<TextPiece>

  /** The permission requests that wait, the oldest first, then so many of those that are settled, the newest first. */
  approvals(settled: number, signal?: AbortSignal): Promise<Approvals>
  /** Decides a request, once; the card as it stands then. */
  answer(id: string, answer: ApprovalAnswer): Promise<ApprovalCard>
  approvers(signal?: AbortSignal): Promise<Approvers>
  /** The first browser that asks becomes an approver; any later one waits until an approver signs for it. */
  enrol(asked: EnrolmentAsked): Promise<Approvers>
  changeApprovers(change: ApproverChange): Promise<Approvers>

  /** The agents at work for Chorus, and those that ended lately. */
  runs(signal?: AbortSignal): Promise<Runs>
  /** Where an agent may be started. */
  places(signal?: AbortSignal): Promise<Places>
  startRun(asked: RunAsked): Promise<RunShown>
  /** Goes on with a kept conversation, or with a copy of it. */
  resumeRun(asked: ResumptionAsked): Promise<RunShown>
  /** Says something to an agent; while it is busy, the message waits. */
  sendToRun(id: string, message: Message): Promise<void>
  /** Ends the turn. */
  interruptRun(id: string): Promise<void>
  /** Ends the agent, and all it started. */
  stopRun(id: string): Promise<void>
  /** Ends the agent and goes on with its conversation in a new run, which trusts the approvers of now. */
  restartRun(id: string, message: Message): Promise<RunShown>
  changeRun(id: string, change: RunChange): Promise<void>

  /** Addresses for <img> and for links that download. */
  imageUrl(name: string, place: RecordPlace, nth: number): string
  recordUrl(name: string, place: RecordPlace): string
  sideFileUrl(name: string, file: string): string
}

/** What the server answers with when it cannot do what it was asked; `unreachable` when it did not answer at all. */
export class ProblemError extends Error {
  readonly kind: string
  readonly at: [number, number] | null

  constructor(problem: Problem) {
    super(problem.message)
    this.name = "ProblemError"
    this.kind = problem.kind
    this.at = problem.at
  }
}

export const UNREACHABLE: Problem = {
  kind: "unreachable",
  message: "Chorus does not answer. Start it with `chorus serve`; this page goes on by itself.",
  at: null,
}

export function isProblem(error: unknown, kind: string): error is ProblemError {
  return error instanceof ProblemError && error.kind === kind
}
