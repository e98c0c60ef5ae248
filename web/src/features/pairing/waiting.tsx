import { useEffect, useEffectEvent, useState } from "react"
import { isProblem } from "@/api/backend"
import { useBackend } from "@/api/follow"
import type { PairingClaimed } from "@/api/schema"
import { keepPairedKey } from "@/parts/device-key"
import { type AccessScope, clockOf, codeInGroups, rightsOf } from "@/parts/scopes"
import { useSecondsLeft } from "@/ui/seconds-left"
import { OneThing } from "./one-thing"

const ASK_MS = 1000

interface WaitingProps {
  claimed: PairingClaimed
  scope: AccessScope
  onRefused: (message: string) => void
}

/** Shows the code until a person confirmed it on the computer; then opens the application, logged in. */
export function Waiting({ claimed, scope, onRefused }: WaitingProps) {
  const { claim, code, seconds } = claimed
  const backend = useBackend()
  const left = useSecondsLeft(seconds)
  const [trouble, setTrouble] = useState<string | null>(null)

  const ask = useEffectEvent(async (): Promise<boolean> => {
    try {
      const { is_paired } = await backend.finishPairing(claim)
      setTrouble(null)
      if (!is_paired) return false
      await keepPairedKey()
      window.location.replace(scope === "approve" ? "/approvals#approvers" : "/")
      return true
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      if (isProblem(error, "unreachable")) {
        setTrouble("The computer does not answer; this phone keeps asking.")
        return false
      }
      onRefused(message)
      return true
    }
  })
  useEffect(() => {
    let timer = 0
    let isOver = false
    const askAgain = async () => {
      isOver = (await ask()) || isOver
      if (!isOver) timer = window.setTimeout(() => void askAgain(), ASK_MS)
    }
    void askAgain()
    return () => {
      isOver = true
      window.clearTimeout(timer)
    }
  }, [])

  return (
    <OneThing title="Confirm on the computer">
      <p role="status" aria-label="Code" className="rounded-lg border border-line bg-inset py-6 text-center font-mono text-[2.75rem] leading-none font-semibold tabular-nums">
        {codeInGroups(code)}
      </p>
      <p>The computer shows a code, too. Confirm there only if both are the same. Then this phone may {rightsOf(scope)}.</p>
      <p role="timer" className="text-ink-2 tabular-nums">
        {left > 0 ? `${clockOf(left)} left` : "The time is over."}
      </p>
      {trouble === null ? null : (
        <p role="alert" className="text-interrupted">
          {trouble}
        </p>
      )}
    </OneThing>
  )
}
