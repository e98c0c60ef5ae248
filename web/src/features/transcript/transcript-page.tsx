import type { ReactNode } from "react"
import { SessionRenderer } from "./session-renderer"

export interface Go {
  thread?: string
  branch?: string[]
  at?: string
}

/**
 * Goes to another place of the same conversation; what is undefined is left out of the address. A correction takes the
 * place of the address it corrects: going back must not lead into it again.
 */
export type OnGo = (place: Go, isCorrection?: boolean) => void

/** The page of one conversation; where in it the reader is, its address says. */
export default function TranscriptPage({
  name,
  thread,
  branches,
  at,
  onGo,
  waiting,
}: {
  name: string
  thread: string
  branches: readonly string[]
  at: string | null
  onGo: OnGo
  /** Stands below the messages: what waits for the reader here. */
  waiting: ReactNode
}) {
  return <SessionRenderer name={name} place={{ thread, branch: branches, at }} onGo={onGo} waiting={waiting} />
}
