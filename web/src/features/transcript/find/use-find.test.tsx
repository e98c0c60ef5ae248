import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { act, cleanup, render, screen, waitFor } from "@testing-library/react"
import { afterEach, expect, it } from "vitest"
import { SourceContext } from "@/api/follow"
import { http } from "@/api/http"
import type { FoundInConversation, Located } from "@/api/schema"
import { FindBar } from "./find-bar"
import { useFind } from "./use-find"

afterEach(cleanup)

function hit(nth: number): Located {
  return { id: `m${nth}`, key: ["", 0, "", nth, 0, `m${nth}`], thread: "" }
}

function Bar() {
  const find = useFind("n", "", "regex:/x/", { where: () => null, onHit: () => undefined })
  return <FindBar query="regex:/x/" onQuery={() => undefined} find={find} onClose={() => undefined} />
}

/** Renders the hook with these responses of the server, by request. */
function show(answers: Readonly<Record<string, FoundInConversation>>) {
  const backend = {
    ...http,
    find: (_: string, { start, after }: { start?: number; after?: string }) =>
      Promise.resolve(answers[`${after ?? ""}@${start ?? 0}`] ?? { hits: [], has_more: false, next: null }),
  }
  return render(
    <SourceContext value={{ backend, live: null }}>
      <QueryClientProvider client={new QueryClient()}>
        <Bar />
      </QueryClientProvider>
    </SourceContext>,
  )
}

async function press(name: string): Promise<void> {
  const button = await screen.findByRole("button", { name })
  await act(async () => button.click())
}

it("says that not all was looked at, and looks further", async () => {
  show({
    "@0": { hits: [hit(8)], has_more: false, next: "a" },
    "a@0": { hits: [hit(3), hit(8)], has_more: false, next: null },
  })
  await screen.findByText("1 of 1+")
  await press("Search further")
  await screen.findByText("2 of 2")
  expect(screen.queryByRole("button", { name: "Search further" })).toBeNull()
})

it("says where nothing was found yet", async () => {
  show({ "@0": { hits: [], has_more: false, next: "a" }, "a@0": { hits: [hit(1)], has_more: false, next: null } })
  await screen.findByText("Nothing found yet")
  await press("Search further")
  await screen.findByText("1 of 1")
})

it("goes on where there are more places than one answer holds", async () => {
  show({
    "@0": { hits: [hit(1), hit(2)], has_more: true, next: null },
    "@2": { hits: [hit(3)], has_more: false, next: null },
  })
  await screen.findByText("2 of 2+")
  await press("More")
  await waitFor(() => expect(screen.getByText("2 of 3")).toBeTruthy())
})
