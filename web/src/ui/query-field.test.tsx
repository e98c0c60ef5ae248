import { act, cleanup, fireEvent, render, screen } from "@testing-library/react"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { QueryField } from "./query-field"
import type { Advice } from "./query-text"

const TOOL = { text: "tool:", start: 2, end: 4, hint: "the tool that was called" }
const KNOWN: Advice = { suggestions: [TOOL], problem: null }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

function shown(advice: Advice) {
  const onQuery = vi.fn<(text: string) => void>()
  render(<QueryField label="Filter" placeholder="" value="" onQuery={onQuery} advise={() => Promise.resolve(advice)} />)
  const field = screen.getByRole<HTMLInputElement>("combobox")
  act(() => field.focus())
  return { field, onQuery }
}

async function typed(field: HTMLInputElement, text: string) {
  fireEvent.change(field, { target: { value: text } })
  await pause(100)
}

async function pause(ms: number) {
  await act(() => vi.advanceTimersByTimeAsync(ms))
}

describe("a query field", () => {
  it("takes the suggestion on Tab, where it is meant", async () => {
    const { field } = shown(KNOWN)
    await typed(field, "a to")
    expect(screen.getByRole("option").textContent).toContain("tool:")
    fireEvent.keyDown(field, { key: "Tab" })
    expect(field.value).toBe("a tool:")
  })

  it("asks on Enter at once, and after a pause otherwise", async () => {
    const { field, onQuery } = shown({ ...KNOWN, suggestions: [] })
    await typed(field, "a")
    expect(onQuery).not.toHaveBeenCalled()
    fireEvent.keyDown(field, { key: "Enter" })
    expect(onQuery).toHaveBeenLastCalledWith("a")
    await typed(field, "a b")
    await pause(200)
    expect(onQuery).toHaveBeenLastCalledWith("a b")
    expect(onQuery).toHaveBeenCalledTimes(2)
  })

  it("says what is wrong, and where", async () => {
    const { field } = shown({ suggestions: [], problem: { message: "no field `tol`", at: [0, 4] } })
    await typed(field, "tol:x")
    expect(field.getAttribute("aria-invalid")).toBe("true")
    const says = document.getElementById(field.getAttribute("aria-describedby") ?? "")
    expect(says?.textContent).toBe("no field tol")
  })

  it("takes no room for what it has to say while there is nothing", async () => {
    const { field } = shown({ suggestions: [], problem: null })
    await typed(field, "a")
    const says = document.getElementById(field.getAttribute("aria-describedby") ?? "")
    expect(says?.textContent).toBe("")
    expect(says?.className).not.toMatch(/\b(?:mt|min-h)-/)
  })

  it("lets one choose before it finds fault with half a word", async () => {
    const { field } = shown({ ...KNOWN, problem: { message: "`to` needs a value", at: [2, 4] } })
    await typed(field, "a to")
    const says = document.getElementById(field.getAttribute("aria-describedby") ?? "")
    expect(says?.textContent).toBe("")
    fireEvent.keyDown(field, { key: "Escape" })
    expect(says?.textContent).toBe("to needs a value")
  })

  it("shows hostile suggestions as text", async () => {
    const { field } = shown({ ...KNOWN, suggestions: [{ ...TOOL, text: "<img src=x onerror=alert(1)>" }] })
    await typed(field, "a to")
    expect(screen.getByRole("option").querySelector("img")).toBeNull()
  })
})
