import { expect, it } from "vitest"
import type { ThreadSummary } from "@/api/schema"
import { lineage } from "./thread-crumb"

function thread(id: string, parent: string): ThreadSummary {
  return { id, parent, kind: "", description: "", status: null, call: null, entries: 1, started_at: null, ended_at: null }
}

it("leads from the outermost thread in, and never in circles", () => {
  const threads = [thread("a", ""), thread("b", "a"), thread("x", "y"), thread("y", "x")]
  expect(lineage(threads, "b").map((each) => each.id)).toEqual(["a", "b"])
  expect(lineage(threads, "").map((each) => each.id)).toEqual([])
  expect(lineage(threads, "nowhere")).toEqual([])
  expect(lineage(threads, "x").map((each) => each.id)).toEqual(["y", "x"])
})
