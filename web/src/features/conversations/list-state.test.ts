import { describe, expect, it } from "vitest"
import { changed, endedAt, listPage, summary } from "@/testing/summaries"
import { byActivity, firstPage, type ListState, withChanges, withPage } from "./list-state"

const ids = (list: ListState) => list.items.map(({ id }) => id).join("")
const three = firstPage(listPage([endedAt("a", 30), endedAt("b", 20), endedAt("c", 10)]))

it("orders by last activity, those without a time last, then by name", () => {
  const items = [summary("z", { ended_at: null }), endedAt("b", 5), endedAt("c", 9), endedAt("a", 5)]
  expect(items.toSorted(byActivity).map(({ id }) => id)).toEqual(["c", "a", "b", "z"])
})

describe("changes", () => {
  it("move a conversation up and replace what is shown of it", () => {
    const { list } = withChanges(three, [changed(10, 11, [endedAt("c", 40, { title: "new" })])], false)
    expect(ids(list)).toBe("cab")
    expect(list.items[0]?.title).toBe("new")
    expect(list.seq).toBe(11)
  })

  it("that are already in it change nothing", () => {
    expect(withChanges(three, [changed(9, 10, [endedAt("c", 40)])], false).list).toBe(three)
  })

  it("of several frames count in order", () => {
    const frames = [changed(10, 11, [endedAt("d", 50)]), changed(11, 12, [endedAt("d", 5)]), changed(12, 13, [], ["shop/main/a"])]
    expect(ids(withChanges(three, frames, false).list)).toBe("bcd")
  })

  it("bring back a conversation that was gone", () => {
    const frames = [changed(10, 11, [], ["shop/main/b"]), changed(11, 12, [endedAt("b", 55)])]
    expect(ids(withChanges(three, frames, false).list)).toBe("bac")
  })

  it("below the end of what is loaded wait for their page", () => {
    const more = { ...three, hasMore: true }
    expect(ids(withChanges(more, [changed(10, 11, [endedAt("d", 5)])], false).list)).toBe("abc")
    expect(ids(withChanges(more, [changed(10, 11, [endedAt("d", 15)])], false).list)).toBe("abdc")
  })

  it("of others do not enter a filtered list: the server is asked again", () => {
    const { list, isAskedAgain } = withChanges(three, [changed(10, 11, [endedAt("d", 50)])], true)
    expect(ids(list)).toBe("abc")
    expect(isAskedAgain).toBe(true)
    expect(withChanges(three, [changed(10, 11, [endedAt("a", 50)])], true).isAskedAgain).toBe(false)
  })
})

describe("the next page", () => {
  it("is added, each conversation once", () => {
    const list = withPage({ ...three, hasMore: true }, listPage([endedAt("c", 10), endedAt("d", 5)]))
    expect(ids(list)).toBe("abcd")
    expect(list.hasMore).toBe(false)
  })

  it("that was read earlier makes the list as old as itself, so that changes are merged again", () => {
    const ahead = withChanges(three, [changed(10, 12, [])], false).list
    expect(withPage(ahead, listPage([endedAt("d", 5)], { seq: 11 })).seq).toBe(11)
  })
})

it("looks at ten times as many conversations about ten times as often", () => {
  expect(looks(10_000)).toBeLessThan(20 * looks(1_000))
})

/** How often a change looks at the end times of so many conversations. */
function looks(count: number): number {
  let counted = 0
  const items = Array.from({ length: count }, (_, index) => {
    const ended_at = new Date(2e12 - index * 60_000).toISOString()
    return Object.defineProperty(summary(`c${index}`), "ended_at", {
      enumerable: true,
      get: () => {
        counted += 1
        return ended_at
      },
    })
  })
  const big = firstPage(listPage(items))
  counted = 0
  withChanges(big, [changed(10, 11, [summary("c100")])], false)
  return counted
}
