import { KeyRound } from "lucide-react"
import { useId, useState } from "react"
import { Button } from "@/ui/button"
import { canHaveKey } from "@/parts/device-key"
import { useAttempt } from "@/ui/use-attempt"

const LONGEST_NAME = 100

/** The form that makes this browser an approver, or requests it. */
export function EnrolForm({ isFirst, onEnrol }: { isFirst: boolean; onEnrol: (name: string) => Promise<void> }) {
  const id = useId()
  const [name, setName] = useState("")
  const { attempt, isBusy, trouble } = useAttempt()

  return (
    <form
      className="enrol"
      onSubmit={(event) => {
        event.preventDefault()
        if (name.trim() !== "") void attempt(() => onEnrol(name.trim()))
      }}
    >
      <h3 className="flex items-center gap-2 font-semibold">
        <KeyRound aria-hidden className="size-4 text-accent" />
        Make this browser an approver
      </h3>
      <p className="text-ink-2">
        What you allow is signed with a key that is made in this browser and never leaves it, so that no agent can approve
        its own requests.{" "}
        {isFirst
          ? "This is the first browser to ask, so it may approve at once; any later one has to be admitted by it."
          : "An approver has to admit it: with the passphrase in a terminal, or in a browser that may approve."}
      </p>
      {canHaveKey() ? (
        <div className="flex flex-wrap items-end gap-2">
          <div className="flex min-w-0 flex-1 basis-48 flex-col gap-1">
            <label htmlFor={id} className="text-sm text-ink-2">
              Name of this browser
            </label>
            <input
              id={id}
              value={name}
              maxLength={LONGEST_NAME}
              autoComplete="off"
              placeholder="Ada's laptop"
              className="h-7 rounded-md border border-line-strong bg-surface px-2 text-lg outline-offset-0 sm:text-base"
              onChange={(event) => setName(event.target.value)}
            />
          </div>
          <Button type="submit" kind="primary" disabled={name.trim() === "" || isBusy}>
            {isFirst ? "Make it an approver" : "Ask to be admitted"}
          </Button>
        </div>
      ) : (
        <p className="text-interrupted">This browser keeps no keys for this page, so it can only deny.</p>
      )}
      {trouble === null ? null : (
        <p role="alert" className="text-failed break-words">
          {trouble}
        </p>
      )}
    </form>
  )
}
