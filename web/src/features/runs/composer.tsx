import type { ConversationSummary, RunShown } from "@/api/schema"
import "./composer.css"
import { type Fork, Forking } from "./forking"
import { standingOf } from "./standing"
import { Talking } from "./talking"

/** Sends messages to the agent of a conversation, or starts one for it. */
export default function Composer({
  name,
  running,
  run,
  fork,
  onForkEnd,
  onStarted,
}: {
  name: string
  /** The report of the client that has the conversation open. */
  running: ConversationSummary["running"]
  run: RunShown | null
  fork: Fork | null
  onForkEnd: () => void
  /** A run was started: for this conversation, or for a copy of it. */
  onStarted: (run: RunShown) => void
}) {
  return (
    <section aria-label="Talk to the agent" className="composer">
      <div className="inner">
        {fork === null ? (
          <Talking key={name} name={name} standing={standingOf(run, running)} onStarted={onStarted} />
        ) : (
          <Forking key={fork.at} name={name} fork={fork} onEnd={onForkEnd} onStarted={onStarted} />
        )}
      </div>
    </section>
  )
}
