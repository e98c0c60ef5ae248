import { X } from "lucide-react"
import { type ReactNode, useEffect, useRef } from "react"
import { IconButton } from "./button"
import { cx } from "./cx"

/**
 * A dialog above the page. It is the dialog of the browser: it keeps the focus inside, returns it, closes on Escape,
 * and needs no style element, which the policy of the page would refuse. An element with `data-autofocus` gets the
 * focus first.
 */
export function Dialog({
  label,
  onClose,
  className,
  children,
}: {
  label: string
  onClose: () => void
  className?: string
  children: ReactNode
}) {
  const dialog = useRef<HTMLDialogElement>(null)

  useEffect(() => {
    const element = dialog.current
    if (element === null) return
    const before = document.activeElement
    if (!element.open) element.showModal()
    const first = element.querySelector("[data-autofocus]")
    if (first instanceof HTMLElement) first.focus()
    else element.focus()
    return () => {
      element.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    }
  }, [])

  return (
    // A click on the backdrop closes; the keyboard has Escape.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={dialog}
      aria-label={label}
      tabIndex={-1}
      onCancel={(event) => {
        // The browser would hide the dialog at once and report it later: a dialog that is opened in between would be lost.
        // A field for files inside the dialog reports a cancelled choice by the same event.
        if (event.target !== event.currentTarget) return
        event.preventDefault()
        onClose()
      }}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose()
      }}
      className={cx(
        "m-auto max-h-[calc(100dvh-2rem)] w-[calc(100vw-1.5rem)] overflow-hidden rounded-xl bg-raised p-0 text-ink shadow-pop",
        "outline-none backdrop:bg-[rgb(10_10_16/0.45)]",
        className,
      )}
    >
      {children}
    </dialog>
  )
}

/** The title line of a dialog. */
export function DialogHeader({ title, onClose }: { title: string; onClose: () => void }) {
  return (
    <header className="flex h-11 shrink-0 items-center justify-between border-b border-line pr-2 pl-4">
      <h2 className="text-md font-semibold">{title}</h2>
      <IconButton label="Close" keys="Esc" onClick={onClose}>
        <X />
      </IconButton>
    </header>
  )
}
