import { Play } from "lucide-react"
import { useRef, useState } from "react"
import { useBackend } from "@/api/follow"
import type { Place, RunShown } from "@/api/schema"
import { Button } from "@/ui/button"
import { Kbd, keyName } from "@/ui/kbd"
import { recalled, remember } from "@/ui/remembered"
import { ApproverHint } from "./approver-hint"
import { agentOf, askedOf, type Choices, modesFor, placeOf } from "./choices"
import { keepBegun } from "./drafts"
import { MessageBox } from "./message-box"
import { NewRunChoices } from "./new-run-choices"
import { Refusal } from "./refusal"
import { useOutgoing } from "./use-outgoing"

const LAST_PLACE = "place"

interface FormProps {
  places: readonly Place[]
  models: readonly string[]
  /** The modes that this login may choose. */
  modes: readonly string[]
  /** Whether an agent can be started at all. */
  isAble: boolean
  /** The place that the address names. */
  wish: string | null
  onStarted: (run: RunShown) => void
}

export function NewRunForm({ places, models, modes, isAble, wish, onStarted }: FormProps) {
  const backend = useBackend()
  const outgoing = useOutgoing("new")
  const field = useRef<HTMLTextAreaElement>(null)
  const [wished, setWished] = useState<Choices>({ place: "", agent: "", model: "", mode: "usual" })

  // Places and agents may appear and disappear while somebody types: the choice is limited to those that exist.
  const place = placeOf(places, wished.place, wish, recalled(LAST_PLACE))
  const agent = agentOf(place, wished.agent)
  const mode = modesFor(agent, modes).find(({ value }) => value === wished.mode)?.value ?? "usual"
  const choices = { ...wished, place: place?.id ?? "", agent: agent?.name ?? "", mode }

  const start = async () => {
    if (!isAble) return
    const { text } = outgoing
    const run = await outgoing.send((message) => backend.startRun(askedOf(choices, message)))
    if (run === null) return
    keepBegun(run.id, text)
    remember(LAST_PLACE, choices.place)
    onStarted(run)
  }

  return (
    <form
      className="flex flex-col gap-4"
      aria-busy={outgoing.isSending}
      onSubmit={(event) => {
        event.preventDefault()
        void start()
      }}
    >
      <MessageBox
        label="What is to be done"
        placeholder="What is to be done? Pictures can be pasted or dropped."
        outgoing={outgoing}
        sendsBy="mod+enter"
        onSend={() => void start()}
        field={field}
        lines={6}
        autoFocus
      />
      <NewRunChoices
        places={places}
        models={models}
        modes={modes}
        place={place}
        agent={agent}
        choices={choices}
        onChoose={(change) => setWished((before) => ({ ...before, ...change }))}
      />
      <ApproverHint />
      <Refusal trouble={outgoing.trouble} />
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" kind="primary" className="h-8 px-4" disabled={!isAble || outgoing.isEmpty || outgoing.isSending}>
          <Play aria-hidden />
          {outgoing.isSending ? "Starting …" : "Start"}
        </Button>
        <span className="text-sm text-ink-3 max-sm:hidden">
          <Kbd>{keyName("mod+Enter")}</Kbd> starts
        </span>
        <p className="text-sm text-ink-3 sm:ml-auto">It asks you here before it does anything else.</p>
      </div>
    </form>
  )
}
