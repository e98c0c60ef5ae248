/** The days that rows belong to. Pure, except for the time zone of the reader. */

import { LOCALE } from "@/ui/locale"
import { instant } from "@/ui/when"

const DAY = new Intl.DateTimeFormat(LOCALE, { weekday: "long", day: "numeric", month: "long", year: "numeric" })
const SHORT_DAY = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short" })

/**
 * Returns, for each time, the day that begins there in words, or null if it is the same day as before. The first known
 * time begins a day if `isStart`. A row without a time belongs to the day around it.
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

/** The same in short, for entries that are read on their own: null for all if there is only one day. */
export function shortDaysOf(times: readonly (string | null)[]): (string | null)[] {
  const known = times.map(instant)
  const days = new Set(known.flatMap((ms) => (ms === null ? [] : [dayOf(ms)])))
  return known.map((ms) => (ms === null || days.size < 2 ? null : SHORT_DAY.format(ms)))
}

function dayOf(ms: number): string {
  const date = new Date(ms)
  return `${date.getFullYear()}-${date.getMonth()}-${date.getDate()}`
}
