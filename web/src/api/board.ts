/** The board as last reported: which tiles there are, in which order, and which of them needs the reader next. Pure. */

import type { Board, BoardChanged, Column, Tile } from "./schema"

export type KnownBoard = Board

/** The columns, from left to right. */
export const COLUMNS: readonly Column[] = ["needs you", "working", "idle", "done today", "failed"]

/** Returns the board after a change, or null if the change does not follow on it: then the board has to be read again. */
export function withBoardChange(board: KnownBoard, change: BoardChanged): KnownBoard | null {
  if (change.revision <= board.revision && change.since < board.revision) return board
  if (change.since !== board.revision) return null
  const changed = new Set([...change.put.map(({ name }) => name), ...change.gone])
  const kept = changed.size === 0 ? board.tiles : board.tiles.filter(({ name }) => !changed.has(name))
  return { revision: change.revision, tiles: [...kept, ...change.put], counts: change.counts, workspaces: change.workspaces }
}

/** Returns the tiles column by column: those that wait longest first, then those with alerts, then the newest. */
export function inOrder(tiles: readonly Tile[]): Tile[] {
  return tiles
    .toSorted((a, b) => compared(a.name, b.name))
    .toSorted((a, b) => compared(b.last_at ?? "", a.last_at ?? ""))
    .toSorted((a, b) => {
      const [x, y] = [rankOf(a), rankOf(b)]
      return x.column - y.column || compared(x.since, y.since) || x.calm - y.calm
    })
}

/** Returns the tiles that need the reader, in the order in which the reader is led through them. */
export function needingYou(tiles: readonly Tile[]): Tile[] {
  return inOrder(tiles.filter(({ column }) => column === "needs you"))
}

/** Returns the tile to go to from the conversation `here`: the next one after it, or the first; null if none is left. */
export function nextThatNeedsYou(tiles: readonly Tile[], here: string | null): Tile | null {
  const waiting = needingYou(tiles)
  const at = waiting.findIndex(({ name }) => name === here)
  const next = waiting[(at + 1) % Math.max(1, waiting.length)]
  return next === undefined || next.name === here ? null : next
}

function rankOf(tile: Tile): { column: number; since: string; calm: number } {
  return { column: COLUMNS.indexOf(tile.column), since: tile.reasons[0]?.since ?? "", calm: tile.alerts.length > 0 ? 0 : 1 }
}

/** Compares texts as Python does, by their code points. */
function compared(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
