/** The styles of the message box, shared with its placeholder so that both look the same. */
export const MESSAGE_BOX =
  "rounded-xl border border-line-strong bg-surface transition-colors focus-within:border-focus focus-within:ring-2 focus-within:ring-focus/25"

export const MESSAGE_FIELD = "block w-full resize-none bg-transparent px-3 text-lg outline-none placeholder:text-ink-3 sm:text-md"

/** For a single line with nothing next to it. */
export const MESSAGE_FIELD_SMALL = `${MESSAGE_FIELD} py-1.5`
