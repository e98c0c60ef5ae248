import { Hourglass } from "lucide-react"
import { isProblem, ProblemError } from "@/api/backend"
import { useStatus } from "@/api/use-status"
import { size } from "@/blocks/text/figures"
import { EmptyState } from "@/ui/empty-state"
import { ErrorState } from "@/ui/error-state"
import { Progress } from "@/ui/progress"
import { Words } from "@/ui/words"

/** Says why a query has no answer, and what to do. The query field itself reports errors in the query. */
export function Unanswered({
  error,
  title,
  onRetry,
}: {
  error: Error
  /** The title for an unexpected error. */
  title: string
  onRetry: () => void
}) {
  if (isProblem(error, "index_building")) return <BeingBuilt message={error.message} />
  const message = error instanceof ProblemError ? error.message : "The page failed to read the answer."
  return <ErrorState title={title} message={message} onRetry={onRetry} />
}

/** The index does not exist yet: shows the progress of the first run. */
function BeingBuilt({ message }: { message: string }) {
  const { data: status } = useStatus()
  const isRecording = status !== undefined && (status.state === "starting" || status.state === "keeping")
  return (
    <EmptyState icon={<Hourglass />} title="The index is being built">
      <p>
        <Words text={message} />
      </p>
      {isRecording ? (
        <div className="mt-2 w-full" role="status">
          <Progress done={status.done_bytes} total={status.total_bytes} label="Recording sessions" />
          <p className="mt-1 text-sm tabular-nums">
            {status.total_bytes > 0 ? `${size(status.done_bytes)} of ${size(status.total_bytes)} recorded` : "Looking for sessions"}
          </p>
        </div>
      ) : null}
    </EmptyState>
  )
}
