import { cleanup, render, screen } from "@testing-library/react"
import { afterEach, expect, it } from "vitest"
import { Question } from "./question"

afterEach(cleanup)

function answered(answer: string, ...chosen: string[]) {
  const options = ["S", "L"].map((label) => ({ label, description: "", is_chosen: chosen.includes(label) }))
  const block = { type: "question", header: "", question: "Sizes?", options, is_multiple: true, answer, cut_chars: 0 } as const
  render(<Question block={block} />)
}

it("shows words of one's own beside what was chosen", () => {
  answered("S, wide", "S")
  expect(screen.getByText("S, wide")).toBeTruthy()
})

it("shows what was chosen once", () => {
  answered("S, L", "S", "L")
  expect(screen.queryByText("S, L")).toBeNull()
})
