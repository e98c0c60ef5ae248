import type { ReactNode } from "react"
import type { OnFork, OnGo } from "./place"
import { SessionRenderer } from "./session-renderer"

/** The page of one conversation; where in it the reader is, its address says. */
export default function TranscriptPage({
  name,
  thread,
  branches,
  at,
  words,
  onGo,
  waiting,
  absent,
  onFork,
}: {
  name: string
  thread: string
  branches: readonly string[]
  at: string | null
  /** The words by which a search found that place. */
  words: readonly string[]
  onGo: OnGo
  /** Stands below the messages: what waits for the reader here. */
  waiting: ReactNode
  /** Stands in the place of a conversation that is waited for: until it is null, none is asked for. */
  absent: ReactNode
  /** Goes on in a copy that ends with a message, by its uuid and how it begins. */
  onFork: OnFork
}) {
  const place = { thread, branch: branches, at, words }
  return <SessionRenderer name={name} place={place} onGo={onGo} waiting={waiting} absent={absent} onFork={onFork} />
}
