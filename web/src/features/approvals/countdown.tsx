import { Timer } from "lucide-react"
import { useEffect, useState } from "react"
import { cx } from "@/ui/cx"
import { nowMs, useNow } from "@/ui/now"
import { exact, instant } from "@/ui/when"
import { LOCALE } from "@/ui/locale"
import { tip } from "@/ui/tooltip"
import { leftInWords } from "./in-words"

const SOON_MS = 60_000

/** How long a request stays open. */
export function Countdown({ deadline }: { deadline: string }) {
  const now = useNow(1000)
  const until = instant(deadline)
  if (until === null) return null
  const left = until - now
  return (
    <span
      role="timer"
      className={cx("inline-flex shrink-0 items-center gap-1 text-sm tabular-nums", left < SOON_MS ? "text-failed" : "text-ink-2")}
      {...tip(`Waits until ${exact(until, LOCALE)}`)}
    >
      <Timer aria-hidden className="size-3.5" />
      {left > 0 ? leftInWords(left) : "time is over"}
      <span className="sr-only">{left > 0 ? " left" : ""}</span>
    </span>
  )
}

const LONGEST_WAIT_MS = 2 ** 31 - 1

/** Whether the time is over. */
export function useIsOverdue(deadline: string | null): boolean {
  const until = instant(deadline) ?? Number.POSITIVE_INFINITY
  const [overdue, setOverdue] = useState<number | null>(null)
  useEffect(() => {
    const left = until - nowMs()
    if (left > LONGEST_WAIT_MS) return undefined
    const timer = window.setTimeout(() => setOverdue(until), Math.max(0, left))
    return () => window.clearTimeout(timer)
  }, [until])
  return overdue === until
}
