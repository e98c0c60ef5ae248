import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { act, cleanup, render, waitFor } from "@testing-library/react"
import { afterEach, describe, expect, it } from "vitest"
import { SourceContext } from "@/api/follow"
import { http } from "@/api/http"
import type { Page, PageRow, SubAgent } from "@/api/schema"
import { Folds, FoldsContext } from "@/blocks/folds"
import { toolCall } from "@/testing/calls"
import { messageRow } from "@/testing/messages"
import { SubAgentCard } from "./sub-agent-card"
import { TranscriptContext, WorkContext, type Transcript } from "../transcript-context"

afterEach(cleanup)

function agent(id: string): SubAgent {
  return { id, kind: id, description: "", status: null, is_background: false, elsewhere: null, rows: [], entries: 1 }
}

/** Returns the rows of a thread: one message with a call for each agent that it started. */
function page(thread: string, started: readonly string[]): Page {
  const pieces = started.map((each, nth) => toolCall({ id: `${thread}-${nth}`, name: "Task", agent: agent(each) }))
  const row: PageRow = { key: ["", 0, "", 0, 0, ""], thread, row: messageRow({ id: `m-${thread}`, pieces }), places: {}, moments: { shown: "", pieces: [] } }
  return { rows: [row], before: null, after: null, branches: [], epoch: "e", seq: 1 }
}

const nothing = () => undefined
const transcript: Transcript = { name: "n", thread: "", folder: null, branches: [], chosen: [], locate: nothing, openThread: nothing, chooseBranch: nothing, openRaw: nothing, fork: nothing, addressOf: (id) => id, makeCurrent: nothing, loadWhole: () => Promise.resolve() }

/** Opens sub-agents until none is closed, but at most `most`. Returns how many were opened, and what was cut. */
async function openAll(starts: Readonly<Record<string, readonly string[]>>, thread: string, first: string, most: number) {
  const backend = { ...http, rows: (_: string, { thread: of }: { thread?: string }) => Promise.resolve(page(of ?? "", starts[of ?? ""] ?? [])) }
  const { container } = render(
    <SourceContext value={{ backend, live: null }}>
      <QueryClientProvider client={new QueryClient()}>
        <TranscriptContext value={{ ...transcript, thread }}>
          <FoldsContext value={new Folds()}>
            <SubAgentCard agent={agent(first)} at="call" />
          </FoldsContext>
        </TranscriptContext>
      </QueryClientProvider>
    </SourceContext>,
  )
  let opened = 0
  for (;;) {
    const closed = container.querySelector<HTMLElement>('.agent-line[aria-expanded="false"]')
    if (closed === null || opened > most) break
    opened += 1
    act(() => closed.click())
    await waitFor(() => expect(container.querySelector("[data-loading]")).toBeNull())
  }
  return { opened, cut: container.querySelectorAll("[data-cut]").length, text: container.textContent }
}

describe("sub-agents that started each other in a circle", () => {
  it.each([1, 2, 3, 4, 5])("are opened once each, and the circle is said: %i of them", async (length) => {
    const names = Array.from({ length }, (_, nth) => `a${nth}`)
    const starts = Object.fromEntries(names.map((name, nth) => [name, [names[(nth + 1) % length] ?? ""]]))
    const { opened, cut, text } = await openAll(starts, "", "a0", 20)
    expect(opened).toBe(length)
    expect(cut).toBe(1)
    expect(text).toContain("in a circle")
  })

  it("are cut where the thread on display comes round", async () => {
    expect(await openAll({ a: ["b"], b: ["a"] }, "a", "b", 20)).toMatchObject({ opened: 1, cut: 1 })
  })
})

it.each([
  ["at work", "2026-01-01T00:00:00Z", "at work"],
  ["at work", null, "not known to have finished"],
  ["at work in the background", null, "not known to have finished"],
  ["completed", null, "completed"],
])("does not call a sub-agent %s for ever", (status, lastSign, shown) => {
  const { container } = render(
    <QueryClientProvider client={new QueryClient()}>
      <TranscriptContext value={transcript}>
        <WorkContext value={lastSign}>
          <FoldsContext value={new Folds()}>
            <SubAgentCard agent={{ ...agent("a"), status }} at="call" />
          </FoldsContext>
        </WorkContext>
      </TranscriptContext>
    </QueryClientProvider>,
  )
  expect(container.querySelector(".agent-line")?.textContent).toContain(shown)
})

it("opens the sub-agent of one call, and not those of others that name the same", async () => {
  const { opened } = await openAll({ a: ["b", "b"], b: ["c", "c"], c: [] }, "", "a", 20)
  expect(opened).toBe(1 + 2 + 4)
})

it("shows below each call what that call led to", async () => {
  const asked: unknown[] = []
  const backend = { ...http, rows: (_: string, of: object) => Promise.resolve((asked.push(of), page("a", []))) }
  const { container } = render(
    <SourceContext value={{ backend, live: null }}>
      <QueryClientProvider client={new QueryClient()}>
        <TranscriptContext value={transcript}>
          <FoldsContext value={new Folds()}>
            <SubAgentCard agent={agent("a")} at="started" />
            <SubAgentCard agent={agent("a")} at="resumed" />
          </FoldsContext>
        </TranscriptContext>
      </QueryClientProvider>
    </SourceContext>,
  )
  for (const closed of container.querySelectorAll<HTMLElement>('.agent-line[aria-expanded="false"]')) act(() => closed.click())
  await waitFor(() => expect(asked).toHaveLength(2))
  expect(asked).toMatchObject([
    { thread: "a", call: "started" },
    { thread: "a", call: "resumed" },
  ])
})

it("leaves what is nested very deep to a page of its own", async () => {
  const starts = Object.fromEntries(Array.from({ length: 40 }, (_, nth) => [`a${nth}`, [`a${nth + 1}`]]))
  const { opened, cut, text } = await openAll(starts, "", "a0", 60)
  expect(opened).toBe(12)
  expect(cut).toBe(1)
  expect(text).toContain("open its thread")
})
