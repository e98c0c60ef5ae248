import type { ComponentProps, ReactNode } from "react"
import { cx } from "./cx"
import { tip } from "./tooltip"

const KINDS = {
  primary: "bg-inverse text-on-inverse hover:opacity-90",
  plain: "border border-line-strong bg-surface text-ink hover:bg-hover",
  quiet: "text-ink-2 hover:bg-hover hover:text-ink",
} as const

const SIZES = {
  sm: "h-6 gap-1 px-1.5 text-sm pointer-coarse:min-h-10 pointer-coarse:px-2.5",
  md: "h-7 gap-1.5 px-2.5 text-base pointer-coarse:min-h-11 pointer-coarse:px-3",
  lg: "h-11 gap-2 px-4 text-lg",
} as const

type Kind = keyof typeof KINDS
type Size = keyof typeof SIZES
type ButtonProps = ComponentProps<"button"> & { kind?: Kind; size?: Size }

/** The styles of a button, also for links that look like one. */
export function buttonLook(kind: Kind = "plain", size: Size = "md"): string {
  return cx(
    "inline-flex shrink-0 items-center justify-center rounded-md font-medium whitespace-nowrap transition-colors",
    "disabled:pointer-events-none disabled:opacity-45 [&_svg]:size-3.5",
    KINDS[kind],
    SIZES[size],
  )
}

export function Button({ kind, size, className, type = "button", ...rest }: ButtonProps) {
  return (
    <button
      // oxlint-disable-next-line react/button-has-type -- it has one: `button` by default
      type={type}
      className={cx(buttonLook(kind, size), className)}
      {...rest}
    />
  )
}

type IconButtonProps = Omit<ComponentProps<"button">, "children"> & {
  /** What it does: the accessible name, and the tooltip. */
  label: string
  keys?: string
  children: ReactNode
}

export function IconButton({ label, keys, className, children, type = "button", ...rest }: IconButtonProps) {
  return (
    <button
      // oxlint-disable-next-line react/button-has-type
      type={type}
      aria-label={label}
      data-small-target
      className={cx(
        "inline-flex size-7 shrink-0 items-center justify-center rounded-md text-ink-2 transition-colors",
        "hover:bg-hover hover:text-ink disabled:pointer-events-none disabled:opacity-45 [&_svg]:size-4",
        className,
      )}
      {...tip(label, keys)}
      {...rest}
    >
      {children}
    </button>
  )
}
