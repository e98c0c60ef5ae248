import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { render, screen } from "@testing-library/react"
import { expect, it } from "vitest"
import { SourceContext } from "@/api/follow"
import { http } from "@/api/http"
import { approvalCard } from "@/testing/approvals"
import { ApprovalCard } from "./approval-card"

const source = { backend: http, live: null }
const WHY = "This device may not answer requests. Pair it again: `chorus phone pair --scope approve`."

function shown(refusal: string | null): void {
  const card = approvalCard("a", { blocks: [{ type: "shell", command: "make all", language: "bash", cut_chars: 0 }] })
  render(
    <SourceContext value={source}>
      <QueryClientProvider client={new QueryClient()}>
        <ApprovalCard card={card} standing="approver" refusal={refusal} onAnswered={() => {}} onLate={() => {}} />
      </QueryClientProvider>
    </SourceContext>,
  )
}

it("says why this device may not answer and what to do, shows the whole request, and has no answers", () => {
  shown(WHY)
  expect(screen.getByRole("note").textContent).toContain("may not answer requests")
  expect(screen.getByText("chorus phone pair --scope approve")).toBeTruthy()
  expect(screen.getByLabelText("Command").textContent).toContain("make all")
  expect(screen.queryByRole("button", { name: "Approve" })).toBeNull()
  expect(screen.queryByRole("button", { name: "Deny" })).toBeNull()
})

it("has its answers where this device may give them", () => {
  shown(null)
  expect(screen.getByRole("button", { name: "Approve" })).toBeTruthy()
  expect(screen.queryByRole("note")).toBeNull()
})
