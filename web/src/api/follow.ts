import { createContext, useContext, useEffect, useEffectEvent, useSyncExternalStore } from "react"
import type { Backend } from "./backend"
import type { LiveEvent } from "./feed"
import type { Connection, Followed, Live, RunningNow } from "./live"

/** Who answers, and who tells what changes; `live` is null where nothing ever changes, as in an exported file. */
export interface Source {
  backend: Backend
  live: Live | null
}

export const SourceContext = createContext<Source | null>(null)

export function useSource(): Source {
  const source = useContext(SourceContext)
  if (source === null) throw new Error("There is no SourceContext above this component")
  return source
}

export function useBackend(): Backend {
  return useSource().backend
}

/**
 * Tells `onTold` what happens to a conversation while the component is on display: rows put and taken away, rows being
 * written, or that what is on display is to be read again (`Followed`). `null` follows nothing.
 */
export function useFollow(name: string | null, onNews: (news: Followed) => void): void {
  const { live } = useSource()
  const notify = useEffectEvent(onNews)
  useEffect(() => {
    if (live === null || name === null) return
    return live.follow(name, (news) => notify(news))
  }, [live, name])
}

/** Tells `onEvent` everything that comes over the socket. */
export function useLiveEvents(onEvent: (event: LiveEvent) => void): void {
  const { live } = useSource()
  const notify = useEffectEvent(onEvent)
  useEffect(() => live?.listen((event) => notify(event)), [live])
}

const ALWAYS: Connection = { phase: "live" }

export function useConnection(): Connection {
  const { live } = useSource()
  return useSyncExternalStore(live?.watch ?? neverChanges, live?.connection ?? (() => ALWAYS))
}

const ASK_MS = 5000

/** How often to ask for what the socket tells: not at all while it is open. */
export function useAskMs(): number | false {
  return useConnection().phase === "live" ? false : ASK_MS
}

/** What runs now, as it was last told; before that, and where nothing changes, what was read says it. */
export function useRunning(): RunningNow {
  const { live } = useSource()
  return useSyncExternalStore(live?.watch ?? neverChanges, live?.running ?? unknown)
}

function unknown(): RunningNow {
  return null
}

function neverChanges(): () => void {
  return () => {}
}
