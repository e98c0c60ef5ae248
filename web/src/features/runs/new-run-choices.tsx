import { type ReactNode, useId } from "react"
import type { AgentShown, Place } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { cx } from "@/ui/cx"
import { tip } from "@/ui/tooltip"
import { type Choices, modesFor, placesNamed } from "./choices"
import { agentInWords } from "./in-words"
import { AddFolder } from "./add-folder"
import { ModelChoice } from "./model-choice"
import { FIELD } from "./model-field"

/** A select element indents its text by default: less padding aligns it with the other fields. */
const SELECT = "px-1!"

/** The place, the agent, the model, and what it may do without asking. */
export function NewRunChoices({
  places,
  models,
  modes,
  place,
  agent,
  choices,
  onChoose,
}: {
  places: readonly Place[]
  /** Names of models that occur in the data. */
  models: readonly string[]
  /** The modes that this login may choose. */
  modes: readonly string[]
  place: Place | null
  agent: AgentShown | null
  choices: Choices
  onChoose: (change: Partial<Choices>) => void
}) {
  const id = useId()
  const folder = seenLine(place?.folder ?? "")
  return (
    <div className="grid grid-cols-1 gap-x-4 gap-y-3 sm:grid-cols-2">
      <Choice
        label="Folder"
        htmlFor={`${id}-place`}
        hint={folder}
        more={<AddFolder places={places} onAdded={(added) => onChoose({ place: added, agent: "" })} />}
        isWide={(place?.agents.length ?? 0) === 0}
      >
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
            <option value="">No agent: a plain session</option>
            {place.agents.map((each) => (
              <option key={each.name} value={each.name}>
                {agentInWords(each)}
              </option>
            ))}
          </select>
        </Choice>
      )}
      <Choice label="Model" htmlFor={`${id}-model`}>
        <ModelChoice
          id={`${id}-model`}
          models={models}
          value={choices.model}
          usual={agent?.model ? `${seenLine(agent.model)}, as set up` : "The client’s usual model"}
          onChange={(model) => onChoose({ model })}
        />
      </Choice>
      <fieldset className="flex min-w-0 flex-col gap-1 sm:col-span-2">
        <legend className="mb-1 text-sm text-ink-2">What it may do without asking</legend>
        {modesFor(agent, modes).map(({ value, label, hint }) => (
          <div key={value} className="flex items-start gap-2 rounded-md px-2 py-1 has-checked:bg-accent-soft">
            <input
              id={`${id}-${value}`}
              type="radio"
              name={`${id}-mode`}
              aria-describedby={`${id}-${value}-hint`}
              className="mt-1 shrink-0"
              checked={choices.mode === value}
              onChange={() => onChoose({ mode: value })}
            />
            <p className="min-w-0">
              <label htmlFor={`${id}-${value}`} className="font-medium">
                {label}
              </label>{" "}
              <span id={`${id}-${value}-hint`} className="text-ink-2">
                {hint}
              </span>
            </p>
          </div>
        ))}
      </fieldset>
    </div>
  )
}

interface ChoiceProps {
  label: string
  htmlFor?: string
  hint?: string
  /** Shown below the choices. */
  more?: ReactNode
  isWide?: boolean
  children: ReactNode
}

function Choice({ label, htmlFor, hint = "", more = null, isWide = false, children }: ChoiceProps) {
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
      {more}
    </div>
  )
}
