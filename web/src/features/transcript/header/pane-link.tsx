import { SquareTerminal } from "lucide-react"
import { useState } from "react"
import { useBackend, useRunning } from "@/api/follow"
import type { ConversationSummary, Pane } from "@/api/schema"
import { withRunning } from "@/parts/activity"
import { seenLine } from "@/blocks/text/seen"
import { CopyButton } from "@/ui/copy-button"
import { tip } from "@/ui/tooltip"

type State = "ready" | "shown" | "nobody" | "failed"

const WORDS: Record<State, string | null> = {
  ready: null,
  shown: "tmux shows it now",
  nobody: "nobody is attached: copy the command",
  failed: "tmux did not answer",
}

/** The tmux pane in which the client of a conversation runs: a button that shows it, and a command that attaches. */
export function PaneLink({ summary }: { summary: ConversationSummary }) {
  const pane = withRunning(summary, useRunning()).running?.pane ?? null
  return pane === null ? null : <Link key={pane.id} session={summary.id} pane={pane} />
}

function Link({ session, pane }: { session: string; pane: Pane }) {
  const backend = useBackend()
  const [state, setState] = useState<State>("ready")
  const go = async () => {
    try {
      const { is_there } = await backend.goToPane(session)
      setState(is_there ? "shown" : "nobody")
    } catch {
      setState("failed")
    }
  }
  return (
    <span className="inline-flex min-w-0 items-center gap-1">
      <button type="button" className="pane-link" onClick={() => void go()} {...tip("Go there: show this pane in tmux")}>
        <SquareTerminal aria-hidden className="size-3 shrink-0" />
        <span className="sr-only">Go to the tmux pane </span>
        <span className="truncate">{seenLine(pane.place)}</span>
      </button>
      <span role="status">{WORDS[state]}</span>
      {state === "nobody" || state === "failed" ? <CopyButton label={`Copy: ${seenLine(pane.command)}`} text={pane.command} /> : null}
    </span>
  )
}
