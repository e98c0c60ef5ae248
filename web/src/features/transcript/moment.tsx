import { LOCALE } from "@/ui/locale"
import { tip } from "@/ui/tooltip"
import { instant } from "@/ui/when"

const CLOCK = new Intl.DateTimeFormat(LOCALE, { hour: "2-digit", minute: "2-digit" })
const EXACT = new Intl.DateTimeFormat(LOCALE, { dateStyle: "full", timeStyle: "long" })
const DAY = new Intl.DateTimeFormat(LOCALE, { weekday: "long", day: "numeric", month: "long", year: "numeric" })

/** The day that begins between two rows, for the reader; null where none does. */
export function newDay(before: string | null, iso: string | null): string | null {
  const [last, ms] = [instant(before), instant(iso)]
  if (last === null || ms === null || ms < last) return null
  const day = DAY.format(ms)
  return day === DAY.format(last) ? null : day
}

/** The time of day in the reader's zone; the date, and the time as the record has it, on hover. */
export function Moment({ iso, className }: { iso: string | null; className?: string }) {
  const ms = instant(iso)
  if (ms === null || iso === null) return null
  return (
    <time dateTime={new Date(ms).toISOString()} className={className} {...tip(`${EXACT.format(ms)}\n${iso}`)}>
      {CLOCK.format(ms)}
    </time>
  )
}
