import { cleanup, fireEvent, render, screen } from "@testing-library/react"
import { afterEach, describe, expect, it, vi } from "vitest"
import { DeliberateButton } from "./deliberate-button"

afterEach(cleanup)

function shown({ isReady = true, isStill = (): boolean => true } = {}) {
  const onPress = vi.fn<() => void>()
  const still = { isStill: isStill(), isStillAt: isStill }
  render(<DeliberateButton still={still} isReady={isReady} onPress={onPress}>Approve</DeliberateButton>)
  return { button: screen.getByRole("button"), onPress }
}

function click(button: HTMLElement, detail = 1) {
  fireEvent.pointerDown(button, { isPrimary: true })
  fireEvent.click(button, { detail })
}

describe("a button that decides", () => {
  it("takes a press that was meant for it", () => {
    const { button, onPress } = shown()
    click(button)
    expect(onPress).toHaveBeenCalledTimes(1)
  })

  it("takes a click by a screen reader, which has no pointer", () => {
    const { button, onPress } = shown()
    fireEvent.click(button, { detail: 0 })
    expect(onPress).toHaveBeenCalledTimes(1)
  })

  it("takes the first click of a double click alone", () => {
    const { button, onPress } = shown()
    click(button, 1)
    click(button, 2)
    expect(onPress).toHaveBeenCalledTimes(1)
  })

  it("takes nothing while it is not ready or moves, but can be reached", () => {
    for (const given of [{ isReady: false }, { isStill: () => false }]) {
      const { button, onPress } = shown(given)
      click(button)
      fireEvent.click(button, { detail: 0 })
      expect(onPress).not.toHaveBeenCalled()
      expect(button.getAttribute("aria-disabled")).toBe("true")
      expect(button.hasAttribute("disabled")).toBe(false)
      cleanup()
    }
  })

  it("takes no press that began elsewhere, or before it stood still", () => {
    let isStill = false
    const { button, onPress } = shown({ isStill: () => isStill })
    fireEvent.pointerDown(button, { isPrimary: true })
    isStill = true
    fireEvent.click(button, { detail: 1 })
    fireEvent.click(button, { detail: 1 })
    isStill = false
    fireEvent.keyDown(button, { key: " " })
    isStill = true
    fireEvent.click(button, { detail: 0 })
    expect(onPress).not.toHaveBeenCalled()
  })

  it("ignores a key that is held down", () => {
    const { button } = shown()
    expect(fireEvent.keyDown(button, { key: "Enter", repeat: true })).toBe(false)
    expect(fireEvent.keyDown(button, { key: " ", repeat: true })).toBe(false)
    expect(fireEvent.keyDown(button, { key: "Enter" })).toBe(true)
    expect(fireEvent.keyDown(button, { key: "Tab", repeat: true })).toBe(true)
  })
})
