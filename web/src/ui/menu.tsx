import { type ReactNode, useCallback, useEffect, useRef, useState } from "react"
import { IconButton } from "./button"
import { placed } from "./place"

/**
 * A button that opens a list of actions above everything else. It is the popover of the browser: a press elsewhere or
 * Escape closes it, and the focus returns.
 */
export function Menu({
  label,
  icon,
  className,
  children,
}: {
  label: string
  icon: ReactNode
  className?: string
  /** The actions, created when the menu opens; they can close it. */
  children: (close: () => void) => ReactNode
}) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLSpanElement>(null)
  const panel = useRef<HTMLDivElement>(null)

  // The browser reports later that it hid the menu: until then, a press of the button would count as closing it.
  const close = useCallback(() => {
    panel.current?.hidePopover()
    setOpen(false)
  }, [])

  useEffect(() => {
    const element = panel.current
    const anchor = button.current
    if (!isOpen || element === null || anchor === null) return
    element.showPopover()
    const room = { width: window.innerWidth, height: window.innerHeight }
    const { left, top } = placed(anchor.getBoundingClientRect(), element.getBoundingClientRect(), room)
    element.style.left = `${left}px`
    element.style.top = `${top}px`
    element.querySelector("button")?.focus()
    // Escape only closes the menu: the page has its own use for it.
    const escaped = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return
      event.stopPropagation()
      close()
      anchor.querySelector("button")?.focus()
    }
    element.addEventListener("keydown", escaped)
    return () => element.removeEventListener("keydown", escaped)
  }, [isOpen, close])

  return (
    <>
      <span ref={button} className={className}>
        <IconButton label={label} aria-haspopup="true" aria-expanded={isOpen} className="size-6" onClick={() => setOpen(!isOpen)}>
          {icon}
        </IconButton>
      </span>
      {isOpen ? (
        <div
          ref={panel}
          popover="auto"
          role="group"
          aria-label={label}
          className="m-0 flex-col gap-px rounded-lg border border-line bg-raised p-1 text-base text-ink shadow-pop [&:popover-open]:flex"
          onToggle={(event) => {
            if (event.newState === "closed") setOpen(false)
          }}
        >
          {children(close)}
        </div>
      ) : null}
    </>
  )
}

/** One action of a menu, with its icon and its key. */
export function MenuItem({
  label,
  icon,
  keys,
  onClick,
}: {
  label: string
  icon: ReactNode
  keys?: string
  onClick: () => void
}) {
  return (
    <button
      type="button"
      className="flex h-7 items-center gap-2 rounded-md px-2 text-left pointer-coarse:min-h-11 whitespace-nowrap hover:bg-hover focus-visible:bg-hover [&_svg]:size-4 [&_svg]:text-ink-3"
      onClick={onClick}
    >
      {icon}
      <span className="flex-1">{label}</span>
      {keys === undefined ? null : (
        <kbd aria-hidden className="pl-3 font-mono text-xs text-ink-3">
          {keys}
        </kbd>
      )}
    </button>
  )
}
