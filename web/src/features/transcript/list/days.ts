/** The days that rows belong to. Pure, but for the reader's time zone. */

import { LOCALE } from "@/ui/locale"
import { instant } from "@/ui/when"

const DAY = new Intl.DateTimeFormat(LOCALE, { weekday: "long", day: "numeric", month: "long", year: "numeric" })
const SHORT_DAY = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short" })

/**
 * For each of these times, the day that begins there, in words, or null where the day is that of the last time before.
 * The first time that is known begins its day if `isStart`; what has no time belongs to the day around it.
 */
export function daysOf(times: readonly (string | null)[], isStart: boolean): (string | null)[] {
  let last: string | null = null
  return times.map((iso) => {
    const ms = instant(iso)
    if (ms === null) return null
    const day = dayOf(ms)
    const isNew = last === null ? isStart : day !== last
    last = day
    return isNew ? DAY.format(ms) : null
  })
}

/** The same in short, for places of which each may be looked at alone: null for all while they are of one day. */
export function shortDaysOf(times: readonly (string | null)[]): (string | null)[] {
  const known = times.map(instant)
  const days = new Set(known.flatMap((ms) => (ms === null ? [] : [dayOf(ms)])))
  return known.map((ms) => (ms === null || days.size < 2 ? null : SHORT_DAY.format(ms)))
}

function dayOf(ms: number): string {
  const date = new Date(ms)
  return `${date.getFullYear()}-${date.getMonth()}-${date.getDate()}`
}
