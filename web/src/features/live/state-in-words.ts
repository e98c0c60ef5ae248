import type { ServerStatus } from "@/api/schema"
import { several, size } from "@/blocks/text/figures"

type State = Pick<ServerStatus, "state" | "done_bytes" | "total_bytes">

/** What the server is doing, as a sentence. */
export function stateInWords({ state, done_bytes, total_bytes }: State): string {
  switch (state) {
    case "starting":
      return "Starting"
    case "keeping":
      return `Recording sessions: ${size(done_bytes)} of ${size(total_bytes)}`
    case "watching":
      return "Watching: new records are stored as they are written"
    case "failed":
      return "Stopped recording"
    default:
      state satisfies never
      return ""
  }
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** `What you see is as of 14:05, 3 minutes ago.` */
export function shownAsOf(ms: number, now: number, locale?: string): string {
  const past = Math.max(0, now - ms)
  const day = past < DAY_MS ? {} : ({ weekday: "short", day: "numeric", month: "short" } as const)
  const time = new Intl.DateTimeFormat(locale, { ...day, hour: "2-digit", minute: "2-digit" }).format(ms)
  return `What you see is as of ${time}, ${agoInWords(past)}.`
}

function agoInWords(past: number): string {
  if (past < MINUTE_MS) return "less than a minute ago"
  if (past < HOUR_MS) return `${several(Math.floor(past / MINUTE_MS), "minute")} ago`
  if (past < DAY_MS) return `${several(Math.floor(past / HOUR_MS), "hour")} ago`
  return `${several(Math.floor(past / DAY_MS), "day")} ago`
}
