import { createContext, useContext, useEffect, useEffectEvent, useSyncExternalStore } from "react"
import type { Backend } from "./backend"
import type { LiveEvent } from "./feed"
import type { Connection } from "./line"
import type { Followed, Live, RunningNow } from "./live"

/** The server, and the source of live changes; `live` is null if nothing ever changes, as in an exported file. */
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

/** Whether the page is an exported file: nothing in it can be changed, and only what is shown is in it. */
export function useIsExported(): boolean {
  return useSource().live === null
}

/**
 * Calls `onNews` for everything that happens to a conversation while the component is mounted: rows were added, changed
 * or removed, a row is being written, or the rows have to be read again (see `Followed`). `null` follows nothing.
 */
export function useFollow(name: string | null, onNews: (news: Followed) => void): void {
  const { live } = useSource()
  const notify = useEffectEvent(onNews)
  useEffect(() => {
    if (live === null || name === null) return
    return live.follow(name, (news) => notify(news))
  }, [live, name])
}

/** Calls `onEvent` for every event of the socket while the component is mounted. */
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

/** When the server was last heard: what is shown is not older. Null if it never was, and if nothing ever changes. */
export function useHeardAt(): number | null {
  const { live } = useSource()
  // It is read when the connection changes; while the connection stands, nobody needs it.
  useConnection()
  return live?.heardAt() ?? null
}

const ASK_MS = 5000

/** How often to poll for what the socket sends: never while it is open. */
export function useAskMs(): number | false {
  return useConnection().phase === "live" ? false : ASK_MS
}

/** The running clients as last reported; null before the first report, and if nothing ever changes. */
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
