import { createContext, useContext } from "react"
import type { BranchPoint, PageRow } from "@/api/schema"

/** What the rows of a transcript can ask of their page. */
export interface Transcript {
  name: string
  thread: string
  /** The folder of the conversation: paths below it are shown as relative. */
  folder: string | null
  branches: readonly BranchPoint[]
  chosen: readonly string[]
  /** Jumps to what another kind of id stands for: a background task, or an agent. */
  locate(id: string): void
  openThread(thread: string, at?: string): void
  chooseBranch(point: BranchPoint, head: string): void
  openRaw(row: PageRow, id: string): void
  /** Continues in a copy of the conversation that ends with this row, if that is possible. */
  fork(row: PageRow): void
  addressOf(id: string): string
  makeCurrent(id: string): void
  loadWhole(id: string): Promise<void>
}

export const TranscriptContext = createContext<Transcript | null>(null)

/**
 * The current row, and the row whose link was just copied. A context of its own, because it changes often and only the
 * frames of rows need it.
 */
export const CurrentContext = createContext<{ id: string | null; copiedId: string | null }>({ id: null, copiedId: null })

/** The time (ISO) of the last activity of a conversation that is at work; null if it is not at work. */
export const WorkContext = createContext<string | null>(null)

/** The sub-agents that are open in place around a row, outermost first, and the call that each was opened at. */
export const AboveContext = createContext<readonly { agent: string; at: string }[]>([])

export function useTranscript(): Transcript {
  const transcript = useContext(TranscriptContext)
  if (transcript === null) throw new Error("There is no TranscriptContext above this component")
  return transcript
}
