import { FolderOpen } from "lucide-react"
import type { ApprovalCard } from "@/api/schema"
import { PlaceLink } from "@/parts/place-link"
import { addressOf, shortPath } from "@/parts/places"

/** Who asks: the title of the conversation, and the folder it works in. */
export function CardPlace({ card }: { card: ApprovalCard }) {
  const folder = card.facts.find(({ name }) => name === "folder")?.text ?? ""
  const workspace = card.workspace_name ?? shortPath(folder)
  const title = card.conversation_title ?? (card.conversation === null ? null : "A conversation without a title")
  return (
    <p className="approval-place">
      {card.conversation === null || title === null ? (
        <span>A session that is not recorded yet</span>
      ) : (
        <PlaceLink href={addressOf(card.conversation)} className="min-w-0 truncate font-medium text-accent hover:underline">
          {title}
        </PlaceLink>
      )}
      {workspace === "" ? null : (
        <span className="flex min-w-0 items-center gap-1 text-ink-2">
          <FolderOpen aria-hidden className="size-3.5 shrink-0" />
          <span className="truncate">{workspace}</span>
        </span>
      )}
    </p>
  )
}
