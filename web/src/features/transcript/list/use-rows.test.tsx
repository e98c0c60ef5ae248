import { act, cleanup, renderHook } from "@testing-library/react"
import type { ReactNode } from "react"
import { afterEach, beforeEach, expect, it } from "vitest"
import { ProblemError } from "@/api/backend"
import { SourceContext } from "@/api/follow"
import { http } from "@/api/http"
import { Live } from "@/api/live"
import type { Page, PageRow, ServerFrame } from "@/api/schema"
import { World } from "@/testing/live-world"
import { changed, summary } from "@/testing/summaries"
import { useRows } from "./use-rows"

afterEach(cleanup)

const NAME = "shop/main/a"

function row(id: string, at: number): PageRow {
  return {
    key: [String(at), 0, "s", 0, 0, id],
    thread: "",
    row: { type: "notice", id, time: null, title: "", is_internal: false, blocks: [] },
    places: {},
    moments: { shown: "", pieces: [] },
  }
}

function page(seq: number, ...ids: string[]): Page {
  return { rows: ids.map(row), before: null, after: null, branches: [], epoch: "e", seq }
}

/** Returns the frames of a change: its rows, then the change. */
function framesOf(seq: number, ...rows: PageRow[]): ServerFrame[] {
  return [
    { type: "rows", seq, conversation: NAME, rows, removed: [], is_whole: false },
    changed(seq - 1, seq, [summary("a")]),
  ]
}

/** Requests for rows, which the test answers. */
let asked: { resolve: (page: Page) => void; reject: (error: Error) => void }[]
let world: World
let live: Live

beforeEach(async () => {
  asked = []
  world = new World()
  live = new Live({ ticket: () => Promise.resolve({ ticket: "t" }) }, world)
  live.start()
  await new Promise((done) => setTimeout(done, 0))
  world.last.open()
  world.last.deliver({ type: "welcome", epoch: "e", seq: 10, is_reset: false })
})

function shown() {
  const backend = {
    ...http,
    rows: () => new Promise<Page>((resolve, reject) => void asked.push({ resolve, reject })),
  }
  const thread = { name: NAME, thread: "", branch: [], isInternal: false }
  const nothing = () => {}
  const view = renderHook(() => useRows(thread, () => null, nothing, nothing), {
    wrapper: ({ children }: { children: ReactNode }) => <SourceContext value={{ backend, live }}>{children}</SourceContext>,
  })
  act(() => void view.result.current.open("end"))
  return { ids: () => view.result.current.window.rows.map((each) => each.row.id), result: view.result }
}

async function answer(number: number, with_: Page): Promise<void> {
  await act(async () => asked[number]?.resolve(with_))
}

async function fail(number: number): Promise<void> {
  await act(async () => asked[number]?.reject(new ProblemError({ kind: "busy", message: "", at: null })))
}

it("shows a row that was told while the first page was on its way and is not in it", async () => {
  const { ids } = shown()
  act(() => world.last.deliver(...framesOf(11, row("answer", 1))))
  await answer(0, page(10, "prompt"))
  expect(ids()).toEqual(["prompt", "answer"])
  expect(asked).toHaveLength(1)
})

it("reads once more when a change without rows was told while the first page was on its way", async () => {
  const { ids } = shown()
  act(() => world.last.deliver(changed(10, 11, [summary("a")])))
  await answer(0, page(10, "prompt"))
  await answer(1, page(11, "prompt", "answer"))
  expect(ids()).toEqual(["prompt", "answer"])
})

it("opens the conversation with the next news when it could not be opened", async () => {
  const { ids, result } = shown()
  await fail(0)
  expect(result.current.trouble).not.toBeNull()
  act(() => world.last.deliver(...framesOf(11, row("answer", 1))))
  await answer(1, page(11, "prompt", "answer"))
  expect(ids()).toEqual(["prompt", "answer"])
  expect(result.current.trouble).toBeNull()
})

it("reads again with the next news when reading again failed", async () => {
  const { ids, result } = shown()
  await answer(0, page(10, "prompt"))
  act(() => world.last.deliver(changed(10, 11, [summary("a")])))
  await fail(1)
  act(() => world.last.deliver(...framesOf(12, row("last", 2))))
  await answer(2, page(12, "prompt", "answer", "last"))
  expect(ids()).toEqual(["prompt", "answer", "last"])
  expect(result.current.trouble).toBeNull()
})
