import { GitFork, SquareTerminal } from "lucide-react"
import { Button } from "@/ui/button"

/** Says that a terminal has the conversation open; `onFork` is null once the person continues in a copy. */
export function OpenElsewhere({ onFork }: { onFork: (() => void) | null }) {
  return (
    <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1 text-sm text-ink-2">
      <p className="flex min-w-0 flex-1 items-center gap-1.5">
        <SquareTerminal aria-hidden className="size-3.5 shrink-0" />
        Open in a terminal: go on there, or here in a copy.
      </p>
      {onFork === null ? null : (
        <Button size="sm" onClick={onFork}>
          <GitFork aria-hidden />
          Fork
        </Button>
      )}
    </div>
  )
}
