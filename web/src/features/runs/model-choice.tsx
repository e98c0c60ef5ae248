import { useState } from "react"
import { seenLine } from "@/blocks/text/seen"
import { modelName } from "@/parts/model-name"
import { cx } from "@/ui/cx"
import { USUAL_MODELS } from "./choices"
import { FIELD } from "./model-field"

/** No model has this name: the client accepts no name with a space. */
const OTHER = "another model"

/** Selects a model from a list: names of the client, names seen in the data, or a typed one. */
export function ModelChoice({
  id,
  models,
  value,
  usual,
  onChange,
}: {
  id: string
  models: readonly string[]
  value: string
  /** The model that is used if none is chosen. */
  usual: string
  onChange: (model: string) => void
}) {
  const [isWritten, setWritten] = useState(false)
  const isListed = value === "" || models.includes(value) || USUAL_MODELS.some((each) => each === value)
  const isOther = isWritten || !isListed
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <select
        id={id}
        value={isOther ? OTHER : value}
        className={cx(FIELD, "w-full px-1!")}
        onChange={(event) => {
          const chosen = event.target.value
          setWritten(chosen === OTHER)
          onChange(chosen === OTHER ? "" : chosen)
        }}
      >
        <option value="">{usual}</option>
        <optgroup label="Names of the client">
          {USUAL_MODELS.map((model) => (
            <option key={model} value={model}>
              {model}
            </option>
          ))}
        </optgroup>
        {models.length === 0 ? null : (
          <optgroup label="Seen in your sessions">
            {models.map((model) => (
              <option key={model} value={model}>
                {seenLine(modelName(model)) === seenLine(model) ? seenLine(model) : `${seenLine(modelName(model))} (${seenLine(model)})`}
              </option>
            ))}
          </optgroup>
        )}
        <option value={OTHER}>Another model …</option>
      </select>
      {isOther ? (
        <input
          aria-label="Name of the model"
          autoFocus={isWritten}
          value={value}
          maxLength={200}
          placeholder="Name of the model"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          className={cx(FIELD, "w-full")}
          onChange={(event) => onChange(event.target.value)}
        />
      ) : null}
    </div>
  )
}
