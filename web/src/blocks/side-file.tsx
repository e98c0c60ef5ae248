import { Download } from "lucide-react"
import { useMemo, useState } from "react"
import { Button } from "@/ui/button"
import { AnsiLines } from "./ansi-text"
import type { SideFile, TextPiece } from "./shapes"
import { useBlockSource } from "./source"
import { ansiLines } from "./text/ansi"
import { size } from "./text/figures"
import { seenLine } from "./text/seen"

/** The full text of a long output, loaded from its side file in parts. */
export function SideFileText({ file }: { file: SideFile }) {
  const source = useBlockSource()
  const [pieces, setPieces] = useState<TextPiece[]>([])
  const [state, setState] = useState<"ready" | "loading" | "failed">("ready")
  const text = useMemo(() => pieces.map((piece) => piece.text).join(""), [pieces])
  const lines = useMemo(() => (text ? ansiLines(text) : []), [text])
  const name = `tool-results/${seenLine(file.name)}`

  if (file.size_bytes === null) return <p className="side-file">The full output, {name}, is missing.</p>

  const last = pieces[pieces.length - 1]
  const next = last === undefined ? 0 : last.next

  const load = async () => {
    if (next === null) return
    setState("loading")
    try {
      const piece = await source.sideFile(file.name, next)
      setPieces((before) => [...before, piece])
      setState("ready")
    } catch {
      setState("failed")
    }
  }

  return (
    <div className="side-file">
      <div className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 break-all">
          Full output: {size(file.size_bytes)} in {name}
        </span>
        {next === null ? null : (
          <Button size="sm" disabled={state === "loading"} onClick={() => void load()}>
            {state === "loading" ? "Loading…" : last === undefined ? "Load" : "Load more"}
          </Button>
        )}
        <a className="inline-flex items-center gap-1 text-accent" href={source.sideFileAddress(file.name)} download>
          <Download aria-hidden className="size-3.5" />
          Download
        </a>
        {state === "failed" ? <span className="text-failed">That failed. Try again.</span> : null}
      </div>
      {lines.length > 0 ? (
        <pre className="code-box output tall" tabIndex={0} role="group" aria-label={name}>
          <AnsiLines lines={lines} />
        </pre>
      ) : null}
    </div>
  )
}
