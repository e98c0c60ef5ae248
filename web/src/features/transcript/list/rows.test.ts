import { describe, expect, it } from "vitest"
import type { Page, PageRow } from "@/api/schema"
import {
  compareKeys,
  cursorOf,
  EMPTY,
  extendedAfter,
  extendedBefore,
  indexOf,
  keeping,
  MOST,
  opened,
  partial,
  replaced,
  reread,
  seenToEnd,
  withUpdate,
  type Window,
} from "./rows"

function row(number: number, text = ""): PageRow {
  const id = `r${number}`
  return {
    key: [String(number).padStart(6, "0"), 0, "s", 0, 0, id],
    thread: "",
    row: { type: "notice", id, time: null, title: text, is_internal: false, blocks: [] },
    places: { [id]: { stream: "s", at: number }, [`part-${number}`]: { stream: "s", at: number } },
    moments: { shown: "", pieces: [] },
  }
}

function page(from: number, to: number, more: Partial<Page> = {}): Page {
  const rows = Array.from({ length: to - from }, (_, index) => row(from + index))
  return { rows, before: null, after: null, branches: [], epoch: "e", seq: 10, ...more }
}

function ids(window: Window): string[] {
  return window.rows.map((each) => each.row.id)
}

const key = (number: number) => row(number).key

/** Returns the key of one row with the id of another. */
function keyed(number: number, id: string): PageRow["key"] {
  const [time, rank, stream, offset, index] = key(number)
  return [time, rank, stream, offset, index, id]
}

describe("keys", () => {
  it("compare element by element, numbers as numbers", () => {
    expect(compareKeys(["a", 2, "", 0, 0, ""], ["a", 10, "", 0, 0, ""])).toBe(-1)
    expect(compareKeys(["b", 0, "", 0, 0, ""], ["a", 9, "z", 9, 9, "z"])).toBe(1)
    expect(compareKeys(key(3), key(3))).toBe(0)
  })
})

describe("pages", () => {
  it("put before stand before what was there", () => {
    const window = opened(EMPTY, page(200, 400, { before: "c" }), "end")
    const grown = extendedBefore(window, page(0, 200))
    expect(ids(grown)).toEqual(Array.from({ length: 400 }, (_, index) => `r${index}`))
    expect(grown.before).toBeNull()
  })

  it("put after too, and rows that are there already are not put twice", () => {
    const window = opened(EMPTY, page(0, 200, { after: "c" }), "end")
    const grown = extendedAfter(window, page(190, 300))
    expect(ids(grown)).toEqual(Array.from({ length: 300 }, (_, index) => `r${index}`))
    expect(grown.after).toBeNull()
  })

  it("far away are forgotten at the other end, and can be asked for again", () => {
    let window = opened(EMPTY, page(5000, 5200, { before: "b", after: "a" }), "end")
    for (let from = 5200; from < 7000; from += 200) window = extendedAfter(window, page(from, from + 200, { after: "a" }))
    expect(window.rows).toHaveLength(MOST)
    expect(window.before).toBe(cursorOf(key(6000)))
    for (let from = 5800; from > 4000; from -= 200) window = extendedBefore(window, page(from, from + 200, { before: "b" }))
    expect(window.rows).toHaveLength(MOST)
    expect(window.after).toBe(cursorOf(window.rows[MOST - 1]?.key ?? key(0)))
    expect(ids(window)[0]).toBe("r4200")
  })

  it("read again leave the list as it is, and count what came at its end", () => {
    const window = opened(EMPTY, page(0, 200), "end")
    const again = reread(window, page(0, 202), { id: "r10", y: 0 }, false)
    expect(again.place).toBe(window.place)
    expect([...again.fresh]).toEqual(["r200", "r201"])
    expect([...reread(again, page(1, 203), { id: "r10", y: 0 }, false).fresh]).toEqual(["r200", "r201", "r202"])
    expect(reread(window, page(0, 202), "end", true).fresh.size).toBe(0)
    const middle = opened(EMPTY, page(0, 200, { after: "a" }), "end")
    expect(reread(middle, page(50, 250, { after: "a" }), { id: "r60", y: 0 }, false).fresh.size).toBe(0)
  })

  it("opened elsewhere start the list again", () => {
    const window = opened(EMPTY, page(0, 200), "end")
    expect(opened(window, page(900, 950), "end").place).not.toBe(window.place)
  })
})

