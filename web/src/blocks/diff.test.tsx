import { cleanup, render } from "@testing-library/react"
import { afterEach, expect, it } from "vitest"
import { Diff } from "./diff"

afterEach(cleanup)

function drawn(start: number | null) {
  const hunks = [{ old_start: start, new_start: start, lines: [" a", "-b", "+c"] }]
  const block = { type: "diff", path: "a.py", hunks, is_new: false, cut_chars: 0 } as const
  return render(<Diff block={block} at="x" isTitled />).container
}

it("shows where in the file a change is", () => {
  const numbers = [...drawn(7).querySelectorAll<HTMLElement>(".diff-numbers")]
  expect(numbers.map(({ dataset }) => [dataset["before"], dataset["after"]])).toEqual([["7", "7"], ["8", ""], ["", "8"]])
})

it("shows no numbers where nobody knows them, and no place for them", () => {
  const shown = drawn(null)
  expect([...shown.querySelectorAll(".diff-line")].map((line) => line.textContent?.trimEnd())).toEqual([" a", "−b", "+c"])
  expect(shown.querySelector(".diff-numbers, [data-digits]")).toBeNull()
})
