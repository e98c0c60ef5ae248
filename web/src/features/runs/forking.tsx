import { GitFork, X } from "lucide-react"
import { useRef } from "react"
import { useBackend } from "@/api/follow"
import type { RunShown } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { IconButton } from "@/ui/button"
import { ApproverHint } from "./approver-hint"
import { MessageBox } from "./message-box"
import { Refusal } from "./refusal"
import { SendButton } from "./send-button"
import { useOutgoing } from "./use-outgoing"

/** A message after which a copy of the conversation is to continue. */
export interface Fork {
  /** Its uuid. */
  at: string
  /** Its first words. */
  words: string
}

/** Continues in a copy of the conversation that ends with one of its messages. */
export function Forking({
  name,
  fork,
  onEnd,
  onStarted,
}: {
  name: string
  fork: Fork
  onEnd: () => void
  onStarted: (run: RunShown) => void
}) {
  const backend = useBackend()
  const outgoing = useOutgoing(`${name} ${fork.at}`)
  const field = useRef<HTMLTextAreaElement>(null)
  const send = async () => {
    const run = await outgoing.send((message) =>
      backend.resumeRun({ conversation: name, message, is_fork: true, at: fork.at }),
    )
    if (run !== null) onStarted(run)
  }
  return (
    <>
      <div className="flex min-h-7 items-center gap-1.5 text-sm text-ink-2">
        <GitFork aria-hidden className="size-3.5 shrink-0" />
        <p className="min-w-0 truncate">
          Fork after <span className="font-medium text-ink">“{seenLine(fork.words) || "this message"}”</span>
        </p>
        <IconButton label="Do not fork" keys="Esc" className="ml-auto size-6" onClick={onEnd}>
          <X />
        </IconButton>
      </div>
      <ApproverHint />
      <Refusal trouble={outgoing.trouble} />
      <MessageBox
        label="First message of the fork"
        placeholder="What the copy is to do from here on; this conversation stays as it is"
        outgoing={outgoing}
        sendsBy="enter"
        onSend={() => void send()}
        onEscape={onEnd}
        field={field}
        autoFocus
      >
        <SendButton label="Fork" isDisabled={outgoing.isEmpty} isSending={outgoing.isSending} onSend={() => void send()} />
      </MessageBox>
    </>
  )
}
