import { type ReactNode, useMemo, useRef, useState } from "react"
import type { HitGroup, SearchHit } from "@/api/schema"
import { useKeys } from "@/ui/keys"
import { useRowFocus } from "@/ui/list/use-row-focus"
import { VirtualList, type VirtualListHandle } from "@/ui/list/virtual-list"
import { PanelGuard } from "@/ui/panel-guard"
import { HitRow } from "./hit-row"

interface ListProps {
  hits: readonly SearchHit[]
  groups?: readonly HitGroup[]
  /** Shown above the hits, and scrolls with them. */
  header?: ReactNode
  onEnd: () => void
  footer: ReactNode
}

const HIT_PX = 84
const NO_GROUPS: readonly HitGroup[] = []

/** The hits, grouped by conversation. The keyboard selects one; its link gets the focus, so Enter opens it. */
export function HitList({ hits, groups = NO_GROUPS, header, onEnd, footer }: ListProps) {
  const list = useRef<VirtualListHandle>(null)
  const focusRow = useRowFocus(list)
  const [selected, setSelected] = useState(-1)
  const keys = useMemo(() => hits.map((hit) => String(hit.number)), [hits])
  const counts = useMemo(() => new Map(groups.map((group) => [group.conversation, group])), [groups])

  const choose = (index: number) => {
    const next = Math.max(0, Math.min(hits.length - 1, index))
    const key = keys[next]
    if (key === undefined) return
    setSelected(next)
    focusRow(key)
  }

  useKeys({
    j: () => choose(selected + 1),
    k: () => choose(selected - 1),
    ArrowDown: () => choose(selected + 1),
    ArrowUp: () => choose(selected - 1),
    Home: () => choose(0),
    End: () => choose(hits.length - 1),
  })

  return (
    <section aria-label="Hits" className="h-full">
      <VirtualList
        ref={list}
        keys={keys}
        row={(index) => {
          const hit = hits[index]
          return (
            hit && (
              <PanelGuard name={`Hit ${hit.number}`} of={hit}>
                <HitRow
                  hit={hit}
                  isSelected={index === selected}
                  isFirst={hits[index - 1]?.conversation.name !== hit.conversation.name}
                  group={counts.get(hit.conversation.name)}
                />
              </PanelGuard>
            )
          )
        }}
        estimate={HIT_PX}
        header={header}
        className="h-full"
        tabIndex={-1}
        onSeen={({ drawn }) => {
          if (drawn.end === hits.length) onEnd()
        }}
        footer={<div className="flex h-12 items-center justify-center gap-3 text-sm text-ink-3">{footer}</div>}
      />
    </section>
  )
}
