import { useState } from "react"
import type { PairedDeviceShown } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { rightsOf } from "@/parts/scopes"
import { Button } from "@/ui/button"
import { Ago } from "@/ui/time"
import { useAttempt } from "@/ui/use-attempt"

const LONGEST_NAME = 100

interface DeviceRowProps {
  device: PairedDeviceShown
  onRename: (name: string) => Promise<void>
  onRevoke: () => Promise<void>
}

/** A paired device, with what a person can do about it. */
export function DeviceRow({ device, onRename, onRevoke }: DeviceRowProps) {
  const { name, scope, added_at, seen_at } = device
  const [doing, setDoing] = useState<"rename" | "revoke" | null>(null)
  const [next, setNext] = useState(name)
  const { attempt, isBusy, trouble } = useAttempt()
  const stop = () => setDoing(null)
  return (
    <li className="flex flex-col gap-1.5 border-b border-line py-2 last:border-b-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium break-all">{seenLine(name)}</span>
        <span className="text-sm text-ink-2">
          may {rightsOf(scope)} · paired <Ago iso={added_at} /> · {seen_at === null ? "logged out" : <>last seen <Ago iso={seen_at} /></>}
        </span>
        {doing === null ? (
          <span className="flex gap-2">
            <Button size="sm" onClick={() => setDoing("rename")}>
              Rename
            </Button>
            <Button size="sm" onClick={() => setDoing("revoke")}>
              Revoke
            </Button>
          </span>
        ) : null}
      </div>
      {doing === "rename" ? (
        <form
          className="flex flex-wrap items-center gap-2"
          onSubmit={(event) => {
            event.preventDefault()
            if (next.trim() !== "") void attempt(() => onRename(next.trim()).then(stop))
          }}
        >
          <input
            aria-label={`New name of ${seenLine(name)}`}
            value={next}
            maxLength={LONGEST_NAME}
            autoComplete="off"
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the person just asked for this field
            autoFocus
            className="h-7 min-w-0 flex-1 basis-48 rounded-md border border-line-strong bg-surface px-2"
            onChange={(event) => setNext(event.target.value)}
          />
          <Button type="submit" kind="primary" disabled={isBusy || next.trim() === ""}>
            Save
          </Button>
          <Button onClick={stop}>Cancel</Button>
        </form>
      ) : null}
      {doing === "revoke" ? (
        <div className="flex flex-wrap items-center gap-2">
          <span>It is logged out at once, for good. To use Chorus again it has to be paired again.</span>
          <Button kind="primary" disabled={isBusy} onClick={() => void attempt(onRevoke)}>
            Revoke it
          </Button>
          <Button onClick={stop}>Keep it</Button>
        </div>
      ) : null}
      {trouble === null ? null : (
        <p role="alert" className="text-failed break-words">
          {trouble}
        </p>
      )}
    </li>
  )
}
