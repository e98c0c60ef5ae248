import type { ReactNode } from "react"

interface TableProps {
  caption: string
  head: readonly string[]
  /** The cells of each row; the first one names the row. */
  rows: readonly { key: string; cells: readonly ReactNode[] }[]
  foot?: readonly ReactNode[]
}

/** A table of figures. On a narrow page it scrolls by itself. */
export function FiguresTable({ caption, head, rows, foot }: TableProps) {
  return (
    // A region that scrolls must be reachable with the keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div role="region" aria-label={caption} tabIndex={0} className="max-h-96 overflow-auto">
      <table className="w-full text-sm tabular-nums">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr>
            {head.map((name, n) => (
              <th
                key={name}
                scope="col"
                className={
                  n === 0
                    ? "sticky top-0 bg-surface py-1 pr-3 text-left font-medium whitespace-nowrap text-ink-3"
                    : "sticky top-0 bg-surface px-2 py-1 text-right font-medium whitespace-nowrap text-ink-3"
                }
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key} className="border-t border-line">
              <Cells cells={cells} />
            </tr>
          ))}
        </tbody>
        {foot === undefined ? null : (
          <tfoot>
            <tr className="border-t border-line-strong font-medium">
              <Cells cells={foot} />
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  )
}

function Cells({ cells }: { cells: readonly ReactNode[] }) {
  const [first, ...rest] = cells
  return (
    <>
      <th scope="row" className="max-w-96 truncate py-1 pr-3 text-left font-normal">
        {first}
      </th>
      {rest.map((cell, n) => (
        // oxlint-disable-next-line react/no-array-index-key
        <td key={n} className="px-2 py-1 text-right whitespace-nowrap">
          {cell}
        </td>
      ))}
    </>
  )
}
