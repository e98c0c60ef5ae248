import type { ReactNode } from "react"
import type { OnFork, OnGo } from "./place"
import { SessionRenderer } from "./session-renderer"

/** The page of one conversation; the address says which place of it is shown. */
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
  /** The words that a search found there. */
  words: readonly string[]
  onGo: OnGo
  /** Shown below the messages: what waits for the reader here. */
  waiting: ReactNode
  /** Shown instead of a conversation that does not exist yet; while it is not null, the conversation is not requested. */
  absent: ReactNode
  /** Continues in a copy that ends with a message, given by its uuid and its first words. */
  onFork: OnFork
}) {
  const place = { thread, branch: branches, at, words }
  return <SessionRenderer name={name} place={place} onGo={onGo} waiting={waiting} absent={absent} onFork={onFork} />
}
