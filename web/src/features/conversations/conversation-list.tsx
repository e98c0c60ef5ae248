import { useMemo, useRef, useState } from "react"
import { useRunning } from "@/api/follow"
import type { ConversationSummary } from "@/api/schema"
import { useRuns } from "@/api/use-runs"
import { useAskingConversations } from "@/api/use-approvals"
import { useAnnotate, useStar } from "@/parts/annotating"
import { cx } from "@/ui/cx"
import { useKeys } from "@/ui/keys"
import type { Anchor } from "@/ui/list/anchor"
import { useRowFocus } from "@/ui/list/use-row-focus"
import { VirtualList, type VirtualListHandle } from "@/ui/list/virtual-list"
import { LOCALE } from "@/ui/locale"
import { useNow } from "@/ui/now"
import { PanelGuard } from "@/ui/panel-guard"
import { ConversationRow } from "./conversation-row"
import { type Entry, type Section, sectionsOf } from "./sections"

/**
 * The position of the reader, by filter and order: a reader who comes back from a conversation finds the list as it
 * was.
 */
const left = new Map<string, { selected: string | null; anchor: Anchor }>()

const ROW_PX = 56

interface ListProps {
  /** Identifies the filter and the order: another one is another list. */
  of: string
  isByTime: boolean
  conversations: readonly ConversationSummary[]
  onEnd: () => void
  footer: string
}

/** All rows in their sections. The keyboard selects a row; its link gets the focus, so Enter opens it. */
export function ConversationList({ of, isByTime, conversations, onEnd, footer }: ListProps) {
  const now = useNow()
  const list = useRef<VirtualListHandle>(null)
  const focusRow = useRowFocus(list)
  const [selected, setSelected] = useState<string | null>(() => left.get(of)?.selected ?? null)

  const sections = useSections(conversations, now, isByTime)
  const annotate = useAnnotate()
  const star = useStar()
  const entries = useMemo(() => sections.flatMap((section) => section.entries), [sections])
  const lines = useMemo(() => linesOf(sections), [sections])
  const keys = useMemo(() => lines.map((line) => line.key), [lines])
  const chosen = (act: (conversation: ConversationSummary) => void) => {
    const entry = entries.find(({ conversation }) => conversation.name === selected)
    if (entry !== undefined) act(entry.conversation)
  }

  const choose = (index: number) => {
    const name = entries[index]?.conversation.name
    if (name === undefined) return
    setSelected(name)
    left.set(of, { anchor: left.get(of)?.anchor ?? "start", selected: name })
    focusRow(name)
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
    "*": () => chosen(star),
    ".": () => chosen(annotate),
  })

  return (
    <section aria-label="Conversations" className="h-full">
      <VirtualList
        ref={list}
        keys={keys}
        row={(index) => {
          const line = lines[index]
          if (line === undefined) return null
          if (line.type === "heading") return <Heading section={line.section} />
          return (
            <PanelGuard name={`The row of ${line.entry.conversation.id}`} of={line.entry}>
              <ConversationRow {...line.entry} isSelected={line.key === selected} />
            </PanelGuard>
          )
        }}
        headingOf={(index) => lines[index]?.heading ?? -1}
        estimate={ROW_PX}
        begin={left.get(of)?.anchor ?? "start"}
        sticksTo="start"
        className="h-full"
        tabIndex={-1}
        onSeen={({ drawn, anchor }) => {
          left.set(of, { anchor, selected })
          if (drawn.end === keys.length) onEnd()
        }}
        footer={<p className="flex h-12 items-center justify-center text-sm text-ink-3">{footer}</p>}
      />
    </section>
  )
}

/** The conversations in the order in which the list shows them. */
export function useSections(conversations: readonly ConversationSummary[], now: number, isByTime: boolean): Section[] {
  const running = useRunning()
  const asking = useAskingConversations()
  const runs = useRuns()
  return useMemo(
    () => sectionsOf(conversations, running, now, LOCALE, asking, runs, isByTime),
    [conversations, running, now, asking, runs, isByTime],
  )
}

function Heading({ section }: { section: Section }) {
  return (
    <h2
      className={cx(
        "flex h-8 items-center gap-2 border-b border-line bg-canvas px-4 text-sm font-semibold md:px-5 compact:h-6",
        section.kind === "waiting" ? "text-waiting" : section.kind === "at work" ? "text-ink" : "text-ink-2",
      )}
    >
      {section.title}
      <span className="font-normal text-ink-3 tabular-nums">{section.kind === "day" ? "" : section.entries.length}</span>
    </h2>
  )
}

type Line = { key: string; heading: number } & ({ type: "heading"; section: Section } | { type: "entry"; entry: Entry })

/** Returns headings and rows in one list; each knows the number of its heading. */
function linesOf(sections: readonly Section[]): Line[] {
  const lines: Line[] = []
  for (const [nth, section] of sections.entries()) {
    const heading = section.kind === "all" ? -1 : lines.length
    if (section.kind !== "all") lines.push({ type: "heading", key: `heading ${nth}`, heading, section })
    for (const entry of section.entries) lines.push({ type: "entry", key: entry.conversation.name, heading, entry })
  }
  return lines
}
