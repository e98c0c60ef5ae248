import { cleanup, render, screen } from "@testing-library/react"
import { afterEach, expect, it } from "vitest"
import { Output } from "./output"
import type { OutputBlock } from "./shapes"

const LINES = Array.from({ length: 100 }, (_, number) => `line ${number}`)
const printed = (change: Partial<OutputBlock>): OutputBlock => ({
  type: "output",
  text: LINES.join("\n"),
  is_error: false,
  is_bulk: false,
  side_file: null,
  tail: "",
  cut_chars: 0,
  ...change,
})

afterEach(cleanup)

it("shows how an output ends", () => {
  render(<Output block={printed({})} at="x" />)
  expect(screen.getByLabelText("End of the output").textContent).toContain("line 99")
})

it("shows the end of what a page cut, not the last line before the cut", () => {
  render(<Output block={printed({ cut_chars: 500, tail: "a\nb\nc\nd\nfailed: 3\n" })} at="x" />)
  const end = screen.getByLabelText("End of the output")
  expect(end.textContent).toContain("failed: 3")
  expect(end.textContent).not.toContain("line 99")
})

it("claims no end that it does not have", () => {
  render(<Output block={printed({ cut_chars: 500 })} at="x" />)
  expect(screen.queryByLabelText("End of the output")).toBeNull()
  expect(screen.getByText(/500 more characters/)).toBeTruthy()
})
