import { Download, Table2 } from "lucide-react"
import { type ReactNode, useId } from "react"

interface CardProps {
  title: string
  /** The chart; it is hidden from screen readers, because the table says the same. */
  chart?: ReactNode
  table: ReactNode
  csv?: string
  note?: string
}

/** A part of the page: a chart with the table behind it, or a table alone. */
export function ChartCard({ title, chart, table, csv, note }: CardProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-surface p-3 md:p-4">
      <div className="flex items-baseline gap-3">
        <h2 id={id} className="text-md font-semibold">
          {title}
        </h2>
        {csv === undefined ? null : (
          <a
            href={csv}
            download
            aria-label={`${title} as CSV`}
            className="ml-auto inline-flex items-center gap-1 text-sm text-ink-2 hover:text-ink [&_svg]:size-3.5"
          >
            <Download aria-hidden /> CSV
          </a>
        )}
      </div>
      {note === undefined ? null : <p className="text-sm text-ink-3">{note}</p>}
      {chart === undefined ? (
        table
      ) : (
        <>
          <div aria-hidden>{chart}</div>
          <details>
            <summary className="inline-flex list-none items-center gap-1 text-sm text-ink-2 hover:text-ink [&_svg]:size-3.5 [&::-webkit-details-marker]:hidden">
              <Table2 aria-hidden /> Table
              <span className="sr-only"> of {title}</span>
            </summary>
            <div className="pt-2">{table}</div>
          </details>
        </>
      )}
    </section>
  )
}
