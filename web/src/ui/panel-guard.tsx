import { TriangleAlert } from "lucide-react"
import type { ReactNode } from "react"
import { Button } from "./button"
import { Guard } from "./guard"

/** A panel, a dialog, or an entry of a list, with its name: if it fails, a message replaces it. */
export function PanelGuard({ name, of, children }: { name: string; of?: unknown; children: ReactNode }) {
  return (
    <Guard
      of={of}
      fallback={(error, retry) => (
        <div role="alert" data-failed={name} className="flex min-w-0 flex-wrap items-center gap-2 p-3 text-failed">
          <TriangleAlert aria-hidden className="size-4 shrink-0" />
          <span className="min-w-0 break-words">
            {name} failed: {error.message}
          </span>
          <Button size="sm" onClick={retry}>
            Try again
          </Button>
        </div>
      )}
    >
      {children}
    </Guard>
  )
}
