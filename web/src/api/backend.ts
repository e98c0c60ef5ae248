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

/** The orders of a list. The highest value comes first, unless the order is ascending. */
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
  /** Only the rows that this call led to, in the thread of a sub-agent that several calls started and resumed. */
  call?: string
}

export interface SearchAsked {
  q: string
  below?: number
  isRanked?: boolean
  limit?: number
}

/**
 * Everything that the application asks of the server. Conversations are identified by their full name
 * (`workspace/agent/conversation`). Except for an abort, every call fails with a `ProblemError` and nothing else.
 */
export interface Backend {
  login(token: string): Promise<void>
  logout(): Promise<void>
  ticket(): Promise<Ticket>

  status(signal?: AbortSignal): Promise<ServerStatus>
  /** The state of hooks, logins, prices and the client. */
  settings(signal?: AbortSignal): Promise<SettingsShown>
  conversations(asked: ListAsked, signal?: AbortSignal): Promise<ConversationList>
  /** Counts the conversations that match a query, by field. */
  facets(q: string, signal?: AbortSignal): Promise<ConversationFacets>
  search(asked: SearchAsked, signal?: AbortSignal): Promise<SearchAnswer>
  complete(q: string, at: number, signal?: AbortSignal): Promise<Completions>

  conversation(name: string, signal?: AbortSignal): Promise<ConversationDetail>
  /** Changes the annotation of a conversation; fields that are not given stay as they are. */
  annotate(name: string, asked: Partial<AnnotationAsked>): Promise<void>
  /** What would be deleted if the conversation were deleted. */
  leaving(name: string, signal?: AbortSignal): Promise<Leaving>
  /** Deletes the conversation, if it still has this number of lines. */
  forget(name: string, lines: number): Promise<void>
  rows(name: string, asked: RowsAsked, signal?: AbortSignal): Promise<Page>
  /** The row with nothing cut. */
  row(name: string, id: string, signal?: AbortSignal): Promise<PageRow>
  outline(name: string, thread: string, signal?: AbortSignal): Promise<Outline>
  locate(name: string, id: string, signal?: AbortSignal): Promise<Located>
  find(name: string, asked: { q: string; thread?: string; start?: number; after?: string }, signal?: AbortSignal): Promise<FoundInConversation>
  record(name: string, place: RecordPlace, signal?: AbortSignal): Promise<RawRecord>
  sideFile(name: string, file: string, start: number, signal?: AbortSignal): Promise<TextPiece>

  /** The open permission requests, oldest first, then this number of settled ones, newest first. */
  approvals(settled: number, signal?: AbortSignal): Promise<Approvals>
  /** Decides a request, once. Returns the card after the decision. */
  answer(id: string, answer: ApprovalAnswer): Promise<ApprovalCard>
  approvers(signal?: AbortSignal): Promise<Approvers>
  /** The first browser that asks becomes an approver; any later one waits until an approver signs for it. */
  enrol(asked: EnrolmentAsked): Promise<Approvers>
  changeApprovers(change: ApproverChange): Promise<Approvers>

  /** The running agents that Chorus started, and those that ended recently. */
  runs(signal?: AbortSignal): Promise<Runs>
  /** Where an agent may be started. */
  places(signal?: AbortSignal): Promise<Places>
  startRun(asked: RunAsked): Promise<RunShown>
  /** Resumes a recorded conversation, or a copy of it. */
  resumeRun(asked: ResumptionAsked): Promise<RunShown>
  /** Sends a message to an agent; while the agent is busy, the message waits. */
  sendToRun(id: string, message: Message): Promise<void>
  /** Ends the turn. */
  interruptRun(id: string): Promise<void>
  /** Ends the agent and every process that it started. */
  stopRun(id: string): Promise<void>
  /** Ends the agent and resumes its conversation in a new run, which trusts the current approvers. */
  restartRun(id: string, message: Message): Promise<RunShown>
  changeRun(id: string, change: RunChange): Promise<void>

  /** Addresses for <img> and for links that download. */
  imageUrl(name: string, place: RecordPlace, nth: number): string
  recordUrl(name: string, place: RecordPlace): string
  sideFileUrl(name: string, file: string): string
}

/** The error that the server returns if it cannot do what it was asked; `unreachable` if it did not answer at all. */
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
  message: "Chorus does not answer. Start it with `chorus serve`; this page continues automatically.",
  at: null,
}

export function isProblem(error: unknown, kind: string): error is ProblemError {
  return error instanceof ProblemError && error.kind === kind
}
