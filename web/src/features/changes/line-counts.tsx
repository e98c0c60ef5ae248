/** How many lines were added and removed; nothing for a file that is no text. */
export function LineCounts({ added, removed }: { added: number | null; removed: number | null }) {
  if (added === null || removed === null) return <span className="text-sm text-ink-3">no text</span>
  return (
    <span className="flex shrink-0 gap-1.5 text-sm tabular-nums">
      {added === 0 ? null : (
        <span className="text-added">
          <span className="sr-only">added </span>+{added}
        </span>
      )}
      {removed === 0 ? null : (
        <span className="text-removed">
          <span className="sr-only">removed </span>−{removed}
        </span>
      )}
    </span>
  )
}
