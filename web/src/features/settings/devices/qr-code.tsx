/** A QR code from its rows: `1` is a dark module. It is dark on light in both themes, because cameras expect that. */
export function QrCode({ rows, label }: { rows: readonly string[]; label: string }) {
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${rows.length} ${rows.length}`} shapeRendering="crispEdges" className="aspect-square w-full max-w-72 rounded-lg">
      <rect width="100%" height="100%" fill="#fff" />
      <path d={darkPath(rows)} fill="#000" />
    </svg>
  )
}

/** One rectangle for each run of dark modules in a row. */
export function darkPath(rows: readonly string[]): string {
  return rows
    .flatMap((row, y) => Array.from(row.matchAll(/1+/g), ({ 0: { length }, index }) => `M${index} ${y}h${length}v1h-${length}z`))
    .join("")
}
