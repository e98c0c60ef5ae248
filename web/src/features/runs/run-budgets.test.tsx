// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react"
import { afterEach, expect, test } from "vitest"
import { RunBudgets } from "./run-budgets"

afterEach(cleanup)

test("each limit says how much of it is used, and whether that is nearly all", () => {
  const { rerender } = render(
    <RunBudgets
      budgets={[
        { scope: "run", measure: "money", state: "spent", words: "$5.10 of $5.00 for this run", share: 1.02 },
        { scope: "day", measure: "tokens", state: "warning", words: "1.7M of 2.0M tokens for today", share: 0.85 },
        { scope: "run", measure: "turns", state: "fine", words: "2 of 20 turns for this run", share: 0.1 },
      ]}
    />,
  )
  expect(screen.getAllByRole("listitem").map((each) => each.textContent)).toEqual([
    "$5.10 of $5.00 for this run · used up",
    "1.7M of 2.0M tokens for today · nearly used up",
    "2 of 20 turns for this run",
  ])

  rerender(<RunBudgets budgets={[]} />)
  expect(screen.queryByRole("list")).toBeNull()
})
