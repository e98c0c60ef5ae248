import { describe, expect, it } from "vitest"
import { ProblemError } from "./backend"
import { exportedBackend, readExported, wanted } from "./exported"
import type { ExportedFile, PageRow } from "./schema"

const NAME = "work/main/one"

function row(id: string, number: number, thread = ""): PageRow {
  return {
    key: ["2026-01-01T00:00:00.000Z", 0, "session", number, 0, id],
    thread,
    row: { type: "notice", id, time: null, title: `Row ${id}`, is_internal: false, blocks: [] },
    places: { [`part-${id}`]: { stream: "session", at: number } },
    moments: { shown: `2026-01-01T00:00:00.000Z!0!session!${number}`, pieces: [] },
  }
}

const ROWS = Array.from({ length: 120 }, (_, number) => row(`r${number}`, number))
const OUTLINE = { entries: 0, marks: [], branches: [], seq: 0 }

// A part of a file is enough: what is left out here is only passed on.
const FILE: ExportedFile = JSON.parse(
  JSON.stringify({
    version: 1,
    made_with: "1",
    detail: { summary: { name: NAME } },
    thread: "",
    threads: [
      { id: "", rows: ROWS, outline: OUTLINE, stretches: [] },
      { id: "a1", rows: [row("x0", 0, "a1"), row("x1", 1, "a1")], outline: OUTLINE, stretches: [{ call: "c1", first: 1, last: 2 }] },
    ],
    branches: [
      { head: "r10", above: "r9", is_active: false },
      { head: "r12", above: "r9", is_active: true },
    ],
    links: { r10: "r9", r12: "r9", r13: "r12" },
    belongs: { r11: "r10" },
    images: { "session:3:0": "data:image/png;base64,AAAA" },
    side_files: { "out.txt": "x".repeat(100_000) },
    replaced: 0,
  }),
)
const backend = exportedBackend(FILE)
const ids = (rows: readonly PageRow[]) => rows.map(({ row: { id } }) => id)

describe("a conversation in an exported file", () => {
  it("gives pages that lead to all rows, in both directions", async () => {
    const forwards: string[] = []
    let after: string | null = ""
    while (after !== null) {
      const page = await backend.rows(NAME, { after, limit: 50 })
      forwards.push(...ids(page.rows))
      after = page.after
    }
    const backwards: string[] = []
    let before: string | null | undefined
    while (before !== null) {
      const page = await backend.rows(NAME, before === undefined ? { limit: 50 } : { before, limit: 50 })
      backwards.unshift(...ids(page.rows))
      before = page.before
    }
    expect(forwards).toEqual(ids(ROWS).filter((id) => id !== "r10" && id !== "r11"))
    expect(backwards).toEqual(forwards)
  })

  it("shows another continuation if it is chosen, or if the place is in it", async () => {
    const chosen = await backend.rows(NAME, { after: "", branch: ["r10"], limit: 20 })
    expect(ids(chosen.rows)).toContain("r11")
    expect(ids(chosen.rows)).not.toContain("r12")
    expect(ids(chosen.rows)).not.toContain("r13")
    const there = await backend.rows(NAME, { at: "part-r11" })
    expect(there.branches).toEqual(["r10"])
    expect(ids(there.rows)).toContain("r11")
  })

  it("gives the part of a thread that a call led to", async () => {
    expect(ids((await backend.rows(NAME, { thread: "a1", call: "c1", after: "" })).rows)).toEqual(["x1"])
  })

  it("finds words in all rows or in one thread, and places by any id", async () => {
    expect((await backend.find(NAME, { q: "row r119" })).hits.map(({ id }) => id)).toEqual(["r119"])
    expect((await backend.find(NAME, { q: "row", thread: "a1" })).hits).toHaveLength(2)
    expect((await backend.find(NAME, { q: "  " })).hits).toHaveLength(0)
    expect(await backend.locate(NAME, "part-x1")).toMatchObject({ id: "x1", thread: "a1" })
    await expect(backend.locate(NAME, "constructor")).rejects.toBeInstanceOf(ProblemError)
  })

  it("gives long outputs in pieces, and images", async () => {
    const first = await backend.sideFile(NAME, "out.txt", 0)
    const second = await backend.sideFile(NAME, "out.txt", first.next ?? 0)
    expect(first.text.length + second.text.length).toBe(100_000)
    expect(second.next).toBeNull()
    expect(backend.imageUrl(NAME, { stream: "session", at: 3 }, 0)).toBe("data:image/png;base64,AAAA")
    expect(backend.imageUrl(NAME, { stream: "__proto__", at: 3 }, 0)).toBe("")
  })

  it("refuses what needs a server", async () => {
    await expect(backend.annotate(NAME, {})).rejects.toBeInstanceOf(ProblemError)
    await expect(backend.runs()).rejects.toBeInstanceOf(ProblemError)
  })

  it("reads the packed data, and says what it does not know", async () => {
    const packed = new Blob([JSON.stringify(FILE)]).stream().pipeThrough(new CompressionStream("deflate-raw"))
    const bytes = new Uint8Array(await new Response(packed).arrayBuffer())
    const data = btoa(Array.from(bytes, (each) => String.fromCharCode(each)).join(""))
    expect((await readExported(JSON.stringify({ encoding: "deflate-raw+base64", data }))).detail.summary.name).toBe(NAME)
    await expect(readExported(JSON.stringify({ encoding: "other", data }))).rejects.toThrow("unknown encoding")
  })

  it("takes quoted phrases as one", () => {
    expect(wanted('one "Two  three" four')).toEqual(["one", "two  three", "four"])
  })
})
