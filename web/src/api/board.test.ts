import { expect, test } from "vitest"
import { tile } from "@/testing/tiles"
import { inOrder, nextThatNeedsYou, withBoardChange } from "./board"
import type { BoardChanged, Tile } from "./schema"

function changed(since: number, revision: number, put: Tile[] = [], gone: string[] = []): BoardChanged {
  return { type: "board", since, revision, put, gone, counts: [], workspaces: [] }
}

test("the reader is led through everything that waits, the oldest first, and around again", () => {
  const tiles = [tile("late", "needs you", "2026-01-05T09:03:00.000Z"), tile("busy", "working"), tile("early", "needs you", "2026-01-05T09:01:00.000Z")]

  expect(nextThatNeedsYou(tiles, null)?.name).toBe("early")
  expect(nextThatNeedsYou(tiles, "busy")?.name).toBe("early")
  expect(nextThatNeedsYou(tiles, "early")?.name).toBe("late")
  expect(nextThatNeedsYou(tiles, "late")?.name).toBe("early")
  expect(nextThatNeedsYou([tile("only")], "only")).toBeNull()
  expect(nextThatNeedsYou([], null)).toBeNull()
})

test("columns come in their order, and in each the newest first, those with alerts before", () => {
  const alert: Tile["alerts"][number] = { kind: "loop", text: "", thread: "", since: null, evidence: [], count: 3 }
  const tiles = [
    tile("failed", "failed"),
    tile("old", "working", null, { last_at: "2026-01-05T09:00:00.000Z" }),
    tile("new", "working", null, { last_at: "2026-01-05T09:09:00.000Z" }),
    tile("stuck", "working", null, { last_at: "2026-01-05T08:00:00.000Z", alerts: [alert] }),
    tile("asks"),
  ]

  expect(inOrder(tiles).map(({ name }) => name)).toEqual(["asks", "stuck", "new", "old", "failed"])
})

test("a change puts and removes tiles, and one that does not follow asks for the whole board", () => {
  const board = { revision: 4, tiles: [tile("a"), tile("b")], counts: [], workspaces: [] }

  const next = withBoardChange(board, changed(4, 5, [tile("b", "working")], ["a"]))

  expect(next?.tiles.map(({ name, column }) => [name, column])).toEqual([["b", "working"]])
  expect(next?.revision).toBe(5)
  expect(withBoardChange(board, changed(3, 4))).toBe(board)
  expect(withBoardChange(board, changed(5, 6, [tile("c")]))).toBeNull()
  expect(withBoardChange(board, changed(9, 9))).toBeNull()
})
