import { LOCALE } from "./locale"
import { useNow } from "./now"
import { tip } from "./tooltip"
import { age, exact, instant } from "./when"

/** How long ago, exact on hover. What is no time is not shown. */
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
