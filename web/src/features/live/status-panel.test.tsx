import { cleanup, render, screen } from "@testing-library/react"
import type { ReactNode } from "react"
import { afterEach, expect, it } from "vitest"
import { SourceContext } from "@/api/follow"
import { http } from "@/api/http"
import type { ServerStatus } from "@/api/schema"
import { ServerNotice } from "./server-notice"
import { StatusPanel } from "./status-panel"

afterEach(cleanup)

const well: ServerStatus = { version: "1", vault: "/v", epoch: "e", seq: 1, conversations: 1, watched: [], at_risk: { sessions: 0, cleanup: "deletes them" }, state: "watching", done_bytes: 1, total_bytes: 1, alarm: null, trouble: null, mended: [], lost: [] }
const nothing = () => undefined

function Shown({ children }: { children: ReactNode }) {
  return <SourceContext value={{ backend: http, live: null }}>{children}</SourceContext>
}

it("says what of the vault was mended, and what is lost", () => {
  const status = { ...well, mended: ["a.jsonl: cut; taken again"], lost: ["b.jsonl: 2 of its lines cannot be had again"] }
  render(<StatusPanel status={status} onClose={nothing} />, { wrapper: Shown })
  expect(screen.getByText("a.jsonl: cut; taken again")).toBeTruthy()
  expect(screen.getByText("b.jsonl: 2 of its lines cannot be had again")).toBeTruthy()
  expect(screen.queryByText("Nothing was damaged")).toBeNull()
  cleanup()
  render(<ServerNotice status={status} />, { wrapper: Shown })
  expect(screen.getByRole("status").textContent).toContain("no source has any more: b.jsonl")
})

it("says that nothing was damaged", () => {
  render(<StatusPanel status={well} onClose={nothing} />, { wrapper: Shown })
  expect(screen.getByText("Nothing was damaged")).toBeTruthy()
  cleanup()
  const { container } = render(<ServerNotice status={well} />, { wrapper: Shown })
  expect(container.textContent).toBe("")
})
