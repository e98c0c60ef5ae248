import { Braces, Check, Ellipsis, FileText, GitFork, Heading, Link } from "lucide-react"
import { useEffect, useState } from "react"
import { useIsExported } from "@/api/follow"
import type { PageRow } from "@/api/schema"
import { Menu, MenuItem } from "@/ui/menu"
import { copyOf } from "./copies"
import { forkPoint } from "./fork-point"
import { MessageFacts } from "./message-header"
import { useTranscript } from "../transcript-context"

/** How long "Copied" is shown before the menu closes. */
const SEEN_MS = 1000

/** The actions of a row: a button in the margin, so that it covers no text, that opens a menu. */
export function RowActions({
  row,
  isContinued,
  isCopied,
}: {
  row: PageRow
  isContinued: boolean
  /** Whether its link was just copied, by keyboard. */
  isCopied: boolean
}) {
  return (
    <div className="row-actions" role="group" aria-label="Row">
      <Menu label="Actions" icon={isCopied ? <Check className="text-running" /> : <Ellipsis />}>
        {(close) => <Actions row={row} isContinued={isContinued} onDone={close} />}
      </Menu>
      {isCopied ? (
        <span role="status" className="sr-only">
          Link copied
        </span>
      ) : null}
    </div>
  )
}

function Actions({ row, isContinued, onDone }: { row: PageRow; isContinued: boolean; onDone: () => void }) {
  const { addressOf, fork, openRaw } = useTranscript()
  const [copied, setCopied] = useState<string | null>(null)
  const [trouble, setTrouble] = useState(false)
  const { id } = row.row
  const isExported = useIsExported()

  useEffect(() => {
    if (copied === null) return
    const timer = window.setTimeout(onDone, SEEN_MS)
    return () => window.clearTimeout(timer)
  }, [copied, onDone])

  const copy = async (what: string, text: string) => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(what)
    } catch {
      setTrouble(true)
    }
  }
  const act = (what: () => void) => {
    onDone()
    what()
  }
  return (
    <>
      {isContinued && row.row.type === "message" ? (
        <div className="flex px-2 py-1">
          <MessageFacts row={row.row} />
        </div>
      ) : null}
      {[
        ...(isExported ? [] : [{ label: "Copy link", keys: "Y", icon: <Link />, text: () => addressOf(id) }]),
        { label: "Copy as Markdown", icon: <Heading />, text: () => copyOf(row.row, "markdown") },
        { label: "Copy as text", icon: <FileText />, text: () => copyOf(row.row, "text") },
      ].map(({ label, keys, icon, text }) => (
        <MenuItem
          key={label}
          label={copied === label ? "Copied" : label}
          icon={copied === label ? <Check /> : icon}
          {...(keys === undefined ? {} : { keys })}
          onClick={() => void copy(label, text())}
        />
      ))}
      {isExported || forkPoint(row) === null ? null : (
        <MenuItem label="Fork from here" keys="F" icon={<GitFork />} onClick={() => act(() => fork(row))} />
      )}
      {!isExported && Object.keys(row.places).length > 0 ? (
        <MenuItem label="Raw record" keys="R" icon={<Braces />} onClick={() => act(() => openRaw(row, id))} />
      ) : null}
      {trouble ? (
        <p role="alert" className="px-2 py-1 text-sm text-failed">
          The browser refused to copy
        </p>
      ) : null}
    </>
  )
}
