import { Archive, NotebookPen, Star } from "lucide-react"
import type { ConversationSummary } from "@/api/schema"
import { seen, seenLine } from "@/blocks/text/seen"
import { Badge } from "@/ui/badge"
import { tip } from "@/ui/tooltip"

const MAX_TAGS = 4

/** Small marks next to the title for a star, the archive and a note. */
export function AnnotationMarks({ conversation }: { conversation: ConversationSummary }) {
  const { is_starred, is_archived, note } = conversation
  return (
    <>
      {is_starred ? (
        <span className="shrink-0 text-interrupted" {...tip("Starred")}>
          <Star aria-hidden className="size-3.5 fill-current" />
          <span className="sr-only">starred</span>
        </span>
      ) : null}
      {is_archived ? (
        <span className="shrink-0 text-ink-3" {...tip("Archived")}>
          <Archive aria-hidden className="size-3.5" />
          <span className="sr-only">archived</span>
        </span>
      ) : null}
      {note === null ? null : (
        <span className="shrink-0 text-ink-3" {...tip(seen(note))}>
          <NotebookPen aria-hidden className="size-3.5" />
          <span className="sr-only">has a note</span>
        </span>
      )}
    </>
  )
}

/** The tags of a conversation; if there are many, the rest is shown on hover. */
export function Tags({ tags }: { tags: readonly string[] }) {
  const more = tags.length - MAX_TAGS
  return (
    <>
      {tags.slice(0, MAX_TAGS).map((tag) => (
        <Badge key={tag} tone="outline" className="max-w-28 shrink-0">
          <span className="truncate">#{seenLine(tag)}</span>
        </Badge>
      ))}
      {more > 0 ? (
        <Badge tone="outline" className="shrink-0" {...tip(tags.map((tag) => `#${seenLine(tag)}`).join(" "))}>
          +{more}
        </Badge>
      ) : null}
    </>
  )
}
