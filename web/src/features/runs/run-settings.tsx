import { ChevronDown, ChevronUp } from "lucide-react"
import { useState } from "react"
import type { RunChange, RunShown } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { Button } from "@/ui/button"
import { Segments } from "@/ui/segments"
import { tip } from "@/ui/tooltip"
import { settingsInWords } from "./in-words"
import { ModelField } from "./model-field"

/** A button with the model and the mode of an agent, which opens the settings. */
export function SettingsButton({ run, isOpen, onOpen }: { run: RunShown; isOpen: boolean; onOpen: () => void }) {
  return (
    <Button
      kind="quiet"
      size="sm"
      className="min-w-0 shrink font-normal"
      aria-expanded={isOpen}
      aria-label={`Model and mode: ${settingsInWords(run)}`}
      onClick={onOpen}
      {...tip(`${seenLine(run.model) || "usual model"}\nChange the model or the mode`)}
    >
      <span className="min-w-0 truncate">{settingsInWords(run)}</span>
      {isOpen ? <ChevronDown aria-hidden /> : <ChevronUp aria-hidden />}
    </Button>
  )
}

/** Changes the model from the next message on, and the mode at once. */
export function RunSettings({
  run,
  isActing,
  onChange,
}: {
  run: RunShown
  isActing: boolean
  onChange: (change: RunChange) => Promise<boolean>
}) {
  const [model, setModel] = useState("")
  // The client reports its model when a turn begins: until then the report names the former one.
  const [next, setNext] = useState<{ model: string; after: string } | null>(null)
  const apply = async () => {
    const wished = model.trim()
    if (wished === "" || !(await onChange({ model: wished, mode: null }))) return
    setModel("")
    setNext({ model: wished, after: run.model })
  }
  return (
    <div role="group" aria-label="Model and mode" className="flex flex-wrap items-center gap-2 rounded-lg border border-line bg-inset px-2.5 py-2">
      <ModelField
        label="Another model"
        value={model}
        placeholder={seenLine(run.model) || "another model"}
        className="h-7 flex-1 basis-40 sm:max-w-64"
        onChange={setModel}
        onEnter={() => void apply()}
      />
      <Button disabled={isActing || model.trim() === ""} onClick={() => void apply()}>
        Change model
      </Button>
      {next !== null && next.after === run.model ? (
        <p role="status" className="text-sm text-ink-2">
          {next.model} from the next message on
        </p>
      ) : null}
      <span className="sm:ml-auto">
        <Segments
          label="Mode"
          value={run.mode === "" ? "default" : run.mode}
          options={[
            { value: "default", label: "As usual" },
            { value: "plan", label: "Plan first" },
          ]}
          onChange={(mode) => {
            if (!isActing) void onChange({ model: null, mode: mode === "plan" ? "plan" : "default" })
          }}
        />
      </span>
    </div>
  )
}
