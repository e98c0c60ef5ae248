import type { MessageRow, PageRow } from "@/api/schema"
import { SeenText } from "@/blocks/seen-text"
import { OctagonX } from "lucide-react"
import { cx } from "@/ui/cx"
import { isPrompt } from "@/parts/authors"
import { ContentBlocks } from "./content-blocks"
import { MessageHeader } from "./message-header"

/** A message with its calls. `isContinued`: the header of the message before applies to it, too. */
export function Message({ message, row, isContinued }: { message: MessageRow; row: PageRow; isContinued: boolean }) {
  return (
    <div
      className={cx("message", isPrompt(message.author) && "prompt", message.is_abandoned && "abandoned")}
      data-author={message.author}
    >
      {isContinued ? null : <MessageHeader row={message} />}
      <div className="message-body">
        <ContentBlocks message={message} row={row} />
        {message.error ? (
          <p className="error-card" role="note">
            <OctagonX aria-hidden />
            <span className="min-w-0 break-words whitespace-pre-wrap">
              <SeenText text={message.error} />
            </span>
          </p>
        ) : null}
      </div>
    </div>
  )
}

/** Whether a message needs no header: it has the same author as the one before, and nothing about it is unusual. */
export function isContinued(row: PageRow, before: PageRow | undefined): boolean {
  if (row.row.type !== "message" || before?.row.type !== "message") return false
  const [message, last] = [row.row, before.row]
  return (
    message.author === "model" &&
    last.author === "model" &&
    message.model === last.model &&
    message.is_abandoned === last.is_abandoned &&
    !message.is_queued &&
    !message.is_partial &&
    !message.is_unfinished &&
    message.error === null &&
    (message.stop_reason === null || message.stop_reason === "tool_use" || message.stop_reason === "end_turn")
  )
}
