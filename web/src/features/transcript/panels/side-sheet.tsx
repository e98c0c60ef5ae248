import type { ReactNode } from "react"
import { Dialog, DialogHeader } from "@/ui/dialog"
import { useIsWide } from "@/parts/wide"

/** From this width of the page on, the outline is a column; below it, a dialog. */
export const OUTLINE_MIN_PX = 900
const SESSION_MIN_PX = 1180

/** A panel next to the rows: a column if the page is wide enough, else a dialog. */
export function Side({
  title,
  side,
  onClose,
  children,
}: {
  title: string
  side: "left" | "right"
  onClose: () => void
  children: ReactNode
}) {
  const isWide = useIsWide(side === "left" ? OUTLINE_MIN_PX : SESSION_MIN_PX)
  if (isWide) {
    return (
      <aside aria-label={title} className="side" data-side={side}>
        {children}
      </aside>
    )
  }
  return (
    <Dialog label={title} onClose={onClose} className={side === "left" ? "sheet sheet-narrow sheet-left" : "sheet sheet-narrow"}>
      <div className="flex h-full flex-col">
        <DialogHeader title={title} onClose={onClose} />
        <div className="min-h-0 flex-1 overflow-y-auto">{children}</div>
      </div>
    </Dialog>
  )
}
