import { LOCALE } from "@/ui/locale"
import { tip } from "@/ui/tooltip"
import { instant } from "@/ui/when"

const CLOCK = new Intl.DateTimeFormat(LOCALE, { hour: "2-digit", minute: "2-digit" })
const EXACT = new Intl.DateTimeFormat(LOCALE, { dateStyle: "full", timeStyle: "long" })

/** The time of day in the reader's zone; with the `day` where that is given. The rest is seen on hover. */
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
