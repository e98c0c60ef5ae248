import { cx } from "@/ui/cx"
import type { Line } from "./highlight/spans"
import { Spans } from "./spans"

const CHUNK = 100

/** Lines of code in a box that scrolls sideways, numbered from `firstLine` if it is given. */
export function CodeLines({
  lines,
  firstLine,
  label,
  className,
}: {
  lines: readonly Line[]
  firstLine?: number
  label: string
  className?: string
}) {
  const digits = firstLine === undefined ? 0 : String(firstLine + lines.length - 1).length
  return (
    <pre
      // A box that scrolls must be reachable by keyboard.
      tabIndex={0}
      role="group"
      aria-label={label}
      className={cx("code-box", className)}
      data-digits={Math.max(2, Math.min(digits, 7)) || undefined}
      data-numbered={firstLine === undefined ? undefined : ""}
    >
      <code>
        {chunks(lines).map((chunk) => (
          <span key={chunk.from} className="code-chunk">
            {chunk.lines.map((line, index) => (
              <span key={index} className="code-line" data-n={firstLine === undefined ? undefined : firstLine + chunk.from + index}>
                <Spans spans={line} />
                {"\n"}
              </span>
            ))}
          </span>
        ))}
      </code>
    </pre>
  )
}

function chunks(lines: readonly Line[]): { from: number; lines: readonly Line[] }[] {
  const found = []
  for (let from = 0; from < lines.length; from += CHUNK) found.push({ from, lines: lines.slice(from, from + CHUNK) })
  return found
}
