import { Hourglass } from "lucide-react"
import { isProblem, ProblemError } from "@/api/backend"
import { EmptyState } from "@/ui/empty-state"
import { ErrorState } from "@/ui/error-state"
import { Words } from "@/ui/words"

/** Why a query has no answer, and what to do about it. What is wrong with the query itself, its field says. */
export function Unanswered({
  error,
  title,
  onRetry,
}: {
  error: Error
  /** What is to be said of an error that nobody foresaw. */
  title: string
  onRetry: () => void
}) {
  if (isProblem(error, "index_building")) {
    return (
      <EmptyState icon={<Hourglass />} title="The index is being built">
        <p>
          <Words text={error.message} />
        </p>
      </EmptyState>
    )
  }
  const message = error instanceof ProblemError ? error.message : "The page failed to read the answer."
  return <ErrorState title={title} message={message} onRetry={onRetry} />
}
