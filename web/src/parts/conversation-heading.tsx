import { ArrowLeft } from "lucide-react"
import type { ReactNode } from "react"
import { useConversation } from "@/api/use-conversation"
import { seenLine } from "@/blocks/text/seen"
import { addressOf } from "./places"
import { PlaceLink } from "./place-link"

/** The top of a page about one conversation: the way back to its transcript, what the page shows, and its switches. */
export function ConversationHeading({ name, title, children }: { name: string; title: string; children?: ReactNode }) {
  const named = useConversation(name).data?.summary.title
  return (
    <header className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-4 py-2.5">
      <PlaceLink href={addressOf(name)} className="inline-flex min-w-0 items-center gap-1 text-ink-2 hover:text-ink">
        <ArrowLeft aria-hidden className="size-4 shrink-0" />
        <span className="truncate">{seenLine(named ?? "") || "Conversation"}</span>
      </PlaceLink>
      <h1 className="text-md font-semibold">{title}</h1>
      {children}
    </header>
  )
}
