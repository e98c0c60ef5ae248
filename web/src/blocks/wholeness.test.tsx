import { cleanup, fireEvent, render, screen } from "@testing-library/react"
import { afterEach, expect, it } from "vitest"
import { BlockView } from "./block-view"
import { Folds, FoldsContext } from "./folds"
import type { Block } from "./shapes"
import { Wholeness, WholenessContext } from "./wholeness"

afterEach(cleanup)

const lines = (count: number): string => Array.from({ length: count }, (_, number) => `echo ${number}`).join("\n")
const shell = (command: string): Block => ({ type: "shell", command, language: "bash", cut_chars: 0 })

function drawn(block: Block): Wholeness {
  const wholeness = new Wholeness()
  const folds = new Folds()
  folds.putAll("lines", true)
  render(
    <FoldsContext value={folds}>
      <WholenessContext value={wholeness}>
        <BlockView block={block} at="a" />
      </WholenessContext>
    </FoldsContext>,
  )
  return wholeness
}

it("is whole when every line is shown", () => {
  expect(drawn(shell(lines(300))).isWhole()).toBe(true)
})

it("is not whole while lines wait behind a button, and is when they were all asked for", () => {
  const wholeness = drawn(shell(lines(2500)))
  expect(wholeness.isWhole()).toBe(false)
  fireEvent.click(screen.getByRole("button", { name: /more lines/ }))
  expect(wholeness.isWhole()).toBe(true)
})

it("is not whole when the server left something out", () => {
  expect(drawn({ type: "shell", command: "ls", language: "bash", cut_chars: 5 }).isWhole()).toBe(false)
})

it("folds no level of JSON by itself, and is not whole while the reader folds one", () => {
  const text = JSON.stringify({ a: { b: Array.from({ length: 300 }, (_, number) => number) } }, null, 2)
  const wholeness = drawn({ type: "json", text, title: "", is_bulk: true, cut_chars: 0 })
  expect(wholeness.isWhole()).toBe(true)
  fireEvent.click(screen.getAllByRole("button", { name: "Fold" })[0] ?? expect.fail())
  expect(wholeness.isWhole()).toBe(false)
})
