import { type ErrorComponentProps, Link } from "@tanstack/react-router"
import { Compass } from "lucide-react"
import { EmptyState } from "@/ui/empty-state"
import { ErrorState } from "@/ui/error-state"

export function PageMissing() {
  return (
    <EmptyState icon={<Compass />} title="There is no such page">
      <Link to="/" className="text-accent underline underline-offset-2">
        To the conversations
      </Link>
    </EmptyState>
  )
}

/** Shown for an error in a page; the rest of the application keeps working. */
export function PageFailed({ error, reset }: ErrorComponentProps) {
  return (
    <div data-failed="page">
      <ErrorState title="This page failed" message={error instanceof Error ? error.message : String(error)} onRetry={reset} />
    </div>
  )
}
