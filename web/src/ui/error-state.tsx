import { TriangleAlert } from "lucide-react"
import { Button } from "./button"
import { EmptyState } from "./empty-state"
import { Words } from "./words"

/** An error with its message, and a button to try again. */
export function ErrorState({ title, message, onRetry }: { title: string; message: string; onRetry?: () => void }) {
  return (
    <div role="alert">
      <EmptyState
        icon={<TriangleAlert className="text-failed" />}
        title={title}
        actions={onRetry === undefined ? undefined : <Button onClick={onRetry}>Try again</Button>}
      >
        <p className="break-words">
          <Words text={message} />
        </p>
      </EmptyState>
    </div>
  )
}
