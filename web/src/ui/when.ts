/** Times in words. Pure: what time it is now, and the locale, are arguments. */

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Returns the time of a record in milliseconds, or null if it is not a valid time: records may contain anything. */
export function instant(iso: string | null): number | null {
  if (iso === null) return null
  const ms = Date.parse(iso)
  return Number.isNaN(ms) ? null : ms
}

/** How long ago, in the fewest characters: `now`, `4m`, `3h`, `5d`, then a date. */
export function age(ms: number, now: number, locale?: string): string {
  const past = now - ms
  if (past < 45_000) return "now"
  if (past < HOUR_MS) return `${Math.max(1, Math.round(past / MINUTE_MS))}m`
  if (past < DAY_MS) return `${Math.floor(past / HOUR_MS)}h`
  if (past < 7 * DAY_MS) return `${Math.floor(past / DAY_MS)}d`
  const isThisYear = new Date(ms).getFullYear() === new Date(now).getFullYear()
  return new Intl.DateTimeFormat(
    locale,
    isThisYear ? { day: "numeric", month: "short" } : { day: "numeric", month: "numeric", year: "2-digit" },
  ).format(ms)
}

/** Date, time to the second and time zone. */
export function exact(ms: number, locale?: string): string {
  return new Intl.DateTimeFormat(locale, {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "short",
  }).format(ms)
}

const DAYS_APART = 14

/** A heading for an instant: its day (`Today`, `Monday`, `3 February`), and further back its month (`December 2025`). */
export function spanName(ms: number, now: number, locale?: string): string {
  if ((startOfDay(now) - startOfDay(ms)) / DAY_MS < DAYS_APART) return dayName(ms, now, locale)
  const isThisYear = new Date(ms).getFullYear() === new Date(now).getFullYear()
  return new Intl.DateTimeFormat(locale, isThisYear ? { month: "long" } : { month: "long", year: "numeric" }).format(ms)
}

/** The day an instant falls on: `Today`, `Yesterday`, `Monday`, `3 February`, `3 February 2025`. */
export function dayName(ms: number, now: number, locale?: string): string {
  const days = Math.round((startOfDay(now) - startOfDay(ms)) / DAY_MS)
  if (days <= 0) return "Today"
  if (days === 1) return "Yesterday"
  if (days < 7) return new Intl.DateTimeFormat(locale, { weekday: "long" }).format(ms)
  const isThisYear = new Date(ms).getFullYear() === new Date(now).getFullYear()
  return new Intl.DateTimeFormat(
    locale,
    isThisYear ? { day: "numeric", month: "long" } : { day: "numeric", month: "long", year: "numeric" },
  ).format(ms)
}

function startOfDay(ms: number): number {
  return new Date(ms).setHours(0, 0, 0, 0)
}
