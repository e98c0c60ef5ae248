// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from "@testing-library/react"
import { afterEach, expect, test, vi } from "vitest"
import { StopButton } from "./stop-button"

afterEach(cleanup)

const pressAt = (timeStamp: number) => {
  const click = new MouseEvent("click", { bubbles: true })
  Object.defineProperty(click, "timeStamp", { value: timeStamp })
  fireEvent(screen.getByRole("button"), click)
}

test("an agent is stopped by a second press, and not by a double click", () => {
  const onStop = vi.fn()
  render(<StopButton isDisabled={false} onStop={onStop} />)
  pressAt(1000)
  expect(screen.getByRole("button").textContent).toBe("Press again to stop it")
  pressAt(1200)
  expect(onStop).not.toHaveBeenCalled()
  pressAt(1500)
  expect(onStop).toHaveBeenCalledOnce()
})

test("who goes elsewhere has not decided", () => {
  const onStop = vi.fn()
  render(<StopButton isDisabled={false} onStop={onStop} />)
  pressAt(1000)
  fireEvent.blur(screen.getByRole("button"))
  pressAt(3000)
  expect(onStop).not.toHaveBeenCalled()
})
