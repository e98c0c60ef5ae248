import { useMemo, useRef, useState } from "react"
import { useNavigate } from "@tanstack/react-router"
import { GroupedVirtuoso, type GroupedVirtuosoHandle, type StateSnapshot } from "react-virtuoso"
import type { ConversationSummary } from "@/api/schema"
import { nameParts } from "@/parts/places"
import { cx } from "@/ui/cx"
import { useKeys } from "@/ui/keys"
import { readersLocale } from "@/ui/locale"
import { useNow } from "@/ui/now"
import { ConversationRow } from "./conversation-row"
import { type Section, sectionsOf } from "./sections"

const LOCALE = readersLocale()

/** Where the reader was, by filter: whoever comes back from a conversation finds the list as it was. */
const left = new Map<string, { selected: string | null; state: StateSnapshot | undefined }>()

interface ListProps {
  q: string
  conversations: readonly ConversationSummary[]
  onEnd: () => void
  footer: string
}

/** All rows in their sections. The keyboard chooses a row; its link takes the focus, so Enter opens it. */
export function ConversationList({ q, conversations, onEnd, footer }: ListProps) {
  const now = useNow()
  const navigate = useNavigate()
  const list = useRef<GroupedVirtuosoHandle>(null)
  const frame = useRef<HTMLElement>(null)
  const [selected, setSelected] = useState<string | null>(() => left.get(q)?.selected ?? null)

  const sections = useMemo(() => sectionsOf(conversations, now, LOCALE), [conversations, now])
  const entries = useMemo(() => sections.flatMap((section) => section.entries), [sections])
  const counts = useMemo(() => sections.map((section) => section.entries.length), [sections])

  const choose = (index: number) => {
    const name = entries[index]?.conversation.name
    if (name === undefined) return
    setSelected(name)
    left.set(q, { state: left.get(q)?.state, selected: name })
    list.current?.scrollIntoView({ index, behavior: "auto", done: () => focusRow(frame.current, name) })
    focusRow(frame.current, name)
  }
  const move = (step: number) => {
    const at = entries.findIndex(({ conversation }) => conversation.name === selected)
    choose(at < 0 ? (step > 0 ? 0 : entries.length - 1) : Math.max(0, Math.min(entries.length - 1, at + step)))
  }

  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    PageDown: () => move(12),
    PageUp: () => move(-12),
    Home: () => choose(0),
    End: () => choose(entries.length - 1),
    o: () => {
      if (selected !== null) void navigate({ to: "/c/$workspace/$agent/$conversation", params: nameParts(selected) })
    },
  })

  return (
    <section ref={frame} aria-label="Conversations" className="h-full">
      <GroupedVirtuoso
        ref={list}
        groupCounts={counts}
        className="h-full"
        tabIndex={-1}
        increaseViewportBy={400}
        endReached={onEnd}
        restoreStateFrom={left.get(q)?.state}
        isScrolling={(isScrolling) => {
          if (!isScrolling) list.current?.getState((state) => left.set(q, { state, selected }))
        }}
        computeItemKey={(index) => keyOf(index, entries, sections)}
        groupContent={(index) => <Heading section={sections[index]} />}
        itemContent={(index) => {
          const entry = entries[index]
          return entry === undefined ? null : (
            <ConversationRow {...entry} isSelected={entry.conversation.name === selected} />
          )
        }}
        components={{ Footer }}
        context={{ footer }}
      />
    </section>
  )
}

function Heading({ section }: { section: Section | undefined }) {
  if (section === undefined) return null
  return (
    <h2
      className={cx(
        "flex h-8 items-center gap-2 border-b border-line bg-canvas px-4 text-sm font-semibold md:px-5",
        section.kind === "waiting" ? "text-waiting" : section.kind === "at work" ? "text-ink" : "text-ink-2",
      )}
    >
      {section.title}
      <span className="font-normal text-ink-3 tabular-nums">{section.kind === "day" ? "" : section.entries.length}</span>
    </h2>
  )
}

function Footer({ context }: { context?: { footer: string } }) {
  return <p className="flex h-12 items-center justify-center text-sm text-ink-3">{context?.footer}</p>
}

/** Headings and rows share one numbering here: a heading before each section. */
function keyOf(index: number, entries: readonly { conversation: { name: string } }[], sections: readonly Section[]) {
  let left = index
  let passed = 0
  for (const section of sections) {
    if (left === 0) return `heading ${section.title}`
    left -= 1
    if (left < section.entries.length) return entries[passed + left]?.conversation.name ?? index
    left -= section.entries.length
    passed += section.entries.length
  }
  return index
}

function focusRow(frame: HTMLElement | null, name: string): void {
  const row = frame?.querySelector(`[data-conversation="${CSS.escape(name)}"]`)
  if (row instanceof HTMLElement) row.focus({ preventScroll: true })
}
