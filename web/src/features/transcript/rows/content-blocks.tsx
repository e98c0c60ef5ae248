import type { MessageRow, PageRow } from "@/api/schema"
import { BlockGuard } from "@/blocks/block-guard"
import { BlockView } from "@/blocks/block-view"
import { TextBlock } from "./text-block"
import { ThinkingBlock } from "./thinking-block"
import { ToolUseBlock } from "../calls/tool-use-block"

/** The pieces of a message in order; if one fails to render, the others stay. */
export function ContentBlocks({ message, row }: { message: MessageRow; row: PageRow }) {
  return message.pieces.map((piece, index) => {
    const at = `${message.id}/${index}`
    return (
      <BlockGuard key={at} of={piece}>
        <Piece piece={piece} at={at} row={row} isTyped={message.author !== "model"} />
      </BlockGuard>
    )
  })
}

function Piece({ piece, at, row, isTyped }: { piece: MessageRow["pieces"][number]; at: string; row: PageRow; isTyped: boolean }) {
  switch (piece.type) {
    case "call":
      return <ToolUseBlock call={piece} row={row} />
    case "thinking":
      return <ThinkingBlock block={piece} at={at} />
    case "prose":
      return <TextBlock block={piece} isTyped={isTyped} />
    default:
      return <BlockView block={piece} at={at} />
  }
}