describe("live updates of rows", () => {
  const end = opened(EMPTY, page(100, 200, { before: "b" }), "end")

  it("go on at the end, and replace those of the same id", () => {
    const grown = withUpdate(end, { epoch: "e", seq: 11, rows: [row(200), row(199, "again")], removed: [] }, true)
    expect(ids(grown).slice(-2)).toEqual(["r199", "r200"])
    expect(grown.rows[99]?.row).toMatchObject({ title: "again" })
    expect(grown.fresh.size).toBe(0)
    expect(grown.seq).toBe(11)
  })

  it("put twice are put once", () => {
    const news = { epoch: "e", seq: 11, rows: [row(200), row(201)], removed: [] }
    const once = withUpdate(end, news, false)
    const twice = withUpdate(once, news, false)
    expect(ids(twice)).toEqual(ids(once))
    expect(twice.fresh.size).toBe(2)
  })

  it("go where their keys say, or away", () => {
    const insert = { ...row(150), key: keyed(120, "r120z"), row: { ...row(150).row, id: "new" } }
    const window = withUpdate(end, { epoch: "e", seq: 11, rows: [insert], removed: [] }, true)
    expect(ids(window)[21]).toBe("new")
    const without = withUpdate(window, { epoch: "e", seq: 12, rows: [], removed: ["new", "r101", "nowhere"] }, true)
    expect(ids(without)).toHaveLength(99)
  })

  it("outside of the window are left out, and counted beyond its end", () => {
    const middle = opened(EMPTY, page(100, 200, { before: "b", after: "a" }), "end")
    const window = withUpdate(middle, { epoch: "e", seq: 11, rows: [row(5), row(500)], removed: [] }, false)
    expect(ids(window)).toEqual(ids(middle))
    expect([...window.fresh]).toEqual(["r500"])
    expect(seenToEnd(window).fresh.size).toBe(0)
  })

  it("move to where their new key says", () => {
    const moved = { ...row(110), key: keyed(170, "r110") }
    const window = withUpdate(end, { epoch: "e", seq: 11, rows: [moved], removed: [] }, true)
    expect(ids(window).indexOf("r110")).toBe(69)
    expect(window.rows).toHaveLength(100)
  })

  it("after a page was read are put into it when it arrives", () => {
    const news = withUpdate(end, { epoch: "e", seq: 12, rows: [row(199, "newer"), row(200)], removed: ["r150"] }, true)
    const again = opened(news, page(100, 200, { before: "b", seq: 11 }), "end")
    expect(ids(again).at(-1)).toBe("r200")
    expect(ids(again)).not.toContain("r150")
    const later = opened(news, page(100, 200, { before: "b", seq: 12 }), "end")
    expect(ids(later)).toContain("r150")
    const other = opened(news, page(100, 200, { seq: 1, epoch: "other" }), "end")
    expect(ids(other)).toContain("r150")
  })

  it("before the first page arrived are put into it", () => {
    const news = withUpdate(EMPTY, { epoch: "e", seq: 11, rows: [row(200, "the answer")], removed: [] }, true)
    const first = opened(news, page(100, 200, { seq: 10 }), "end")
    expect(ids(first).at(-1)).toBe("r200")
    expect(ids(opened(news, page(100, 200, { seq: 11 }), "end")).at(-1)).toBe("r199")
    expect(ids(opened(news, page(100, 200, { seq: 1, epoch: "other" }), "end")).at(-1)).toBe("r199")
  })

  it("being written are shown, and give way to the whole", () => {
    const writing = partial(end, row(200, "wri"), true)
    expect(ids(writing).at(-1)).toBe("r200")
    const done = withUpdate(writing, { epoch: "e", seq: 11, rows: [row(200, "written")], removed: [] }, true)
    expect(done.rows.at(-1)?.row).toMatchObject({ title: "written" })
    expect(done.rows).toHaveLength(101)
  })
})

it("keeps rows that the reader has whole when a page brings them again, cut", () => {
  const first = opened(EMPTY, page(100, 200), "end")
  const had = replaced(first, row(120, "whole"))
  const cut = { ...page(100, 200), rows: page(100, 200).rows.map((each) => ({ ...each })) }
  const again = keeping(reread(had, cut, "end", true), had, new Set(["r120", "r500"]))
  expect(again.rows[20]?.row).toMatchObject({ title: "whole" })
  expect(again.rows[21]).toBe(cut.rows[21])
  expect(ids(again)).toEqual(ids(first))
})

it("finds a row by what it holds", () => {
  const window = opened(EMPTY, page(100, 200), "end")
  expect(indexOf(window, "r120")).toBe(20)
  expect(indexOf(window, "part-121")).toBe(21)
  expect(indexOf(window, "constructor")).toBe(-1)
  expect(replaced(window, row(120, "whole")).rows[20]?.row).toMatchObject({ title: "whole" })
})
