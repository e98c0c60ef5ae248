import type { ReactNode } from "react"
import type { OnGo } from "./place"
import { SessionRenderer } from "./session-renderer"

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
