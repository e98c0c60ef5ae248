import { useRef, useState } from "react"
import { Virtuoso, type VirtuosoHandle } from "react-virtuoso"
import type { SearchHit } from "@/api/schema"
import { useKeys } from "@/ui/keys"
import { HitRow } from "./hit-row"

interface ListProps {
  hits: readonly SearchHit[]
  onEnd: () => void
  footer: string
}

/** The hits in order. The keyboard chooses one; its link takes the focus, so Enter opens the place. */
export function HitList({ hits, onEnd, footer }: ListProps) {
  const list = useRef<VirtuosoHandle>(null)
  const frame = useRef<HTMLElement>(null)
  const [selected, setSelected] = useState(-1)

  const choose = (index: number) => {
    const next = Math.max(0, Math.min(hits.length - 1, index))
    const number = hits[next]?.number
    if (number === undefined) return
    setSelected(next)
    const focus = () => {
      const row = frame.current?.querySelector(`[data-hit="${number}"]`)
      if (row instanceof HTMLElement) row.focus({ preventScroll: true })
    }
    list.current?.scrollIntoView({ index: next, behavior: "auto", done: focus })
    focus()
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
    <section ref={frame} aria-label="Hits" className="h-full">
      <Virtuoso
        ref={list}
        data={hits}
        className="h-full"
        tabIndex={-1}
        increaseViewportBy={600}
        endReached={onEnd}
        computeItemKey={(_, hit) => hit.number}
        itemContent={(index, hit) => <HitRow hit={hit} isSelected={index === selected} />}
        components={{ Footer }}
        context={{ footer }}
      />
    </section>
  )
}

function Footer({ context }: { context?: { footer: string } }) {
  return <p className="flex h-12 items-center justify-center text-sm text-ink-3">{context?.footer}</p>
}
