import { CopyButton } from "@/ui/copy-button"
import { CodeLines } from "./code-lines"
import { useHighlighted } from "./highlight/use-highlighted"
import { seenLine } from "./text/seen"

/** A block of code inside prose. */
export function Fence({ text, language }: { text: string; language: string }) {
  const lines = useHighlighted(text, language)
  return (
    <div className="box group/box">
      {language ? <div className="box-label">{seenLine(language)}</div> : null}
      <CopyButton text={text} label="Copy code" className="box-copy" />
      <CodeLines lines={lines} label={language ? `Code in ${seenLine(language)}` : "Code"} />
    </div>
  )
}
