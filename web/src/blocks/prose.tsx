import { ImageOff } from "lucide-react"
import { memo, type ComponentProps, type ReactNode } from "react"
import Markdown, { type Components } from "react-markdown"
import { cx } from "@/ui/cx"
import { SafeLink } from "@/ui/safe-link"
import { CutChars } from "./cut-chars"
import { Fence } from "./fence"
import { LONGEST, rehypePlugins, remarkPlugins } from "./markdown"
import type { ProseBlock } from "./shapes"
import { hostOf, otherHost } from "./text/addresses"
import { isKnotty } from "./text/knots"
import { seenInProse } from "./text/seen"

/** Markdown text of a person or a model. */
export function Prose({ block, className }: { block: ProseBlock; className?: string }) {
  return (
    <>
      <MarkdownText text={block.markdown} className={className} />
      <CutChars chars={block.cut_chars} />
    </>
  )
}

/** Markdown as elements; HTML in it is shown as text, links are checked, images are not loaded. */
export const MarkdownText = memo(function MarkdownText({ text, className }: { text: string; className?: string }) {
  if (text.length > LONGEST || isKnotty(text)) {
    return <div className={cx("prose unformatted", className)}>{seenInProse(text)}</div>
  }
  return (
    <div className={cx("prose", className)} dir="auto">
      <Markdown
        remarkPlugins={remarkPlugins}
        rehypePlugins={rehypePlugins}
        components={components}
        urlTransform={(url) => url}
      >
        {seenInProse(text)}
      </Markdown>
    </div>
  )
})

const components: Components = {
  a: ({ href, children }) => {
    const elsewhere = href ? otherHost(wordsOf(children), href) : null
    return (
      <>
        <SafeLink href={href ?? ""}>{children}</SafeLink>
        {elsewhere === null ? null : <span className="text-sm text-waiting"> (leads to {elsewhere})</span>}
      </>
    )
  },
  img: (props) => <RemoteImage {...props} />,
  pre: ({ children }) => <>{children}</>,
  code: ({ className, children }) => {
    const text = wordsOf(children)
    // Only a code fence ends with a line feed.
    if (!text.endsWith("\n")) return <code dir="ltr">{children}</code>
    return <Fence text={text.slice(0, -1)} language={/language-(\S+)/.exec(className ?? "")?.[1] ?? ""} />
  },
  table: ({ children }) => (
    <div className="table-box" tabIndex={0} role="group" aria-label="Table">
      <table>{children}</table>
    </div>
  ),
  // A heading in a message is not a heading of the page.
  h1: ({ children }) => <p className="h h1">{children}</p>,
  h2: ({ children }) => <p className="h h2">{children}</p>,
  h3: ({ children }) => <p className="h h3">{children}</p>,
  h4: ({ children }) => <p className="h h4">{children}</p>,
  h5: ({ children }) => <p className="h h4">{children}</p>,
  h6: ({ children }) => <p className="h h4">{children}</p>,
  input: ({ checked }) => (
    <input type="checkbox" checked={checked ?? false} disabled readOnly aria-label={checked ? "done" : "not done"} />
  ),
}

function RemoteImage({ alt, ...rest }: ComponentProps<"img"> & { "data-source"?: string }) {
  const source = rest["data-source"] ?? ""
  return (
    <span className="remote-image">
      <ImageOff aria-hidden />
      <span className="min-w-0 truncate">
        {alt ? `${alt} · ` : ""}image from {hostOf(source)}, not loaded
      </span>
    </span>
  )
}

function wordsOf(children: ReactNode): string {
  if (typeof children === "string" || typeof children === "number") return String(children)
  if (Array.isArray(children)) return children.map(wordsOf).join("")
  return ""
}
