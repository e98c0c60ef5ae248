// @vitest-environment happy-dom
import { act, cleanup, render, screen } from "@testing-library/react"
import { afterEach, expect, test } from "vitest"
import { SourceContext } from "@/api/follow"
import { http } from "@/api/http"
import type { Connection } from "@/api/line"
import { Live } from "@/api/live"
import { Refusal } from "./refusal"
import type { Trouble } from "./use-outgoing"

afterEach(cleanup)

/** A connection whose state the test sets. */
class Put extends Live {
  #now: Connection = { phase: "live" }
  #notify = () => {}

  override readonly connection = () => this.#now
  override readonly watch = (watcher: () => void) => {
    this.#notify = watcher
    return () => {}
  }

  at(now: Connection): void {
    act(() => {
      this.#now = now
      this.#notify()
    })
  }
}

function shown(trouble: Trouble): Put {
  const live = new Put(http)
  render(
    <SourceContext value={{ backend: http, live }}>
      <Refusal trouble={trouble} />
    </SourceContext>,
  )
  return live
}

test("that Chorus did not answer is said until it is back", () => {
  const live = shown({ kind: "unreachable", message: "Chorus does not answer." })
  expect(screen.getByRole("alert").textContent).toBe("Chorus does not answer.")
  live.at({ phase: "unreachable" })
  expect(screen.queryByRole("alert")).not.toBeNull()
  live.at({ phase: "live" })
  expect(screen.queryByRole("alert")).toBeNull()
})

test("what an agent refused stays, whatever becomes of the connection", () => {
  const live = shown({ kind: "cannot_run", message: "run x works on it" })
  live.at({ phase: "unreachable" })
  live.at({ phase: "live" })
  expect(screen.getByRole("alert").textContent).toContain("run x works on it")
})
