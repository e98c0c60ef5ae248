import { type ReactNode, useId } from "react"
import type { AgentShown, Place } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { cx } from "@/ui/cx"
import { Segments } from "@/ui/segments"
import { tip } from "@/ui/tooltip"
import { type Choices, modesFor, placesNamed } from "./choices"
import { agentInWords } from "./in-words"
import { FIELD, ModelField } from "./model-field"

/** A list sets its words in by itself: so much less, and they stand below those of the other fields. */
const SELECT = "px-1!"

/** Where, as whom, with which model, and how much it may do before it asks. */
export function NewRunChoices({
  places,
  place,
  agent,
  choices,
  onChoose,
}: {
  places: readonly Place[]
  place: Place | null
  agent: AgentShown | null
  choices: Choices
  onChoose: (change: Partial<Choices>) => void
}) {
  const id = useId()
  const folder = seenLine(place?.folder ?? "")
  return (
    <div className="grid grid-cols-1 gap-x-4 gap-y-3 sm:grid-cols-2">
      <Choice label="Folder" htmlFor={`${id}-place`} hint={folder} isWide={(place?.agents.length ?? 0) === 0}>
        <select
          id={`${id}-place`}
          value={choices.place}
          className={cx(FIELD, SELECT, "w-full")}
          {...tip(folder)}
          onChange={(event) => onChoose({ place: event.target.value, agent: "" })}
        >
          {placesNamed(places).map((group) => (
            <optgroup key={group.title} label={group.title}>
              {group.places.map((each) => (
                <option key={each.place.id} value={each.place.id} title={seenLine(each.place.folder)}>
                  {each.name}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </Choice>
      {place === null || place.agents.length === 0 ? null : (
        <Choice label="Agent" htmlFor={`${id}-agent`}>
          <select
            id={`${id}-agent`}
            value={choices.agent}
            className={cx(FIELD, SELECT, "w-full")}
            onChange={(event) => onChoose({ agent: event.target.value, mode: "usual" })}
          >
            <option value="">Nobody in particular</option>
            {place.agents.map((each) => (
              <option key={each.name} value={each.name}>
                {agentInWords(each)}
              </option>
            ))}
          </select>
        </Choice>
      )}
      <Choice label="Model">
        <ModelField
          label="Model"
          value={choices.model}
          placeholder={agent?.model ? `${seenLine(agent.model)}, as set up` : "as usual"}
          className="w-full"
          onChange={(model) => onChoose({ model })}
        />
      </Choice>
      <Choice label="Mode">
        <div className="flex min-h-8 items-center">
          <Segments
            label="Mode"
            value={choices.mode}
            options={modesFor(agent)}
            onChange={(mode) => onChoose({ mode })}
          />
        </div>
      </Choice>
    </div>
  )
}

interface ChoiceProps {
  label: string
  htmlFor?: string
  hint?: string
  isWide?: boolean
  children: ReactNode
}

function Choice({ label, htmlFor, hint = "", isWide = false, children }: ChoiceProps) {
  return (
    <div className={cx("flex min-w-0 flex-col gap-1", isWide && "sm:col-span-2")}>
      {htmlFor === undefined ? (
        <span aria-hidden className="text-sm text-ink-2">
          {label}
        </span>
      ) : (
        <label htmlFor={htmlFor} className="text-sm text-ink-2">
          {label}
        </label>
      )}
      {children}
      {hint === "" ? null : <p className="font-mono text-sm break-all text-ink-3">{hint}</p>}
    </div>
  )
}
