import type { Trouble } from "./use-rows"
import { Button } from "@/ui/button"
import { Skeleton } from "@/ui/skeleton"

export interface ListContext {
  before: string | null
  after: string | null
  trouble: Trouble | null
  isAtWork: boolean
  isEmpty: boolean
}

/** What stands above the first row. */
export function ListStart({ context }: { context?: ListContext }) {
  if (context === undefined || context.isEmpty) return null
  return (
    <div className="list-end">
      {context.before === null ? <p className="list-edge">Beginning</p> : <Waiting trouble={context.trouble} />}
    </div>
  )
}

/** What stands below the last row. */
export function ListEnd({ context }: { context?: ListContext }) {
  if (context === undefined) return null
  return (
    <div className="list-end last">
      {context.after !== null ? (
        <Waiting trouble={context.trouble} />
      ) : context.isAtWork ? (
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
