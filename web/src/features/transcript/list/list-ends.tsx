import type { Trouble } from "./use-rows"
import { Button } from "@/ui/button"
import { Skeleton } from "@/ui/skeleton"

/** What is shown above the first row. */
export function ListStart({ before, trouble, isEmpty }: { before: string | null; trouble: Trouble | null; isEmpty: boolean }) {
  if (isEmpty) return null
  return (
    <div className="list-end">
      {before === null ? <p className="list-edge">Beginning</p> : <Waiting trouble={trouble} />}
    </div>
  )
}

/** What is shown below the last row. */
export function ListEnd({ after, trouble, isAtWork }: { after: string | null; trouble: Trouble | null; isAtWork: boolean }) {
  return (
    <div className="list-end last">
      {after !== null ? (
        <Waiting trouble={trouble} />
      ) : isAtWork ? (
        <p className="at-work" role="status">
          <span aria-hidden className="at-work-dot" />
          At work
        </p>
      ) : null}
    </div>
  )
}

function Waiting({ trouble }: { trouble: Trouble | null }) {
  if (trouble === null) return <Skeleton className="h-10 w-full" />
  return (
    <p className="note note-error">
      <span className="min-w-0 flex-1">{trouble.problem.message}</span>
      <Button size="sm" onClick={trouble.retry}>
        Try again
      </Button>
    </p>
  )
}
