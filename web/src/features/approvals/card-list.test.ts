import { describe, expect, it } from "vitest"
import { approvalCard } from "@/testing/approvals"
import { type Entry, nextEntries, withAnswered } from "./card-list"

const [a, b, c] = [approvalCard("a"), approvalCard("b"), approvalCard("c")]
const waiting = (...cards: Entry["card"][]): Entry[] => cards.map((card) => ({ card, isWaiting: true }))

describe("the cards on display", () => {
  it("are those that wait, and new ones come last", () => {
    const entries = nextEntries([], [a, b], [])
    expect(entries).toEqual(waiting(a, b))
    // The server orders by age; on the page, no card is inserted before one that is already shown.
    expect(nextEntries(entries, [c, a, b], []).map(({ card }) => card.id)).toEqual(["a", "b", "c"])
  })

  it("keep their place when they are over, and say how they ended as soon as that is known", () => {
    const gone = nextEntries(waiting(a, b), [b], [])
    expect(gone).toEqual([{ card: a, isWaiting: false }, { card: b, isWaiting: true }])
    const denied = approvalCard("a", { state: "denied" })
    expect(nextEntries(gone, [b], [denied])[0]).toEqual({ card: denied, isWaiting: false })
  })

  it("make room for one that comes while none waits, but for the last of them", () => {
    const over = [a, b].map((card) => ({ card: { ...card, state: "denied" as const }, isWaiting: false }))
    expect(nextEntries(over, [c], [])).toEqual([over[1], ...waiting(c)])
    expect(nextEntries([...over, ...waiting(c)], [c, approvalCard("d")], [])).toHaveLength(4)
  })

  it("never wait again once they are settled, whatever an older answer of the server says", () => {
    const approved = approvalCard("a", { state: "approved" })
    const entries = withAnswered(waiting(a, b), approved)
    expect(nextEntries(entries, [a, b], [])).toBe(entries)
  })

  it("are the same when nothing changed", () => {
    const entries = waiting(a, b)
    expect(nextEntries(entries, [a, b], [])).toBe(entries)
  })

  it("do not show what was settled before they were looked at", () => {
    expect(nextEntries([], [b], [approvalCard("a", { state: "denied" })])).toEqual(waiting(b))
  })
})
