import "./blocks.css"
import { BlockGuard } from "./block-guard"
import { Code } from "./code"
import { Diff } from "./diff"
import { Image } from "./image"
import { Json } from "./json"
import { Links } from "./links"
import { Note } from "./note"
import { Output } from "./output"
import { Plan } from "./plan"
import { Prose } from "./prose"
import { Question } from "./question"
import type { Block } from "./shapes"
import { Shell } from "./shell"
import { Thinking } from "./thinking"
import { Todos } from "./todos"
import { Unread } from "./unread"

/**
 * Renders any block. `at` identifies it in the conversation, so that what was opened stays open; `title` is the text
 * that is already shown above it.
 */
export function BlockView(props: { block: Block; at: string; title?: string }) {
  return (
    <BlockGuard of={props.block}>
      <Drawn {...props} />
    </BlockGuard>
  )
}

function Drawn({ block, at, title }: { block: Block; at: string; title?: string }) {
  switch (block.type) {
    case "prose":
      return <Prose block={block} />
    case "thinking":
      return <Thinking block={block} />
    case "code":
      return <Code block={block} at={at} />
    case "diff":
      return <Diff block={block} at={at} isTitled={block.path !== title} />
    case "shell":
      return <Shell block={block} at={at} />
    case "output":
      return <Output block={block} at={at} />
    case "todos":
      return <Todos block={block} />
    case "image":
      return <Image block={block} />
    case "json":
      return <Json block={block} at={at} />
    case "question":
      return <Question block={block} />
    case "plan":
      return <Plan block={block} />
    case "links":
      return <Links block={block} />
    case "note":
      return <Note block={block} at={at} />
    case "unread":
      return <Unread block={block} at={at} />
    default:
      block satisfies never
      return null
  }
}
