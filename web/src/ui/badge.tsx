import type { ComponentProps } from "react"
import { cx } from "./cx"

const TONES = {
  plain: "border-line bg-inset text-ink-2",
  outline: "border-line text-ink-2",
  accent: "border-transparent bg-accent-soft text-accent",
  waiting: "border-transparent bg-waiting-soft text-waiting",
  failed: "border-transparent bg-failed-soft text-failed",
  warning: "border-transparent bg-interrupted-soft text-interrupted",
} as const

type BadgeProps = ComponentProps<"span"> & { tone?: keyof typeof TONES }

/** A short framed text. Long text is cut, because it may come from anywhere. */
export function Badge({ tone = "plain", className, ...rest }: BadgeProps) {
  return (
    <span
      className={cx(
        "inline-flex h-[1.125rem] max-w-full items-center gap-1 truncate rounded border px-1.5 text-xs font-medium",
        TONES[tone],
        className,
      )}
      {...rest}
    />
  )
}
