import { useEffect, useState } from "react"
import type { PairingOffer, PairingShown } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { type AccessScope, clockOf, codeInGroups, rightsOf, SCOPES } from "@/parts/scopes"
import { Button } from "@/ui/button"
import { CommandLine } from "@/ui/command-line"
import { Dialog, DialogHeader } from "@/ui/dialog"
import { useSecondsLeft } from "@/ui/seconds-left"
import { useAttempt } from "@/ui/use-attempt"
import { QrCode } from "./qr-code"
import { useDevices } from "./use-devices"

/** Pairs a phone: chooses what it may do, shows the QR code, and confirms or refuses the device that used it. */
export function PairDialog({ onClose }: { onClose: () => void }) {
  const devices = useDevices()
  const [scope, setScope] = useState<AccessScope>("read")
  const [offer, setOffer] = useState<PairingOffer | null>(null)
  const { attempt, isBusy, trouble } = useAttempt()
  const show = () => void attempt(async () => setOffer(await devices.offer(scope)))
  return (
    <Dialog label="Pair a phone" onClose={onClose} className="max-w-md">
      <DialogHeader title="Pair a phone" onClose={onClose} />
      <div className="flex max-h-[calc(100dvh-6rem)] flex-col gap-3 overflow-y-auto p-4">
        {offer === null ? (
          <ScopeChoice scope={scope} isBusy={isBusy} onChoose={setScope} onShow={show} />
        ) : (
          <UnderWay key={offer.link} offer={offer} scope={scope} onAgain={() => setOffer(null)} onClose={onClose} />
        )}
        {trouble === null ? null : (
          <p role="alert" className="text-failed break-words">
            {trouble}
          </p>
        )}
      </div>
    </Dialog>
  )
}

function ScopeChoice({ scope, isBusy, onChoose, onShow }: { scope: AccessScope; isBusy: boolean; onChoose: (scope: AccessScope) => void; onShow: () => void }) {
  return (
    <>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-2 text-ink-2">What may the phone do? It cannot get more later, and you can revoke it at any time.</legend>
        {SCOPES.map(({ value, label, meaning }) => (
          <label key={value} className="relative rounded-md border border-line py-2 pr-3 pl-9 font-medium has-checked:border-accent has-checked:bg-accent-soft">
            <input type="radio" name="scope" checked={value === scope} className="absolute top-3 left-3" onChange={() => onChoose(value)} />
            {label}
            <span className="block text-sm font-normal text-ink-2">{meaning}</span>
          </label>
        ))}
      </fieldset>
      <Button kind="primary" className="self-start" disabled={isBusy} onClick={onShow}>
        Show the QR code
      </Button>
    </>
  )
}

type Step = { at: "offered" } | { at: "claimed"; pairing: PairingShown } | { at: "paired"; name: string } | { at: "refused"; name: string } | { at: "over" }

interface UnderWayProps {
  offer: PairingOffer
  scope: AccessScope
  onAgain: () => void
  onClose: () => void
}

/** From the QR code to the answer of the person. */
function UnderWay({ offer, scope, onAgain, onClose }: UnderWayProps) {
  const { shown, answer } = useDevices({ isPairing: true })
  const [step, setStep] = useState<Step>({ at: "offered" })
  const left = useSecondsLeft(offer.seconds)
  const { attempt, isBusy, trouble } = useAttempt()
  const [before] = useState(() => new Set(shown?.devices.map(({ id }) => id)))

  useEffect(() => {
    if (shown === null) return
    const { pairing, devices } = shown
    setStep((step) => {
      if (step.at === "paired" || step.at === "refused") return step
      if (pairing.state === "offered") return { at: "offered" }
      if (pairing.state === "claimed") return { at: "claimed", pairing }
      // A terminal may have confirmed it, and the phone may be in already.
      const name = pairing.name || devices.find(({ id }) => !before.has(id))?.name
      return name === undefined ? { at: "over" } : { at: "paired", name }
    })
  }, [shown, before])

  const decide = ({ code, name }: PairingShown, isConfirmed: boolean) =>
    void attempt(async () => {
      await answer(code, isConfirmed)
      setStep({ at: isConfirmed ? "paired" : "refused", name })
    })

  return (
    <>
      {step.at === "offered" ? <Offered offer={offer} left={left} /> : null}
      {step.at === "claimed" ? <Claimed pairing={step.pairing} isBusy={isBusy} onDecide={(isConfirmed) => decide(step.pairing, isConfirmed)} /> : null}
      {step.at === "paired" ? <Done onClose={onClose} words={`“${seenLine(step.name)}” may ${rightsOf(scope)} now.`} more={scope === "approve" ? "It may allow requests after you admit it under Approvals." : ""} /> : null}
      {step.at === "refused" ? <Done onClose={onClose} onAgain={onAgain} words={`“${seenLine(step.name)}” was refused and gets nothing.`} /> : null}
      {step.at === "over" ? <Done onClose={onClose} onAgain={onAgain} words="No device was confirmed within two minutes, so the code is no longer valid." /> : null}
      {trouble === null ? null : (
        <p role="alert" className="text-failed break-words">
          {trouble}
        </p>
      )}
    </>
  )
}

function Offered({ offer, left }: { offer: PairingOffer; left: number }) {
  return (
    <>
      <p className="text-ink-2">Scan it with the camera of the phone, or type the address there. It works once.</p>
      <div className="flex justify-center">
        <QrCode rows={offer.qr} label="QR code of the address below" />
      </div>
      <CommandLine text={offer.link} what="address" />
      {offer.is_only_here ? (
        <p className="rounded-md bg-interrupted-soft px-3 py-2 text-interrupted">
          The server listens on this computer only, so a phone reaches this address only through a tunnel that ends on the phone.
        </p>
      ) : null}
      <p role="timer" className="text-ink-2 tabular-nums">
        Waiting for the phone: {clockOf(left)} left
      </p>
    </>
  )
}

function Claimed({ pairing, isBusy, onDecide }: { pairing: PairingShown; isBusy: boolean; onDecide: (isConfirmed: boolean) => void }) {
  const left = useSecondsLeft(pairing.seconds)
  return (
    <>
      <p role="status">
        “{seenLine(pairing.name)}” wants to {rightsOf(pairing.scope)}. Does the phone in your hand show this code?
      </p>
      <p aria-label="Code" role="group" className="rounded-lg border border-line bg-inset py-4 text-center font-mono text-[2rem] leading-none font-semibold tabular-nums">
        {codeInGroups(pairing.code)}
      </p>
      <p className="text-ink-2">If it shows another code or an error, somebody else used the QR code: refuse it.</p>
      <div className="flex flex-wrap items-center gap-2">
        <Button kind="primary" disabled={isBusy} onClick={() => onDecide(true)}>
          It shows this code: confirm
        </Button>
        <Button disabled={isBusy} onClick={() => onDecide(false)}>
          Refuse
        </Button>
        <span role="timer" className="text-ink-2 tabular-nums">
          {clockOf(left)} left
        </span>
      </div>
    </>
  )
}

function Done({ words, more = "", onAgain, onClose }: { words: string; more?: string; onAgain?: () => void; onClose: () => void }) {
  return (
    <>
      <p role="status">
        {words} {more}
      </p>
      <div className="flex gap-2">
        {onAgain === undefined ? null : (
          <Button kind="primary" onClick={onAgain}>
            Show a new QR code
          </Button>
        )}
        <Button onClick={onClose}>Close</Button>
      </div>
    </>
  )
}
