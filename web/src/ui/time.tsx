import { LOCALE } from "./locale"
import { useNow } from "./now"
import { tip } from "./tooltip"
import { age, exact, instant } from "./when"

/** Shows how long ago something was, and the exact time on hover. Shows nothing for an invalid time. */
export function Ago({ iso, className }: { iso: string | null; className?: string }) {
  const now = useNow()
  const ms = instant(iso)
  if (ms === null) return null
  return (
    <time dateTime={new Date(ms).toISOString()} className={className} {...tip(exact(ms, LOCALE))}>
      {age(ms, now, LOCALE)}
    </time>
  )
}
