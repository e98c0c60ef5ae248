import { Bot, CircleX, FolderClosed, Info, type LucideIcon, MessageSquare, User, Wrench } from "lucide-react"
import { memo } from "react"
import type { HitGroup, Marked, SearchHit } from "@/api/schema"
import { several } from "@/blocks/text/figures"
import { seen, seenLine } from "@/blocks/text/seen"
import { authorLabel } from "@/parts/authors"
import { PlaceLink } from "@/parts/place-link"
import { addressOf } from "@/parts/places"
import { costInFull, costInShort } from "@/parts/spending"
import { stretches } from "@/ui/code-points"
import { cx } from "@/ui/cx"
import { Ago } from "@/ui/time"
import { tip } from "@/ui/tooltip"

const ICONS: Record<string, LucideIcon> = { user: User, assistant: MessageSquare, tool: Wrench, system: Info }

/** How many words, and how much of each, are put into the address of a hit. */
const MAX_WORDS = 8
const LONGEST = 80

interface HitProps {
  hit: SearchHit
  isSelected: boolean
  /** Whether the hit is the first of its conversation, which is then named above it. */
  isFirst: boolean
  /** How many hits the conversation has. */
  group?: HitGroup | undefined
}

/** A hit below its conversation. The whole row is the link to its place. */
export const HitRow = memo(function HitRow({ hit, isSelected, isFirst, group }: HitProps) {
  const { conversation } = hit
  const Icon = hit.is_failed ? CircleX : (ICONS[hit.role] ?? MessageSquare)
  return (
    <PlaceLink
      href={addressOf(conversation.name, { at: hit.id, thread: hit.thread, words: markedWords(hit.snippet) })}
      data-hit={hit.number}
      className={cx(
        "grid grid-cols-[1rem_minmax(0,1fr)] gap-x-2.5 gap-y-1 px-4 py-2 md:px-5 compact:gap-y-0 compact:py-1",
        isFirst && "border-t border-line",
        "focus-visible:shadow-[inset_3px_0_0_var(--focus)] focus-visible:outline-none",
        isSelected ? "bg-selected" : "hover:bg-hover",
      )}
    >
      {isFirst ? (
        <Conversation hit={hit} group={group} />
      ) : (
        <span className="sr-only">{`In ${seenLine(conversation.title) || "Untitled"}:`}</span>
      )}
      <Icon aria-hidden className={cx("mt-0.5 size-3.5", hit.is_failed ? "text-failed" : "text-ink-3")} />
      <span className="flex min-w-0 items-baseline gap-2">
        <span className={cx("shrink-0 font-medium", hit.is_failed && "text-failed")}>{speaker(hit)}</span>
        <Ago iso={hit.time} className="ml-auto shrink-0 text-sm text-ink-3 tabular-nums" />
      </span>
      <Snippet snippet={hit.snippet} />
      {hit.thread === "" && hit.also.length === 0 ? null : (
        <span className="col-start-2 flex min-w-0 items-center gap-3 text-sm text-ink-3">
          {hit.thread === "" ? null : (
            <span className="flex shrink-0 items-center gap-1">
              <Bot aria-hidden className="size-3" /> sub-agent
            </span>
          )}
          {hit.also.length === 0 ? null : <span className="truncate">also {hit.also.map(seenLine).join(", ")}</span>}
        </span>
      )}
    </PlaceLink>
  )
})

/** The conversation of the hits below. */
function Conversation({ hit, group }: { hit: SearchHit; group: HitGroup | undefined }) {
  const { conversation } = hit
  const cost = costInShort(conversation)
  return (
    <span className="col-span-2 flex min-w-0 items-baseline gap-3 pb-1 text-sm text-ink-3">
      <span className="truncate text-base font-medium text-ink">{seenLine(conversation.title) || "Untitled"}</span>
      {group === undefined ? null : <span className="shrink-0 tabular-nums">{hitsInWords(group)}</span>}
      <span
        className="flex max-w-1/2 min-w-0 shrink-0 items-center gap-1.5"
        {...tip(seen(conversation.folder ?? conversation.workspace_name))}
      >
        <FolderClosed aria-hidden className="size-3 shrink-0" />
        <span className="truncate">{seenLine(conversation.workspace_name)}</span>
      </span>
      {cost === null ? null : (
        <span className="ml-auto shrink-0 tabular-nums" {...tip(costInFull(conversation))}>
          {cost}
        </span>
      )}
    </span>
  )
}

function hitsInWords({ count, is_at_least }: HitGroup): string {
  return is_at_least ? `${count.toLocaleString("en-US")}+ hits` : several(count, "hit")
}

/** Returns the marked parts of a snippet, each text once: the page of the hit marks the same words. */
export function markedWords(snippet: Marked): string[] {
  const marked = stretches(snippet.text, snippet.marks).filter(({ isMarked }) => isMarked)
  return [...new Set(marked.map(({ text }) => text.trim().slice(0, LONGEST)))].filter((text) => text !== "").slice(0, MAX_WORDS)
}

function Snippet({ snippet }: { snippet: Marked }) {
  return (
    <span className="col-start-2 line-clamp-3 max-w-[110ch] break-words text-ink-2">
      {stretches(snippet.text, snippet.marks).map(({ text, isMarked }, index) =>
        isMarked ? (
          // oxlint-disable-next-line react/no-array-index-key -- stretches of one text have no other name
          <mark key={index}>{seen(text)}</mark>
        ) : (
          seen(text)
        ),
      )}
    </span>
  )
}

/** The author by role, for hits that do not name an author. */
const AUTHORS: Record<string, string> = { user: "human", assistant: "model", tool: "tool" }

/** The author as the transcript names them, or the tool that was called. */
function speaker({ role, tool, author }: SearchHit): string {
  if (tool !== null && tool !== "") return seenLine(tool)
  const known = author === null || author === "" ? AUTHORS[role] : author
  return known === undefined ? "Notice" : seenLine(authorLabel(known))
}
