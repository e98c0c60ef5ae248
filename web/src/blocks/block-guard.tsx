import type { ReactNode } from "react"
import { Guard } from "@/ui/guard"

/** Shows an error for a block that cannot be rendered; the rest of the row stays. */
export function BlockGuard({ of, children }: { of: unknown; children: ReactNode }) {
  return (
    <Guard
      of={of}
      fallback={(error) => (
        <p className="note note-error" role="note" data-failed="block">
          This part cannot be drawn ({error.message}). Its raw record has it.
        </p>
      )}
    >
      {children}
    </Guard>
  )
}
