import { Play } from "lucide-react"
import type { ReactNode } from "react"
import type { Column, MobileTile } from "@/api/schema"
import type { PhoneNow } from "@/api/mobile/use-phone"
import { COLUMN_LOOKS } from "@/parts/board-columns"
import { BoardTile } from "@/parts/board-tile"
import { PlaceLink } from "@/parts/place-link"
import { ProgressLines } from "@/parts/progress-line"
import { buttonLook } from "@/ui/button"
import { cx } from "@/ui/cx"
import { Skeleton } from "@/ui/skeleton"
import { progressOf, tileOf } from "./tile-of"

/** What needs the reader first, then what works, then the rest: for a phone in one hand. The server decides what is what. */
export default function NowPage({
  phone: { board, tile },
  cards,
  pending,
}: {
  phone: PhoneNow
  /** The permission requests that wait, and those that were answered here. */
  cards: ReactNode
  /** The ids of the requests that have a card. */
  pending: ReadonlySet<string>
}) {
  const columns = (board?.columns ?? []).map(({ column, count, conversations }) => ({
    column,
    count,
    tiles: conversations.flatMap((name) => tile(name) ?? []),
  }))
  const needing = columns.find(({ column }) => column === "needs you")
  // A conversation whose requests all have a card needs nothing else.
  const others = needing?.tiles.filter(({ reasons }) => !reasons.every(({ requestId }) => requestId !== null && pending.has(requestId))) ?? []
  return (
    <div className="h-full overflow-y-auto [overflow-anchor:none]">
      <div className="mx-auto flex max-w-2xl flex-col gap-5 px-3 py-4">
        <h1 className="sr-only">Now</h1>
        <Section column="needs you" count={pending.size + others.length} isEmpty={needing !== undefined && pending.size + others.length === 0}>
          {cards}
          {board === null ? <Skeleton className="h-24" /> : <Tiles tiles={others} />}
        </Section>
        {columns
          .filter(({ column, count }) => column !== "needs you" && (column === "working" || count > 0))
          .map(({ column, count, tiles }) => (
            <Section key={column} column={column} count={count} isEmpty={count === 0}>
              <Tiles tiles={tiles} />
              {count > tiles.length ? <p className="px-1 text-sm text-ink-3">{count - tiles.length} older</p> : null}
            </Section>
          ))}
        <p className="flex flex-wrap justify-center gap-3">
          <PlaceLink href="/board" className={cx(buttonLook("plain"), "pointer-coarse:h-12 pointer-coarse:px-5")}>
            The whole board
          </PlaceLink>
          <PlaceLink href="/new" className={cx(buttonLook("plain"), "pointer-coarse:h-12 pointer-coarse:px-5")}>
            <Play aria-hidden />
            Start an agent
          </PlaceLink>
        </p>
      </div>
    </div>
  )
}

function Section({ column, count, isEmpty, children }: { column: Column; count: number; isEmpty: boolean; children: ReactNode }) {
  const { title, colour, empty } = COLUMN_LOOKS[column]
  const id = `now-${column.replace(" ", "-")}`
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2" data-column={column}>
      <h2 id={id} className={cx("flex items-center gap-2 text-md font-semibold", colour)}>
        {title}
        <span className="text-ink-3 tabular-nums">{count}</span>
      </h2>
      {isEmpty ? <p className="text-ink-3">{empty}</p> : null}
      {children}
    </section>
  )
}

function Tiles({ tiles }: { tiles: readonly MobileTile[] }) {
  return (
    <ul className="flex flex-col gap-2 empty:hidden">
      {tiles.map((told) => {
        const progress = progressOf(told)
        return (
          <li key={told.conversation} data-tile={told.conversation}>
            <BoardTile tile={tileOf(told)} progress={progress === null ? undefined : <ProgressLines progress={progress} />} />
          </li>
        )
      })}
    </ul>
  )
}
