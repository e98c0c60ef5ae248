import { act, cleanup, fireEvent, render, screen } from "@testing-library/react"
import { useState } from "react"
import { afterEach, describe, expect, it, vi } from "vitest"
import { Dialog } from "./dialog"

afterEach(cleanup)

/** Two records that can be shown one after the other in a dialog. */
function Records() {
  const [shown, setShown] = useState<string | null>("first")
  return (
    <>
      <button type="button" onClick={() => setShown("second")}>
        open
      </button>
      {shown !== null && (
        <Dialog label="Record" onClose={() => setShown(null)}>
          <p>{shown}</p>
        </Dialog>
      )}
    </>
  )
}

/** Does what a browser does on Escape: an event first; if nobody prevents it, the dialog is hidden and reports it later. */
function cancelled(target: Element): Event {
  const event = new Event("cancel", { cancelable: true, bubbles: true })
  act(() => void target.dispatchEvent(event))
  if (!event.defaultPrevented && target instanceof HTMLDialogElement) {
    target.removeAttribute("open")
    setTimeout(() => act(() => void target.dispatchEvent(new Event("close"))), 0)
  }
  return event
}

describe("Escape in a dialog", () => {
  it("closes the dialog before any other key is handled", () => {
    render(<Records />)
    expect(cancelled(screen.getByLabelText("Record")).defaultPrevented).toBe(true)
    expect(screen.queryByLabelText("Record")).toBeNull()
  })

  it("leaves alone a dialog that is opened directly afterwards", async () => {
    render(<Records />)
    cancelled(screen.getByLabelText("Record"))
    fireEvent.click(screen.getByText("open"))
    await act(() => new Promise((resolve) => setTimeout(resolve, 0)))
    expect(screen.getByLabelText<HTMLDialogElement>("Record").open).toBe(true)
    expect(screen.getByText("second")).toBeTruthy()
  })

  it("does not close when a choice of files inside it is cancelled", () => {
    const onClose = vi.fn<() => void>()
    render(
      <Dialog label="Record" onClose={onClose}>
        <input type="file" aria-label="File" />
      </Dialog>,
    )
    cancelled(screen.getByLabelText("File"))
    expect(onClose).not.toHaveBeenCalled()
  })
})
