import type { UsageLine } from "@/api/schema"
import { several } from "@/blocks/text/figures"
import { BarLink } from "./list-link"

export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const
const HOURS = Array.from({ length: 24 }, (_, hour) => hour)
const LEFT = 9
const TOP = 5
const CELL = 4

/** Every hour of the week, darker where there were more messages. */
export function WeekChart({ lines }: { lines: readonly UsageLine[] }) {
  const known = new Map(lines.map((line) => [line.key, line]))
  const most = Math.max(1, ...lines.map((line) => line.messages))
  return (
    <svg viewBox={`0 0 ${LEFT + 24 * CELL} ${TOP + 7 * CELL}`} className="w-full max-w-2xl min-w-md">
      {HOURS.filter((hour) => hour % 3 === 0).map((hour) => (
        <text key={hour} x={LEFT + hour * CELL} y={3.4} className="usage-axis">
          {String(hour).padStart(2, "0")}
        </text>
      ))}
      {WEEKDAYS.map((day, row) => (
        <g key={day}>
          <text x={0} y={TOP + row * CELL + 2.9} className="usage-axis">
            {day.slice(0, 1).toUpperCase() + day.slice(1)}
          </text>
          {HOURS.map((hour) => {
            const line = known.get(`${day}-${String(hour).padStart(2, "0")}`)
            const at = { x: LEFT + hour * CELL, y: TOP + row * CELL, width: CELL - 0.5, height: CELL - 0.5, rx: 0.6 }
            if (line === undefined) return <rect key={hour} {...at} className="usage-empty" />
            return (
              <BarLink key={hour} query={line.query}>
                <title>{`${line.label}: ${several(line.messages, "message")}`}</title>
                <rect {...at} className="usage-empty" />
                <rect {...at} fillOpacity={0.2 + (0.8 * line.messages) / most} className="usage-fill" />
              </BarLink>
            )
          })}
        </g>
      ))}
    </svg>
  )
}
