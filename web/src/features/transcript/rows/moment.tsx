import { LOCALE } from "@/ui/locale"
import { tip } from "@/ui/tooltip"
import { instant } from "@/ui/when"

const CLOCK = new Intl.DateTimeFormat(LOCALE, { hour: "2-digit", minute: "2-digit" })
const EXACT = new Intl.DateTimeFormat(LOCALE, { dateStyle: "full", timeStyle: "long" })

/** The time of day in the time zone of the reader, with the `day` if it is given. The exact time is shown on hover. */
export function Moment({ iso, day, className }: { iso: string | null; day?: string | null; className?: string }) {
  const ms = instant(iso)
  if (ms === null || iso === null) return null
  return (
    <time dateTime={new Date(ms).toISOString()} className={className} {...tip(`${EXACT.format(ms)}\n${iso}`)}>
      {day ? `${day} ` : ""}
      {CLOCK.format(ms)}
    </time>
  )
}
