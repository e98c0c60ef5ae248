import { useRef, useState } from "react"
import { useBackend } from "@/api/follow"
import type { RunShown } from "@/api/schema"
import { useKeys } from "@/ui/keys"
import { ApproverHint } from "./approver-hint"
import { isBusy } from "./in-words"
import { LivingRun } from "./living-run"
import { MessageBox } from "./message-box"
import { OpenElsewhere } from "./open-elsewhere"
import { Refusal } from "./refusal"
import { RunEnding } from "./run-ending"
import { SettingsButton } from "./run-settings"
import { SendButton } from "./send-button"
import type { Standing } from "./standing"
import { Tick } from "./tick"
import { useAct } from "./use-act"
import { useOutgoing } from "./use-outgoing"

/** The field below a conversation: for a message to its active agent, or for the first message of a resumed run. */
export function Talking({
  name,
  standing,
  onStarted,
}: {
  name: string
  standing: Standing
  onStarted: (run: RunShown) => void
}) {
  const backend = useBackend()
  const outgoing = useOutgoing(name)
  const acting = useAct()
  const field = useRef<HTMLTextAreaElement>(null)
  const [isOpen, setOpen] = useState(!outgoing.isEmpty)
  const [isFork, setFork] = useState(false)
  const [isLater, setLater] = useState(false)
  const [isSetting, setSetting] = useState(false)

  const run = standing.type === "ours" ? standing.run : null
  const mayOnlyFork = standing.type === "elsewhere"
  const canWait = run !== null && isBusy(run.state)

  const send = async () => {
    if (run !== null) {
      const taken = await outgoing.send((message) => backend.sendToRun(run.id, message), isLater && canWait)
      if (taken !== null) setLater(false)
      return
    }
    const is_fork = isFork || mayOnlyFork
    const started = await outgoing.send((message) => backend.resumeRun({ conversation: name, message, is_fork, at: null }))
    if (started === null) return
    setFork(false)
    onStarted(started)
  }
  const interrupt = () => {
    if (run !== null && canWait) void acting.act(() => backend.interruptRun(run.id))
  }
  const leave = () => {
    field.current?.blur()
    if (outgoing.isEmpty) setOpen(false)
  }
  const open = () => {
    setOpen(true)
    field.current?.focus()
  }
  useKeys({ m: open })

  return (
    <>
      {run === null ? null : (
        <LivingRun run={run} acting={acting} isSetting={isSetting} onInterrupt={interrupt} />
      )}
      {standing.type === "free" && standing.ended !== null ? <RunEnding run={standing.ended} /> : null}
      {mayOnlyFork ? <OpenElsewhere onFork={isOpen ? null : open} /> : null}
      {run === null && isOpen ? <ApproverHint /> : null}
      <Refusal trouble={outgoing.trouble ?? acting.trouble} />
      {mayOnlyFork && !isOpen ? null : (
        <MessageBox
          label={run === null ? "Message to go on with" : "Message to the agent"}
          placeholder={run === null ? (mayOnlyFork ? "Go on in a copy …" : "Resume this conversation …") : "Message the agent …"}
          outgoing={outgoing}
          sendsBy="enter"
          onSend={() => void send()}
          onEscape={canWait ? interrupt : leave}
          onFocus={() => setOpen(true)}
          field={field}
          isSmall={run === null && !isOpen && outgoing.isEmpty}
          autoFocus={mayOnlyFork}
        >
          {run === null ? (
            mayOnlyFork ? null : (
              <Tick label="As a fork" meaning="Continues in a copy; this conversation stays as it is" isOn={isFork} onFlip={setFork} />
            )
          ) : (
            <>
              <SettingsButton run={run} isOpen={isSetting} onOpen={() => setSetting(!isSetting)} />
              {canWait ? (
                <Tick label="Later" meaning="Waits for the end of the turn, even if the agent could look at it before" isOn={isLater} onFlip={setLater} />
              ) : null}
            </>
          )}
          <SendButton
            label={run !== null ? "Send" : isFork || mayOnlyFork ? "Fork" : "Resume"}
            isDisabled={outgoing.isEmpty}
            isSending={outgoing.isSending}
            onSend={() => void send()}
          />
        </MessageBox>
      )}
    </>
  )
}
