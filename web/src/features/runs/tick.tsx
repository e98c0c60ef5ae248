import { tip } from "@/ui/tooltip"

/** A checkbox for an optional setting. */
export function Tick({ label, meaning, isOn, onFlip }: { label: string; meaning: string; isOn: boolean; onFlip: (isOn: boolean) => void }) {
  return (
    <label className="inline-flex h-7 items-center gap-1.5 px-1 text-sm text-ink-2" {...tip(meaning)}>
      <input type="checkbox" className="size-3.5 accent-accent" checked={isOn} onChange={(event) => onFlip(event.target.checked)} />
      {label}
    </label>
  )
}
