import { ChevronRight, CornerLeftUp } from "lucide-react"
import type { ThreadSummary } from "@/api/schema"
import { Button } from "@/ui/button"
import { threadName } from "@/parts/thread-name"

/** The path to the thread of a sub-agent: every thread above it, and the call that started it. */
export function ThreadCrumb({
  threads,
  thread,
  onThread,
}: {
  threads: readonly ThreadSummary[]
  thread: string
  onThread: (thread: string, at?: string) => void
}) {
  const line = lineage(threads, thread)
  const own = line.at(-1)
  return (
    <nav aria-label="Threads" className="crumb">
      <Button kind="quiet" size="sm" onClick={() => onThread("", line[0]?.call ?? undefined)}>
        Main thread
      </Button>
      {line.map((each, index) => (
        <span key={each.id} className="flex min-w-0 items-center">
          <ChevronRight aria-hidden className="size-3 shrink-0 text-ink-3" />
          {index === line.length - 1 ? (
            <span aria-current="page" className="truncate px-1.5 font-medium">
              {threadName(each)}
            </span>
          ) : (
            <Button kind="quiet" size="sm" className="min-w-0" onClick={() => onThread(each.id, line[index + 1]?.call ?? undefined)}>
              <span className="truncate">{threadName(each)}</span>
            </Button>
          )}
        </span>
      ))}
      <Button className="ml-auto" size="sm" onClick={() => onThread(own?.parent ?? "", own?.call ?? undefined)}>
        <CornerLeftUp aria-hidden />
        Back to the call
      </Button>
    </nav>
  )
}

/** Returns a thread and those above it, outermost first; stops if a record goes in circles. */
export function lineage(threads: readonly ThreadSummary[], thread: string): ThreadSummary[] {
  const line: ThreadSummary[] = []
  let id = thread
  while (id !== "") {
    const found = threads.find((each) => each.id === id)
    if (found === undefined || line.includes(found)) break
    line.unshift(found)
    id = found.parent
  }
  return line
}
