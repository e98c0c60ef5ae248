import { type ReactNode, useState } from "react"
import {
  clock,
  density,
  type Density,
  preferred,
  putClock,
  putDensity,
  putPreferred,
  putTextSize,
  type Shown,
  type TextSize,
  textSize,
} from "@/ui/preferences"
import { Segments } from "@/ui/segments"
import { Section } from "./section"

export type Theme = "system" | "light" | "dark"

/** How this browser shows things. */
export function ReaderSettings({ theme, onTheme }: { theme: Theme; onTheme: (theme: Theme) => void }) {
  const [size, setSize] = useState(textSize)
  const [room, setRoom] = useState(density)
  return (
    <Section title="This browser">
      <p className="text-sm text-ink-2">These choices are kept in this browser and sent nowhere.</p>
      <Line label="Theme">
        <Segments
          label="Theme"
          value={theme}
          options={[
            { value: "system", label: "System" },
            { value: "light", label: "Light" },
            { value: "dark", label: "Dark" },
          ]}
          onChange={onTheme}
        />
      </Line>
      <Line label="Text size">
        <Segments<TextSize>
          label="Text size"
          value={size}
          options={[
            { value: "small", label: "Small" },
            { value: "normal", label: "Normal" },
            { value: "large", label: "Large" },
            { value: "larger", label: "Larger" },
          ]}
          onChange={(chosen) => {
            putTextSize(chosen)
            setSize(chosen)
          }}
        />
      </Line>
      <Line label="Density">
        <Segments<Density>
          label="Density"
          value={room}
          options={[
            { value: "comfortable", label: "Comfortable" },
            { value: "compact", label: "Compact" },
          ]}
          onChange={(chosen) => {
            putDensity(chosen)
            setRoom(chosen)
          }}
        />
      </Line>
      <Line label="Time format">
        <Segments
          label="Time format"
          value={clock()}
          options={[
            { value: "system", label: "System" },
            { value: "24", label: "24 hours" },
            { value: "12", label: "12 hours" },
          ]}
          onChange={putClock}
        />
      </Line>
      <Line label="Transcripts show">
        <span className="flex flex-col gap-1">
          <Tick what="thinking" label="Thinking, opened" />
          <Tick what="internal" label="Internal records of the client" />
        </span>
      </Line>
    </Section>
  )
}

function Line({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="grid items-center gap-x-4 gap-y-1 py-1 sm:grid-cols-[10rem_minmax(0,1fr)]">
      <span aria-hidden className="text-ink-2">
        {label}
      </span>
      <div>{children}</div>
    </div>
  )
}

function Tick({ what, label }: { what: Shown; label: string }) {
  const [isOn, setOn] = useState(() => preferred(what))
  return (
    <label className="flex items-center gap-2">
      <input
        type="checkbox"
        checked={isOn}
        onChange={(event) => {
          putPreferred(what, event.target.checked)
          setOn(event.target.checked)
        }}
      />
      {label}
    </label>
  )
}
