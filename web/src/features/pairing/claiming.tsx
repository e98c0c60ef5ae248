import { type ReactNode, useId, useState } from "react"
import { isProblem } from "@/api/backend"
import { useBackend } from "@/api/follow"
import type { PairingClaimed } from "@/api/schema"
import { makeKeyToPair } from "@/parts/device-key"
import { rightsOf } from "@/parts/scopes"
import { deviceBytes } from "@/parts/signing"
import { Button } from "@/ui/button"
import { useClockIsOff } from "@/ui/now"
import { useAttempt } from "@/ui/use-attempt"
import { deviceName, LONGEST_NAME } from "./device-name"
import type { Offer } from "./link"
import { OneThing } from "./one-thing"
import { Waiting } from "./waiting"

/** Gives the phone a name, makes its key and claims the QR code; then waits until a person confirms it. */
export function Claiming({ offered, children }: { offered: Offer; children: ReactNode }) {
  const { secret, scope } = offered
  const backend = useBackend()
  const id = useId()
  const { attempt, isBusy, trouble } = useAttempt()
  const [name, setName] = useState(() => deviceName(navigator.userAgent))
  const [claimed, setClaimed] = useState<PairingClaimed | null>(null)
  const [refusal, setRefusal] = useState<string | null>(null)
  const isClockOff = useClockIsOff()

  const claim = async () => {
    const key = await makeKeyToPair()
    const { publicKey } = key
    const bytes = await deviceBytes({ id: key.id, name: name.trim(), scope, publicKey, secret })
    try {
      setClaimed(await backend.pair({ secret, name: name.trim(), public_key: publicKey, signature: await key.sign(bytes) }))
    } catch (error) {
      // The code is spent, and so is this page.
      if (!isProblem(error, "not_logged_in") && !isProblem(error, "too_many_tries")) throw error
      setRefusal(error.message)
    }
  }
  if (refusal !== null) return <Refusal message={refusal} />
  if (claimed !== null) return <Waiting claimed={claimed} scope={scope} onRefused={setRefusal} />
  return (
    <OneThing title="Pair this phone">
      <p>
        The computer lets this phone <strong className="font-semibold">{rightsOf(scope)}</strong>. It makes a key that never leaves
        it.
      </p>
      {children}
      {isClockOff ? <p className="text-interrupted">The clock of this phone is wrong. Pairing works, and times are shown by the clock of the computer.</p> : null}
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (name.trim() !== "") void attempt(claim)
        }}
      >
        <div className="flex flex-col gap-1">
          <label htmlFor={id}>Name of this phone</label>
          <input
            id={id}
            value={name}
            maxLength={LONGEST_NAME}
            autoComplete="off"
            className="h-11 rounded-md border border-line-strong bg-surface px-3"
            onChange={(event) => setName(event.target.value)}
          />
        </div>
        <Button type="submit" kind="primary" size="lg" disabled={name.trim() === "" || isBusy}>
          {isBusy ? "Pairing …" : "Pair this phone"}
        </Button>
      </form>
      {trouble === null ? null : (
        <p role="alert" className="text-failed break-words">
          {trouble}
        </p>
      )}
    </OneThing>
  )
}

function Refusal({ message }: { message: string }) {
  return (
    <OneThing title="This phone is not paired" command>
      <p role="alert" className="text-failed break-words">
        {message}
      </p>
      <p>A QR code works once, within two minutes. A new one is under Settings on the computer, or in a terminal:</p>
    </OneThing>
  )
}
