/** Several voices side by side, one of them raised. */
export function Logo() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden className="size-5" fill="none" strokeLinecap="round" strokeWidth="3.6">
      <path className="stroke-brand" d="M8 12v8" />
      <path className="stroke-ink" d="M16 6v20" />
      <path className="stroke-ink" d="M24 10v12" />
    </svg>
  )
}
