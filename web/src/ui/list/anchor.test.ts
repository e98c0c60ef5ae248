import { describe, expect, it } from "vitest"
import { carriedOver, Keys } from "./anchor"

const before = new Keys(["a", "b", "c", "d"])
const heightOf = (key: string) => ({ a: 10, b: 20, c: 40, d: 80 })[key] ?? 0

describe("an anchor", () => {
  it("stays while its row is there, wherever that stands", () => {
    const anchor = { key: "b", y: -5 }
    expect(carriedOver(anchor, before, new Keys(["new", "d", "b"]), heightOf)).toBe(anchor)
  })

  it("hands over to the next row below that is left, where that stands", () => {
    expect(carriedOver({ key: "b", y: -5 }, before, new Keys(["a", "d"]), heightOf)).toEqual({ key: "d", y: 55 })
  })

  it("hands over to the last row above when there is none below", () => {
    expect(carriedOver({ key: "d", y: 7 }, before, new Keys(["a", "b", "new"]), heightOf)).toEqual({ key: "b", y: -53 })
  })

  it("is the beginning when nothing of it is left", () => {
    expect(carriedOver({ key: "b", y: 0 }, before, new Keys(["x"]), heightOf)).toBe("start")
    expect(carriedOver({ key: "nowhere", y: 0 }, before, new Keys(["a"]), heightOf)).toBe("start")
  })

  it("at an end is at that end of whatever there is", () => {
    expect(carriedOver("end", before, new Keys(["x"]), heightOf)).toBe("end")
  })
})
