import { CircleX, Hourglass, RotateCcw } from "lucide-react"
import { isLiving } from "@/api/runs"
import type { RunShown } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { PlaceLink } from "@/parts/place-link"
import { nameParts } from "@/parts/places"
import { buttonLook } from "@/ui/button"
import { EmptyState } from "@/ui/empty-state"
import { Words } from "@/ui/words"
import { takeBack } from "./drafts"
import { asSentence, endingInWords } from "./in-words"

/** Shown where the conversation of an agent will be, or would have been. */
export default function RunStarting({ run }: { run: RunShown }) {
  // One live region for both states, so that screen readers announce a failed start.
  return <div role="status">{isLiving(run) ? <Starting run={run} /> : <EndedEarly run={run} />}</div>
}

function Starting({ run }: { run: RunShown }) {
  return (
    <EmptyState icon={<Hourglass className="animate-breathe" />} title="Starting">
      <p>
        In <span className="font-mono text-sm break-all">{seenLine(run.folder)}</span>
      </p>
      <p>Its messages appear here as soon as there are any.</p>
    </EmptyState>
  )
}

function EndedEarly({ run }: { run: RunShown }) {
  const isBad = run.is_failure || run.state === "lost"
  return (
    <EmptyState
      icon={<CircleX className={isBad ? "text-failed" : undefined} />}
      title="The agent ended before it said anything"
      actions={
        <PlaceLink
          href={`/new?place=${encodeURIComponent(nameParts(run.conversation).workspace)}`}
          className={buttonLook()}
          onClick={() => takeBack(run.id, "new")}
        >
          <RotateCcw aria-hidden />
          Start it again
        </PlaceLink>
      }
    >
      <p className="break-words">
        <Words text={asSentence(endingInWords(run))} />
      </p>
    </EmptyState>
  )
}
