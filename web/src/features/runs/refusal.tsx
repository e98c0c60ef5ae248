import { TriangleAlert } from "lucide-react"
import { useState } from "react"
import { useConnection } from "@/api/follow"
import { seen } from "@/blocks/text/seen"
import { Words } from "@/ui/words"
import type { Trouble } from "./use-outgoing"

const TITLES: Record<string, string> = {
  unvetted: "This folder has settings that nobody has reviewed",
  cannot_run: "The agent cannot do that now",
}

/** Why an action failed, in the words of the server. What was typed is still there. */
export function Refusal({ trouble }: { trouble: Trouble | null }) {
  const isOver = useIsOver(trouble)
  if (trouble === null || isOver) return null
  const title = Object.hasOwn(TITLES, trouble.kind) ? TITLES[trouble.kind] : undefined
  return (
    <div role="alert" className="flex gap-2 rounded-lg bg-failed-soft px-3 py-2 text-failed">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 break-words whitespace-pre-wrap">
        {title === undefined ? null : <p className="font-medium">{title}</p>}
        <p>
          <Words text={seen(trouble.message)} />
        </p>
      </div>
    </div>
  )
}

/** Whether Chorus did not answer, was unreachable, and is back: then the error is no longer relevant. */
function useIsOver(trouble: Trouble | null): boolean {
  const isLive = useConnection().phase === "live"
  const [missed, setMissed] = useState<Trouble | null>(null)
  if (trouble?.kind === "unreachable" && !isLive && missed !== trouble) setMissed(trouble)
  return isLive && trouble !== null && missed === trouble
}
