import { Hourglass, SearchX } from "lucide-react"
import { isProblem, ProblemError } from "@/api/backend"
import { EmptyState } from "@/ui/empty-state"
import { ErrorState } from "@/ui/error-state"
import { Words } from "@/ui/words"

/** Why a query has no answer, and what to do about it. */
export function Unanswered({
  error,
  asked,
  title,
  onRetry,
}: {
  error: Error
  /** What the reader typed: "filter" or "query". */
  asked: string
  /** What is to be said of an error that nobody foresaw. */
  title: string
  onRetry: () => void
}) {
  const known = isProblem(error, "index_building")
    ? { icon: <Hourglass />, title: "The index is being built" }
    : isProblem(error, "bad_query")
      ? { icon: <SearchX />, title: `The ${asked} cannot be understood` }
      : null
  if (known !== null) {
    return (
      <EmptyState {...known}>
        <p>
          <Words text={error.message} />
        </p>
      </EmptyState>
    )
  }
  const message = error instanceof ProblemError ? error.message : "The page failed to read the answer."
  return <ErrorState title={title} message={message} onRetry={onRetry} />
}
