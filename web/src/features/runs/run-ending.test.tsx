// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react"
import { afterEach, expect, test } from "vitest"
import { run } from "@/testing/runs"
import { RunEnding } from "./run-ending"

afterEach(cleanup)

test("a run that is lost says so once, and why", () => {
  render(<RunEnding run={run("a", { state: "lost", ending: "", ended_at: null })} />)
  expect(screen.getByRole("status").textContent).toBe("Lost: its holder was killed, and the client with it.")
})

test("a run that failed says so in the words of who knows", () => {
  render(<RunEnding run={run("a", { state: "ended", is_failure: true, ending: "the client died", ended_at: null })} />)
  expect(screen.getByRole("status").textContent).toBe("The agent failed: the client died")
})
