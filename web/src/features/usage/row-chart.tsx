import { seenLine } from "@/blocks/text/seen"
import { BarLink } from "./list-link"

export interface Bar {
  key: string
  label: string
  query: string
  /** null if it is not known: then there is no bar, and the words say so. */
  size: number | null
  words: string
}

const MAX_BARS = 20

/** Names below each other, each with a bar that leads to its conversations. The table has those that are left out. */
export function RowChart({ bars }: { bars: readonly Bar[] }) {
  const most = Math.max(0, ...bars.map((bar) => bar.size ?? 0))
  return (
    <div className="flex flex-col gap-1.5">
      {bars.slice(0, MAX_BARS).map((bar) => (
        <div key={bar.key} className="grid grid-cols-[minmax(0,9rem)_minmax(0,1fr)_5.5rem] items-center gap-2 text-sm sm:grid-cols-[minmax(0,14rem)_minmax(0,1fr)_6rem]">
          <span className="truncate">{seenLine(bar.label)}</span>
          <svg viewBox="0 0 100 10" preserveAspectRatio="none" className="h-3 w-full">
            <BarLink query={bar.query}>
              <title>{`${seenLine(bar.label)}: ${bar.words}`}</title>
              <rect x={0} y={0} width={100} height={10} className="usage-target" />
              {bar.size === null || most === 0 ? null : (
                <rect x={0} y={0} width={Math.max(0.4, (bar.size / most) * 100)} height={10} className="usage-fill" />
              )}
            </BarLink>
          </svg>
          <span className="text-right text-ink-2 tabular-nums">{bar.words}</span>
        </div>
      ))}
      {bars.length > MAX_BARS ? <p className="text-sm text-ink-3">{bars.length - MAX_BARS} more are in the table</p> : null}
    </div>
  )
}
