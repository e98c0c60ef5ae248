import type { ReactNode } from "react"
import { cx } from "@/ui/cx"

/** A line below the bar. */
export function Strip({ icon, tone, role = "status", children }: { icon: ReactNode; tone: string; role?: "status" | "alert"; children: ReactNode }) {
  return (
    <div
      role={role}
      className={cx(
        "flex min-h-8 shrink-0 items-center gap-2 border-b border-line px-4 py-1 text-sm md:px-5 [&>svg]:size-3.5 [&>svg]:shrink-0",
        tone,
      )}
    >
      {icon}
      {/* One box, so that text and code wrap together. */}
      <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-1">{children}</span>
    </div>
  )
}
