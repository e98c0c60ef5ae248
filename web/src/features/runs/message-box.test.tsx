// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from "@testing-library/react"
import { createRef } from "react"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { MessageBox } from "./message-box"
import { useOutgoing } from "./use-outgoing"

afterEach(cleanup)
beforeEach(() => sessionStorage.clear())

interface Given {
  sendsBy: "enter" | "mod+enter"
  onSend: () => void
  onEscape?: () => void
}

function Box(given: Given) {
  return <MessageBox label="Message" placeholder="" outgoing={useOutgoing("box")} field={createRef()} {...given} />
}

test("Enter sends, and with Shift or in the middle of a composed character it does not", () => {
  const onSend = vi.fn()
  render(<Box sendsBy="enter" onSend={onSend} />)
  const field = screen.getByRole("textbox")
  fireEvent.keyDown(field, { key: "Enter", shiftKey: true })
  fireEvent.keyDown(field, { key: "Enter", isComposing: true })
  fireEvent.keyDown(field, { key: "Enter", repeat: true })
  expect(onSend).not.toHaveBeenCalled()
  fireEvent.keyDown(field, { key: "Enter" })
  fireEvent.keyDown(field, { key: "Enter", ctrlKey: true })
  expect(onSend).toHaveBeenCalledTimes(2)
})

test("where prompts are long, Enter is for lines", () => {
  const onSend = vi.fn()
  render(<Box sendsBy="mod+enter" onSend={onSend} />)
  const field = screen.getByRole("textbox")
  fireEvent.keyDown(field, { key: "Enter" })
  expect(onSend).not.toHaveBeenCalled()
  fireEvent.keyDown(field, { key: "Enter", metaKey: true })
  expect(onSend).toHaveBeenCalledOnce()
})

test("Escape does what it is for, or leaves the field", () => {
  const onEscape = vi.fn()
  const { rerender } = render(<Box sendsBy="enter" onSend={vi.fn()} onEscape={onEscape} />)
  screen.getByRole("textbox").focus()
  fireEvent.keyDown(screen.getByRole("textbox"), { key: "Escape" })
  expect(onEscape).toHaveBeenCalledOnce()
  expect(document.activeElement).toBe(screen.getByRole("textbox"))
  rerender(<Box sendsBy="enter" onSend={vi.fn()} />)
  fireEvent.keyDown(screen.getByRole("textbox"), { key: "Escape" })
  expect(document.activeElement).not.toBe(screen.getByRole("textbox"))
})
