import { cx } from "./cx"

interface ProgressProps {
  done: number
  total: number
  label: string
  tone?: keyof typeof TONES
  className?: string
}

const TONES = { accent: "bg-accent", waiting: "bg-waiting", failed: "bg-failed" } as const

/** Shows progress; without a total, only that something is under way. */
export function Progress({ done, total, label, tone = "accent", className }: ProgressProps) {
  const share = total > 0 ? Math.max(0, Math.min(1, done / total)) : null
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={share === null ? undefined : Math.round(share * 100)}
      className={cx("h-1.5 overflow-hidden rounded-full bg-selected", className)}
    >
      <div
        className={cx("h-full rounded-full transition-[width]", TONES[tone], share === null && "w-1/3 animate-shimmer")}
        style={share === null ? undefined : { width: `${share * 100}%` }}
      />
    </div>
  )
}
