import type { MessageRow, PageRow } from "@/api/schema"
import { BlockView } from "@/blocks/block-view"
import { TextBlock } from "./text-block"
import { ThinkingBlock } from "./thinking-block"
import { ToolUseBlock } from "./tool-use-block"

/** The pieces of a message in order. */
export function ContentBlocks({ message, row }: { message: MessageRow; row: PageRow }) {
  return message.pieces.map((piece, index) => {
    const at = `${message.id}/${index}`
    switch (piece.type) {
      case "call":
        return <ToolUseBlock key={at} call={piece} row={row} />
      case "thinking":
        return <ThinkingBlock key={at} block={piece} at={at} />
      case "prose":
        return <TextBlock key={at} block={piece} isTyped={message.author !== "model"} />
      default:
        return <BlockView key={at} block={piece} at={at} />
    }
  })
}
