import type {
  AnnotationAsked,
  ApprovalAnswer,
  ApprovalCard,
  Approvals,
  ApproverChange,
  Approvers,
  Blame,
  Board,
  BudgetChangeAsked,
  Budgets,
  BudgetTest,
  Changes,
  ComparisonAnswer,
  Completions,
  ConversationDetail,
  ConversationFacets,
  ConversationList,
  EditDiff,
  EnrolmentAsked,
  ExportAsked,
  ExportPreview,
  FileBlame,
  FileDiff,
  Files,
  FoundInConversation,
  Leaving,
  Located,
  Message,
  NotificationRules,
  NotificationSettings,
  Outline,
  Page,
  PageRow,
  PairedDevicesShown,
  PairingAsked,
  PairingClaim,
  PairingClaimed,
  PairingFinished,
  PairingOffer,
  PanePrompts,
  PaneScreen,
  Places,
  Problem,
  PushSubscription,
  RawRecord,
  RecordPlace,
  ReplayMoment,
  ReplayMoments,
  ReplayState,
  ReplayTimeline,
  ResumptionAsked,
  RuleChangeAsked,
  RuleSuggestions,
  RuleTest,
  Rules,
  RunAsked,
  RunChange,
  RunShown,
  Runs,
  SearchAnswer,
  ServerStatus,
  SettingsShown,
  TextPiece,
  Ticket,
  UndoAsked,
  UndoConfirmed,
  UndoPreview,
  UndoResult,
  UsageShown,
  WentThere,
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

/** What a moment of a replay can be a step for. */
export type ReplayStep = "row" | "call" | "turn" | "prompt" | "edit" | "error" | "question" | "compaction"

export interface SearchAsked {
  q: string
  below?: number
  isRanked?: boolean
  limit?: number
}

/** Whose files: those of one conversation, or of all conversations of its workspace. */
export type FileScope = "conversation" | "workspace"

export interface FileVersionAsked {
  path: string
  version: number
  scope: FileScope
}

/** Two versions of a file; `before` is 0 for the time before the first one. */
export interface FileDiffAsked {
  path: string
  before: number
  after: number
  ignoresSpace: boolean
  scope: FileScope
}

export interface UsageAsked {
  q: string
  by: UsageShown["by"]
  /** The first day, as in a query (`30d`); empty for no limit. */
  since: string
}

/** A table of the usage report that can be saved as a file. */
export type UsageFile = UsageShown["by"] | "tool" | "hour" | "conversation"

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
  usage(asked: UsageAsked, signal?: AbortSignal): Promise<UsageShown>
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
  /** Two conversations aligned step by step; `start` and `limit` choose a page of the pairs. */
  compare(a: string, b: string, start: number, limit: number, signal?: AbortSignal): Promise<ComparisonAnswer>
  record(name: string, place: RecordPlace, signal?: AbortSignal): Promise<RawRecord>
  sideFile(name: string, file: string, start: number, signal?: AbortSignal): Promise<TextPiece>

  /** The files that a conversation touched, or that all conversations of its workspace touched, with their versions. */
  files(name: string, scope: FileScope, signal?: AbortSignal): Promise<Files>
  /** What changed in a file between two versions. */
  fileDiff(name: string, asked: FileDiffAsked, signal?: AbortSignal): Promise<FileDiff>
  /** Which version each line of a version came with. */
  fileBlame(name: string, asked: FileVersionAsked, signal?: AbortSignal): Promise<FileBlame>
  /** Each line of a file of a workspace with the edit that wrote it; `revision` is "" for the folder as it is now. */
  blame(workspace: string, file: string, revision: string, signal?: AbortSignal): Promise<Blame>
  /** What the agents of a conversation changed in files, turn by turn. */
  changes(name: string, signal?: AbortSignal): Promise<Changes>
  /** What one edit changed in one file, by the id of its snapshot and the key of the file. */
  editDiff(name: string, commit: string, file: string, signal?: AbortSignal): Promise<EditDiff>
  /** What undoing would do to each file. */
  undoPreview(name: string, asked: UndoAsked, signal?: AbortSignal): Promise<UndoPreview>
  /** Undoes what was previewed; fails with `changed` if a file changed since. */
  undo(name: string, confirmed: UndoConfirmed): Promise<UndoResult>
  /** How the conversation went over time: lanes, marks, and how many moments there are. */
  replay(name: string, signal?: AbortSignal): Promise<ReplayTimeline>
  /** The chunk of moments that contains this number. */
  replayMoments(name: string, first: number, signal?: AbortSignal): Promise<ReplayMoments>
  /** The state at a moment, given by its id, by the id of a record, or by a time. */
  replayState(name: string, at: string, signal?: AbortSignal): Promise<ReplayState>
  /** The next or previous moment of a kind. */
  replayStep(name: string, at: string, to: ReplayStep, isBack: boolean, signal?: AbortSignal): Promise<ReplayMoment>

  /** What an export would contain, and what redaction found. */
  exportPreview(name: string, asked: ExportAsked, signal?: AbortSignal): Promise<ExportPreview>
  /** The exported file. */
  exportFile(name: string, asked: ExportAsked, signal?: AbortSignal): Promise<Blob>

  /** The open permission requests, oldest first, then this number of settled ones, newest first. */
  approvals(settled: number, signal?: AbortSignal): Promise<Approvals>
  /** Decides a request, once. Returns the card after the decision. */
  answer(id: string, answer: ApprovalAnswer): Promise<ApprovalCard>
  approvers(signal?: AbortSignal): Promise<Approvers>
  /** The first browser that asks becomes an approver; any later one waits until an approver signs for it. */
  enrol(asked: EnrolmentAsked): Promise<Approvers>
  changeApprovers(change: ApproverChange): Promise<Approvers>

  /** The paired devices, and the pairing that is under way. */
  devices(signal?: AbortSignal): Promise<PairedDevicesShown>
  /** Shows a new QR code, in place of the one before. */
  offerPairing(scope: PairingAsked["scope"]): Promise<PairingOffer>
  /** Admits or refuses the device that shows this code. */
  answerPairing(code: string, isConfirmed: boolean): Promise<PairedDevicesShown>
  renameDevice(id: string, name: string): Promise<PairedDevicesShown>
  /** Revokes a device for good, at once. */
  revokeDevice(id: string): Promise<PairedDevicesShown>
  /** Claims the QR code for this device, once. */
  pair(claim: PairingClaim): Promise<PairingClaimed>
  /** Logs this device in if a person confirmed it. */
  finishPairing(claim: string): Promise<PairingFinished>

  /** What this device is notified of. */
  notifications(signal?: AbortSignal): Promise<NotificationSettings>
  changeNotifications(rules: NotificationRules): Promise<void>
  subscribeToPush(subscription: PushSubscription): Promise<void>
  unsubscribeFromPush(): Promise<void>
  /** Sends a notification to this device now. */
  tryNotification(): Promise<void>
  /** The conversations in the columns of the board. */
  board(signal?: AbortSignal): Promise<Board>

  /** The rules that answer requests, and those of the client. */
  rules(signal?: AbortSignal): Promise<Rules>
  /** Adds or removes a rule; an approver must have signed the change. */
  changeRules(change: RuleChangeAsked): Promise<Rules>
  /** What a rule would have decided about everything that was recorded. */
  testRule(text: string, signal?: AbortSignal): Promise<RuleTest>
  /** Rules that would have answered requests as people did. */
  ruleSuggestions(signal?: AbortSignal): Promise<RuleSuggestions>

  /** The permission requests that can be answered only in their panes. */
  panePrompts(signal?: AbortSignal): Promise<PanePrompts>

  /** The budgets, and how much of each is used now. */
  budgets(signal?: AbortSignal): Promise<Budgets>
  /** Sets or removes a budget; an approver must have signed the change. */
  changeBudgets(change: BudgetChangeAsked): Promise<Budgets>
  /** Where a budget would count now. Nothing is set. */
  testBudget(text: string, signal?: AbortSignal): Promise<BudgetTest>

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
  /** Shows the tmux pane of a session to the person who is attached to its server. */
  goToPane(session: string): Promise<WentThere>
  /** What the tmux pane of a session shows now. */
  paneScreen(session: string, signal?: AbortSignal): Promise<PaneScreen>

  /** Addresses for <img> and for links that download. */
  imageUrl(name: string, place: RecordPlace, nth: number): string
  recordUrl(name: string, place: RecordPlace): string
  sideFileUrl(name: string, file: string): string
  fileVersionUrl(name: string, asked: FileVersionAsked): string
  usageFileUrl(asked: Pick<UsageAsked, "q" | "since">, by: UsageFile): string
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
