import { Link } from "@tanstack/react-router"
import { ArrowLeft } from "lucide-react"
import type { ReactNode } from "react"
import { seenLine } from "@/blocks/text/seen"
import { Button } from "@/ui/button"
import "./approvals.css"

/** The frame of the pages of rules and of budgets. */
export function ListFrame({ title, intro, children }: { title: string; intro: string; children: ReactNode }) {
  return (
    <div className="approvals-page">
      <div className="mx-auto flex max-w-3xl flex-col gap-6 px-4 py-5 md:px-5">
        <header className="flex flex-col gap-1">
          <Link to="/approvals" className="inline-flex items-center gap-1 self-start text-sm text-ink-2 hover:text-ink">
            <ArrowLeft aria-hidden className="size-4" />
            Approvals
          </Link>
          <h1 className="text-lg font-semibold">{title}</h1>
          <p className="text-ink-2">{intro}</p>
        </header>
        {children}
      </div>
    </div>
  )
}

interface WarningsProps {
  /** What is said before the reason why the whole file is wrong. */
  whole: string
  /** That reason; null if nothing is wrong with it. */
  trouble: string | null
  /** What is said before the reason why an entry does not count. */
  entry: string
  rejected: readonly string[]
}

/** What is wrong with the file of a list; nothing if it is as Chorus left it. */
export function Warnings({ whole, trouble, entry, rejected }: WarningsProps) {
  if (trouble === null && rejected.length === 0) return null
  return (
    <div role="alert" className="flex flex-col gap-1 rounded-lg bg-failed-soft px-3 py-2 text-failed">
      {trouble === null ? null : (
        <p className="break-words">
          {whole}: {seenLine(trouble)}
        </p>
      )}
      {rejected.map((reason) => (
        <p key={reason} className="break-words">
          {entry}: {seenLine(reason)}
        </p>
      ))}
    </div>
  )
}

interface RemovingProps {
  /** What follows from it. */
  words: string
  isBusy: boolean
  onRemove: () => void
  onLeave: () => void
}

/** Asks whether an entry is to be removed. */
export function Removing({ words, isBusy, onRemove, onLeave }: RemovingProps) {
  return (
    <div className="mt-1 flex flex-wrap items-center gap-2 rounded-md bg-interrupted-soft p-2">
      <span>Remove it? {words}</span>
      <Button size="sm" kind="primary" disabled={isBusy} onClick={onRemove}>
        Remove it
      </Button>
      <Button size="sm" onClick={onLeave}>
        Leave it
      </Button>
    </div>
  )
}
