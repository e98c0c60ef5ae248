import type { Context } from "@/api/schema"
import { count } from "@/blocks/text/figures"
import { tip } from "@/ui/tooltip"
import "./context-gauge.css"

interface ContextGaugeProps {
  context: Pick<Context, "tokens" | "window"> | null
  /** Whether there is room for the number alone. */
  isNarrow?: boolean
}

/** Shows how full the context window was at the last answer of the model. */
export function ContextGauge({ context, isNarrow = false }: ContextGaugeProps) {
  if (context === null || context.window <= 0) return null
  const full = Math.min(1, Math.max(0, context.tokens / context.window))
  const percent = Math.round(full * 100)
  return (
    <span
      className="gauge"
      data-level={full >= 0.9 ? "full" : full >= 0.7 ? "high" : "low"}
      role="meter"
      aria-label="Context"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      aria-valuetext={`${count(context.tokens)} of ${count(context.window)} tokens`}
      {...tip(`Context: ${count(context.tokens)} of ${count(context.window)} tokens when the model answered last`)}
    >
      <span aria-hidden>context</span>
      {isNarrow ? null : <span className="gauge-bar" aria-hidden style={{ "--full": String(full) }} />}
      {percent} %
    </span>
  )
}
