import { MapPinOff } from "lucide-react"
import { Button } from "@/ui/button"
import { EmptyState } from "@/ui/empty-state"
import { ErrorState } from "@/ui/error-state"
import type { Trouble } from "./use-rows"

/** Shown if there are no rows: the place does not exist, or loading failed. */
export function Unreadable({ trouble, onEnd }: { trouble: Trouble; onEnd: (() => void) | null }) {
  if (trouble.problem.kind === "not_found" && onEnd !== null) {
    return (
      <EmptyState
        icon={<MapPinOff />}
        title="This place is not in the conversation"
        actions={<Button onClick={onEnd}>Show the end of the conversation</Button>}
      >
        <p>The link names a message that Chorus does not have, or that is hidden in another thread.</p>
      </EmptyState>
    )
  }
  return <ErrorState title="The messages cannot be read" message={trouble.problem.message} onRetry={trouble.retry} />
}
