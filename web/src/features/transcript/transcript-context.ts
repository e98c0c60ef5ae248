import { createContext, useContext } from "react"
import type { BranchPoint, PageRow } from "@/api/schema"

/** What the rows of a transcript may ask of the page they stand on. */
export interface Transcript {
  name: string
  thread: string
  /** Where the conversation took place: paths below it are shown from there. */
  folder: string | null
  branches: readonly BranchPoint[]
  chosen: readonly string[]
  /** Jumps to what an id of another kind means: a background task, an agent. */
  locate(id: string): void
  openThread(thread: string, at?: string): void
  chooseBranch(point: BranchPoint, head: string): void
  openRaw(row: PageRow, id: string): void
  /** Goes on in a copy of the conversation that ends with this row, if it can. */
  fork(row: PageRow): void
  addressOf(id: string): string
  makeCurrent(id: string): void
  loadWhole(id: string): Promise<void>
}

export const TranscriptContext = createContext<Transcript | null>(null)

/** The row the reader is at, and the one whose link was just copied. Only the rows' frames care, and it changes often. */
export const CurrentContext = createContext<{ id: string | null; copiedId: string | null }>({ id: null, copiedId: null })

/** The last sign (ISO) of a conversation that is at work; null for one that is not. */
export const WorkContext = createContext<string | null>(null)

/** The sub-agents that were opened in place around a row, the outermost first, and what each was opened at. */
export const AboveContext = createContext<readonly { agent: string; at: string }[]>([])

export function useTranscript(): Transcript {
  const transcript = useContext(TranscriptContext)
  if (transcript === null) throw new Error("There is no TranscriptContext above this component")
  return transcript
}
