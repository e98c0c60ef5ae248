import { useQuery } from "@tanstack/react-query"
import { useBackend, useRunning } from "@/api/follow"
import type { ConversationSummary, PaneScreen as Screen } from "@/api/schema"
import { AnsiLines } from "@/blocks/ansi-text"
import { ansiLines } from "@/blocks/text/ansi"
import { seenLine } from "@/blocks/text/seen"
import { withRunning } from "@/parts/activity"
import "./pane-screen.css"

const LOOK_MS = 700

/** The screen of the tmux pane in which the client of a conversation runs, as it is now. Nothing can be typed there. */
export function PaneScreen({ summary }: { summary: ConversationSummary }) {
  const pane = withRunning(summary, useRunning()).running?.pane ?? null
  const backend = useBackend()
  const { data, isError } = useQuery({
    queryKey: ["pane", summary.id, pane?.id],
    queryFn: ({ signal }) => backend.paneScreen(summary.id, signal),
    enabled: pane !== null,
    refetchInterval: LOOK_MS,
  })
  if (pane === null) return null
  return (
    <section>
      <h2>Screen</h2>
      {data === undefined ? <p>{isError ? "tmux did not answer." : "…"}</p> : <Picture screen={data} place={pane.place} />}
    </section>
  )
}

function Picture({ screen, place }: { screen: Screen; place: string }) {
  const { cursor, width, height } = screen
  return (
    <figure className="pane-screen">
      <div className="screen" tabIndex={0} role="group" aria-label={`Screen of the tmux pane ${seenLine(place)}`}>
        <pre>
          <AnsiLines lines={ansiLines(screen.text)} />
          {cursor === null ? null : <span aria-hidden className="cursor" style={{ "--at": String(cursor[0]), "--from": String(cursor[1]) }} />}
        </pre>
      </div>
      <figcaption>
        {seenLine(place)} · {width} × {height} · read-only
      </figcaption>
    </figure>
  )
}
