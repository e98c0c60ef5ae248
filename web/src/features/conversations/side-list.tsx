import { useEffect, useMemo, useRef } from "react"
import type { ConversationSummary } from "@/api/schema"
import { seen, seenLine } from "@/blocks/text/seen"
import { PlaceLink } from "@/parts/place-link"
import { addressOf } from "@/parts/places"
import { promptBeside } from "@/parts/prompt-beside"
import { StatusMark } from "@/parts/status-mark"
import { cx } from "@/ui/cx"
import { VirtualList, type VirtualListHandle } from "@/ui/list/virtual-list"
import { useNow } from "@/ui/now"
import { Ago } from "@/ui/time"
import { tip } from "@/ui/tooltip"
import { useSections } from "./conversation-list"
import type { Listing } from "./listing"
import type { Entry } from "./sections"
import { isByTime, nameOf } from "./sort"
import { useConversations } from "./use-conversations"

const ROW_PX = 56
const NONE: readonly ConversationSummary[] = []

/** The list that the reader came from, in a narrow form next to the conversation. */
export function SideList({ listing: { q, sort }, current }: { listing: Listing; current: string }) {
  const list = useRef<VirtualListHandle>(null)
  const { data, loadMore } = useConversations(q, sort)
  const now = useNow()
  const sections = useSections(data?.items ?? NONE, now, isByTime(sort))
  const entries = useMemo(() => sections.flatMap((section) => section.entries), [sections])
  const keys = useMemo(() => entries.map(({ conversation }) => conversation.name), [entries])
  useEffect(() => {
    list.current?.reveal(current)
  }, [current])
  return (
    <div className="flex h-full flex-col">
      <p className="flex h-9 shrink-0 items-center gap-2 border-b border-line px-3 text-sm text-ink-2">
        <PlaceLink href={addressOfList(q, sort)} className="truncate hover:text-ink hover:underline">
          {q === "" ? "All conversations" : seenLine(q)}
        </PlaceLink>
      </p>
      <VirtualList
        ref={list}
        keys={keys}
        estimate={ROW_PX}
        begin={{ key: current, y: ROW_PX }}
        className="min-h-0 flex-1"
        tabIndex={-1}
        row={(index) => {
          const entry = entries[index]
          return entry === undefined ? null : <SideRow {...entry} isCurrent={entry.conversation.name === current} />
        }}
        onSeen={({ drawn }) => {
          if (drawn.end === keys.length) void loadMore()
        }}
      />
    </div>
  )
}

function SideRow({ conversation, activity, isCurrent }: Entry & { isCurrent: boolean }) {
  const { name, title, workspace_name, ended_at, is_starred } = conversation
  const prompt = promptBeside(conversation)
  return (
    <PlaceLink
      href={addressOf(name)}
      aria-current={isCurrent ? "page" : undefined}
      className={cx(
        "grid h-14 compact:h-11 grid-cols-[1rem_minmax(0,1fr)_auto] content-center items-center gap-x-2 px-3",
        "focus-visible:shadow-[inset_3px_0_0_var(--focus)] focus-visible:outline-none",
        isCurrent ? "bg-selected" : "hover:bg-hover",
      )}
      {...tip([title, prompt ?? ""].filter((part) => part !== "").map(seen).join("\n"))}
    >
      <span className="flex text-sm">
        <StatusMark activity={activity} isSmall waitingFor={null} />
      </span>
      <span className="truncate font-medium">
        {is_starred ? <span aria-label="starred">★ </span> : null}
        {seenLine(title) || "Untitled"}
      </span>
      <Ago iso={ended_at} className="text-sm text-ink-3 tabular-nums" />
      <span className="col-span-2 col-start-2 truncate text-sm text-ink-3">
        {seenLine(workspace_name)}
        {prompt === null ? "" : ` · ${seenLine(prompt)}`}
      </span>
    </PlaceLink>
  )
}

function addressOfList(q: string, sort: Listing["sort"]): string {
  const query = new URLSearchParams()
  if (q !== "") query.set("q", q)
  const by = nameOf(sort)
  if (by !== undefined) query.set("sort", by)
  return query.size === 0 ? "/" : `/?${query}`
}
