import type { ReactNode } from "react"
import { type Choices, FORMATS } from "./choices"

type OnChoices = (choices: Choices) => void

/** The format of an export, and the part of the conversation that it contains. */
export function ShareOptions({ choices, onChoices }: { choices: Choices; onChoices: OnChoices }) {
  const put = (change: Partial<Choices>) => onChoices({ ...choices, ...change })
  return (
    <div className="flex flex-col gap-3">
      <fieldset className="flex flex-col gap-1">
        <legend className="text-sm font-medium text-ink-2">Format</legend>
        <div className="grid gap-1 sm:grid-cols-2">
          {FORMATS.map(({ value, label, hint }) => (
            <label key={value} className="flex items-baseline gap-2 rounded-md border border-line px-2.5 py-1.5 has-checked:border-line-strong has-checked:bg-selected">
              <input type="radio" name="format" value={value} checked={choices.format === value} onChange={() => put({ format: value })} />
              <span className="font-medium">{label}</span>
              <span className="text-sm text-ink-2">{hint}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <fieldset className="flex flex-col gap-1">
        <legend className="text-sm font-medium text-ink-2">What is in it</legend>
        <div className="flex flex-wrap gap-x-4 gap-y-1">
          <Tick isOn={choices.hasToolOutput} onTick={(hasToolOutput) => put({ hasToolOutput })}>
            Output of tools
          </Tick>
          <Tick isOn={choices.hasThinking} onTick={(hasThinking) => put({ hasThinking })}>
            Thinking
          </Tick>
          <Tick isOn={choices.hasImages} onTick={(hasImages) => put({ hasImages })}>
            Images
          </Tick>
          <Tick isOn={!choices.isMainOnly} onTick={(isOn) => put({ isMainOnly: !isOn })}>
            Sub-agents
          </Tick>
          <Tick isOn={choices.isRedacted} onTick={(isRedacted) => put({ isRedacted })}>
            Hide secrets and names
          </Tick>
        </div>
        <div className="flex flex-wrap gap-3">
          <Moment label="From" value={choices.since} onValue={(since) => put({ since })} />
          <Moment label="To" value={choices.until} onValue={(until) => put({ until })} />
        </div>
      </fieldset>
    </div>
  )
}

function Tick({ isOn, onTick, children }: { isOn: boolean; onTick: (isOn: boolean) => void; children: ReactNode }) {
  return (
    <label className="flex items-center gap-1.5">
      <input type="checkbox" checked={isOn} onChange={(event) => onTick(event.target.checked)} />
      {children}
    </label>
  )
}

function Moment({ label, value, onValue }: { label: string; value: string; onValue: (value: string) => void }) {
  return (
    <label className="flex items-center gap-2">
      <span className="text-sm text-ink-2">{label}</span>
      <input
        type="datetime-local"
        className="rounded-md border border-line-strong bg-surface px-2 py-1"
        value={value}
        onChange={(event) => onValue(event.target.value)}
      />
    </label>
  )
}
