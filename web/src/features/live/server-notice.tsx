import { LoaderCircle, TriangleAlert, Unplug } from "lucide-react"
import { useConnection, useHeardAt } from "@/api/follow"
import type { ServerStatus } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { LOCALE } from "@/ui/locale"
import { useNow } from "@/ui/now"
import { Progress } from "@/ui/progress"
import { Words } from "@/ui/words"
import { shownAsOf, stateInWords } from "./state-in-words"
import { Strip } from "./strip"

/** A line below the bar while something is wrong, or the first pass is running. */
export function ServerNotice({ status }: { status: ServerStatus | undefined }) {
  const { phase } = useConnection()
  const heardAt = useHeardAt()
  const now = useNow()
  if (phase === "unreachable") {
    return (
      <Strip icon={<Unplug />} tone="bg-failed-soft text-failed">
        <span>
          {heardAt === null ? null : `${shownAsOf(heardAt, now, LOCALE)} `}
          <Words text="Chorus does not answer. Start it with `chorus serve`; this page continues automatically." />
        </span>
      </Strip>
    )
  }
  if (status === undefined) return null
  if (status.alarm !== null) {
    return (
      <Strip icon={<TriangleAlert />} tone="bg-failed-soft text-failed font-medium" role="alert">
        <span>
          <Words text={seenLine(status.alarm)} />
        </span>
      </Strip>
    )
  }
  if (status.trouble !== null || status.state === "failed") {
    return (
      <Strip icon={<TriangleAlert />} tone="bg-interrupted-soft text-interrupted">
        <span>
          <Words text={status.trouble === null ? stateInWords(status) : seenLine(status.trouble)} />
        </span>
      </Strip>
    )
  }
  if (status.lost.length > 0) {
    return (
      <Strip icon={<TriangleAlert />} tone="bg-interrupted-soft text-interrupted">
        <span>
          <Words text={`The vault lost something that no source has any more: ${seenLine(status.lost[0] ?? "")}`} />
        </span>
      </Strip>
    )
  }
  if (status.state === "keeping" && status.conversations > 0) {
    return (
      <Strip icon={<LoaderCircle className="motion-safe:animate-spin" />} tone="bg-inset text-ink-2">
        <span className="tabular-nums">{stateInWords(status)}</span>
        <Progress className="ml-auto w-40" done={status.done_bytes} total={status.total_bytes} label="Recording sessions" />
      </Strip>
    )
  }
  return null
}
