import type { ReactNode } from "react"
import { Dialog, DialogHeader } from "@/ui/dialog"
import { useIsWide } from "@/parts/wide"

/** Something beside the transcript: a column where there is room, a sheet above it where there is none. */
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
  const isWide = useIsWide(side === "left" ? 900 : 1180)
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
