import type { Column, Tile } from "@/api/schema"
import { COLUMN_LOOKS } from "@/parts/board-columns"
import { BoardTile } from "@/parts/board-tile"
import { cx } from "@/ui/cx"

/** A column of the board. `count` is how many conversations it has; older ones are counted and not shown. */
export function BoardColumn({ column, tiles, count }: { column: Column; tiles: readonly Tile[]; count: number }) {
  const { title, colour, empty } = COLUMN_LOOKS[column]
  const id = `column-${column.replace(" ", "-")}`
  const more = count - tiles.length
  return (
    <section aria-labelledby={id} className="flex min-w-0 flex-col rounded-lg bg-inset md:min-h-0" data-column={column}>
      <h2 id={id} className={cx("flex shrink-0 items-center gap-2 px-3 py-2 text-sm font-semibold", colour)}>
        {title}
        <span className="text-ink-3 tabular-nums">{count}</span>
      </h2>
      {tiles.length === 0 ? <p className="px-3 pb-3 text-sm text-ink-3">{empty}</p> : null}
      <ul className="flex flex-col gap-2 px-2 pb-2 empty:hidden md:min-h-0 md:overflow-y-auto">
        {tiles.map((tile) => (
          <li key={tile.name} data-tile={tile.name}>
            <BoardTile tile={tile} />
          </li>
        ))}
        {more > 0 && tiles.length > 0 ? <li className="px-1 py-1 text-sm text-ink-3">{more} older</li> : null}
      </ul>
    </section>
  )
}
