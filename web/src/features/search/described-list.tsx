import { FolderClosed } from "lucide-react"
import { useState } from "react"
import type { ConversationSummary } from "@/api/schema"
import { several } from "@/blocks/text/figures"
import { seen, seenLine } from "@/blocks/text/seen"
import { AnnotationMarks, Tags } from "@/parts/annotation-marks"
import { PlaceLink } from "@/parts/place-link"
import { addressOf } from "@/parts/places"
import { Button } from "@/ui/button"
import { PanelGuard } from "@/ui/panel-guard"
import { Ago } from "@/ui/time"
import { tip } from "@/ui/tooltip"

/** The number that is shown before the reader asks for the rest, because the hits are below. */
const FEW = 5
const LONGEST_NOTE = 300

/** Conversations whose title, tags or note contain the words of the query. */
export function DescribedList({ conversations }: { conversations: readonly ConversationSummary[] }) {
  const [isAll, setAll] = useState(false)
  if (conversations.length === 0) return null
  const more = conversations.length - FEW
  return (
    <section aria-label="Found by title, tag or note" className="pb-1">
      <h2 className="px-4 pt-3 pb-1 text-sm font-medium text-ink-2 md:px-5">
        {several(conversations.length, "conversation")} found by title, tag or note
      </h2>
      <ul>
        {(isAll ? conversations : conversations.slice(0, FEW)).map((conversation) => (
          <li key={conversation.name}>
            <PanelGuard name={conversation.name} of={conversation}>
              <Described conversation={conversation} />
            </PanelGuard>
          </li>
        ))}
      </ul>
      {isAll || more <= 0 ? null : (
        <div className="px-4 py-1 md:px-5">
          <Button size="sm" onClick={() => setAll(true)}>
            Show {more} more
          </Button>
        </div>
      )}
    </section>
  )
}

/** One conversation. The whole row is the link. */
function Described({ conversation }: { conversation: ConversationSummary }) {
  const { name, title, tags, note, folder, workspace_name, ended_at } = conversation
  return (
    <PlaceLink
      href={addressOf(name)}
      data-described={name}
      className="flex flex-col gap-y-1 px-4 py-1.5 compact:gap-y-0 compact:py-0.5 hover:bg-hover focus-visible:shadow-[inset_3px_0_0_var(--focus)] focus-visible:outline-none md:px-5"
    >
      <span className="flex min-w-0 items-baseline gap-3 text-sm text-ink-3">
        <span className="truncate text-base font-medium text-ink">{seenLine(title) || "Untitled"}</span>
        <span className="flex shrink-0 items-center gap-2 self-center">
          <AnnotationMarks conversation={conversation} />
        </span>
        <span className="flex max-w-1/2 min-w-0 shrink-0 items-center gap-1.5" {...tip(seen(folder ?? workspace_name))}>
          <FolderClosed aria-hidden className="size-3 shrink-0" />
          <span className="truncate">{seenLine(workspace_name)}</span>
        </span>
        <Ago iso={ended_at} className="ml-auto shrink-0 tabular-nums" />
      </span>
      {tags.length === 0 && note === null ? null : (
        <span className="flex min-w-0 items-center gap-1.5 text-sm text-ink-2">
          <Tags tags={tags} />
          {note === null ? null : <span className="min-w-0 truncate">{seenLine(note.slice(0, LONGEST_NOTE))}</span>}
        </span>
      )}
    </PlaceLink>
  )
}
