import { fireEvent, renderHook } from "@testing-library/react"
import { describe, expect, it, vi } from "vitest"
import { type Keys, meant, pressedName, takesText, useKeys } from "./keys"

const press = (key: string, given: object = {}) =>
  pressedName({ key, metaKey: false, ctrlKey: false, altKey: false, shiftKey: false, ...given })

describe("what was pressed", () => {
  it("is named by the character, whatever shift did to make it", () => {
    expect(press("j")).toBe("j")
    expect(press("?", { shiftKey: true })).toBe("?")
    expect(press("G", { shiftKey: true })).toBe("shift+g")
    expect(press("Enter", { shiftKey: true })).toBe("shift+Enter")
  })

  it("is the same for ⌘ and Ctrl, and nothing for Alt and bare modifiers", () => {
    expect(press("k", { metaKey: true })).toBe("mod+k")
    expect(press("k", { ctrlKey: true })).toBe("mod+k")
    expect(press("k", { altKey: true })).toBe("")
    expect(press("Shift", { shiftKey: true })).toBe("")
  })
})

describe("who handles it", () => {
  const [shell, page, sheet] = [vi.fn(), vi.fn(), vi.fn()]
  const layer = (depth: number, keys: Keys) => ({ depth, keys: () => keys })

  it("is the page before the shell, whichever came first, and of equals the last", () => {
    const layers = [layer(1, { t: page }), layer(0, { t: shell })]
    expect(meant(layers, "t")).toBe(page)
    expect(meant([...layers, layer(1, { t: sheet })], "t")).toBe(sheet)
    expect(meant(layers, "constructor")).toBeNull()
  })

  it("is who knows the sequence, before who knows its last key alone", () => {
    const done: string[] = []
    const { unmount } = renderHook(() => {
      useKeys({ s: () => done.push("page s") })
      useKeys({ "g s": () => done.push("shell g s"), s: () => done.push("shell s") }, 0)
    })
    for (const key of ["g", "s", "s", "x", "s"]) fireEvent.keyDown(document.body, { key })
    expect(done).toEqual(["shell g s", "page s", "page s"])
    unmount()
    fireEvent.keyDown(document.body, { key: "s" })
    expect(done).toHaveLength(3)
  })
})

it("knows where text is typed", () => {
  expect(takesText(document.createElement("input"))).toBe(true)
  expect(takesText(document.createElement("button"))).toBe(false)
  expect(takesText(null)).toBe(false)
  const dialog = document.createElement("dialog")
  const field = document.createElement("input")
  dialog.append(field)
  expect(takesText(field)).toBe(false)
  dialog.setAttribute("open", "")
  expect(takesText(field)).toBe(true)
})
