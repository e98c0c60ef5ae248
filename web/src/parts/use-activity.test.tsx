import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { renderHook } from "@testing-library/react"
import type { ReactNode } from "react"
import { expect, it } from "vitest"
import { SourceContext } from "@/api/follow"
import { http } from "@/api/http"
import type { Approvals } from "@/api/schema"
import { APPROVALS_KEY } from "@/api/use-approvals"
import { approvalCard } from "@/testing/approvals"
import { summary } from "@/testing/summaries"
import { useActivity } from "./use-activity"

it("waits while a permission request of it does, whatever its records say", () => {
  const asking = summary("a", { status: "done" })
  const pending: Approvals = { cards: [approvalCard("r", { conversation: asking.name })], pending: 1, trouble: null }
  const cache = new QueryClient()
  cache.setQueryData([...APPROVALS_KEY, "pending"], pending)
  const runs = () => Promise.resolve({ runs: [] })
  const source = { backend: { ...http, runs, approvals: () => Promise.resolve(pending) }, live: null }
  const wrapper = ({ children }: { children: ReactNode }) => (
    <SourceContext value={source}>
      <QueryClientProvider client={cache}>{children}</QueryClientProvider>
    </SourceContext>
  )
  const activity = (id: string) => renderHook(() => useActivity(summary(id, { status: "done" })), { wrapper }).result.current
  expect(activity("a")).toEqual({ activity: "waiting", waitingFor: null })
  expect(activity("b")).toEqual({ activity: "done", waitingFor: null })
})
