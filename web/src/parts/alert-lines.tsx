import { TriangleAlert } from "lucide-react"
import type { Alert } from "@/api/schema"
import { several } from "@/blocks/text/figures"
import { seenLine } from "@/blocks/text/seen"
import { tip } from "@/ui/tooltip"
import { PlaceLink } from "./place-link"
import { addressOf } from "./places"

/** The signs that an agent is stuck. Each leads to the last of the records that show it. */
export function AlertLines({ name, alerts }: { name: string; alerts: readonly Alert[] }) {
  return alerts.map((alert) => {
    const last = alert.evidence.at(-1)
    return (
      <PlaceLink
        key={`${alert.kind} ${alert.thread} ${alert.since ?? ""}`}
        href={addressOf(name, { thread: alert.thread, at: last?.item ?? null })}
        data-alert={alert.kind}
        className="relative z-[1] flex min-w-0 items-start gap-1.5 rounded text-sm text-interrupted hover:underline"
        {...tip(`Shown by ${several(alert.count, "record")}: go to the last one`)}
      >
        <TriangleAlert aria-hidden className="mt-1 size-3 shrink-0" />
        <span className="min-w-0 break-words">{seenLine(alert.text)}</span>
      </PlaceLink>
    )
  })
}
