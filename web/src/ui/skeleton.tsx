import { cx } from "./cx"

/** A placeholder for text, in its size. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden data-loading className={cx("block animate-shimmer rounded bg-selected", className)} />
}
