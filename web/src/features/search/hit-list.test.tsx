import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from "@tanstack/react-router"
import { cleanup, fireEvent, render, screen } from "@testing-library/react"
import { afterEach, expect, it } from "vitest"
import type { SearchHit } from "@/api/schema"
import { hit } from "@/testing/summaries"
import { HitList } from "./hit-list"

afterEach(cleanup)

const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() })

function drawn(hits: SearchHit[]) {
  return (
    <RouterContextProvider router={router}>
      <button type="button">Best</button>
      <HitList hits={hits} onEnd={() => undefined} footer="" />
    </RouterContextProvider>
  )
}

it("does not come back for the focus after a hit was chosen twice", () => {
  const { rerender } = render(drawn([hit(1)]))
  fireEvent.keyDown(document.body, { key: "j" })
  fireEvent.keyDown(document.body, { key: "j" })
  const button = screen.getByRole("button")
  button.focus()
  rerender(drawn([hit(1)]))
  expect(document.activeElement).toBe(button)
})

it("gives the focus to a hit that is chosen, and takes it from nobody when the hits are others", () => {
  const { rerender } = render(drawn([hit(1), hit(2), hit(3)]))
  fireEvent.keyDown(document.body, { key: "j" })
  fireEvent.keyDown(document.body, { key: "j" })
  expect(document.activeElement?.getAttribute("data-hit")).toBe("2")

  const button = screen.getByRole("button")
  button.focus()
  rerender(drawn([hit(3), hit(1), hit(2)]))
  expect(document.activeElement).toBe(button)
})

it("names a conversation once, with the number of its hits", () => {
  const [one, two, three] = [hit(3), hit(2), hit(1)]
  const other = { ...three, conversation: { ...three.conversation, name: "work/main/other", title: "Other" } }
  const groups = [
    { conversation: one.conversation.name, count: 12, is_at_least: false },
    { conversation: other.conversation.name, count: 1000, is_at_least: true },
  ]
  render(
    <RouterContextProvider router={router}>
      <HitList hits={[one, two, other]} groups={groups} onEnd={() => undefined} footer="" />
    </RouterContextProvider>,
  )
  expect(screen.getAllByText(one.conversation.title)).toHaveLength(1)
  expect(screen.getByText("12 hits")).toBeTruthy()
  expect(screen.getByText("1,000+ hits")).toBeTruthy()
})
