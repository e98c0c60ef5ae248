import type { UsageLine } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import type { Measure } from "./choices"
import { everyDay } from "./days"
import { KINDS, sizeInWords, sizeOf } from "./in-words"
import { BarLink } from "./list-link"

const HEIGHT = 100
const STEP = 10
const GAP = 2

/** Periods from left to right, each as a column that leads to its conversations. */
export function ColumnChart({ lines, measure }: { lines: readonly UsageLine[]; measure: Measure }) {
  const known = new Map(lines.map((line) => [line.key, line]))
  const keys = everyDay(lines.map((line) => line.key))
  const most = Math.max(0, ...lines.map((line) => sizeOf(line, measure) ?? 0))
  if (keys.length === 0) return null
  return (
    <div className="flex flex-col gap-1">
      <svg viewBox={`0 0 ${keys.length * STEP} ${HEIGHT}`} preserveAspectRatio="none" className="h-40 w-full">
        {keys.map((key, n) => {
          const line = known.get(key)
          return line === undefined ? null : <Column key={key} line={line} measure={measure} x={n * STEP} most={most} />
        })}
      </svg>
      <div className="flex justify-between text-xs text-ink-3 tabular-nums">
        <span>{seenLine(keys[0] ?? "")}</span>
        {keys.length > 2 ? <span>{seenLine(keys[Math.floor(keys.length / 2)] ?? "")}</span> : null}
        {keys.length > 1 ? <span>{seenLine(keys.at(-1) ?? "")}</span> : null}
      </div>
    </div>
  )
}

function Column({ line, measure, x, most }: { line: UsageLine; measure: Measure; x: number; most: number }) {
  const size = sizeOf(line, measure)
  const height = size === null || most === 0 ? 0 : Math.max(0.5, (size / most) * HEIGHT)
  return (
    <BarLink query={line.query}>
      <title>{`${seenLine(line.label)}: ${sizeInWords(line, measure)}`}</title>
      {/* The whole column can be pointed at, however low its bar is. */}
      <rect x={x} y={0} width={STEP} height={HEIGHT} className="usage-target" />
      {measure === "cost" ? (
        <rect x={x + GAP / 2} y={HEIGHT - height} width={STEP - GAP} height={height} className="usage-fill" />
      ) : (
        <Stack line={line} x={x + GAP / 2} width={STEP - GAP} most={most} />
      )}
    </BarLink>
  )
}

/** The four kinds of tokens on top of each other. */
function Stack({ line, x, width, most }: { line: UsageLine; x: number; width: number; most: number }) {
  let below = 0
  return KINDS.map(({ field }) => {
    const height = most === 0 ? 0 : (line[field] / most) * HEIGHT
    below += height
    return <rect key={field} x={x} y={HEIGHT - below} width={width} height={height} className={`usage-${field}`} />
  })
}
