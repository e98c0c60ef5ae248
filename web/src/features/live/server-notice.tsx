import { LoaderCircle, TriangleAlert, Unplug } from "lucide-react"
import type { ReactNode } from "react"
import { useConnection } from "@/api/follow"
import type { ServerStatus } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { cx } from "@/ui/cx"
import { Progress } from "@/ui/progress"
import { Words } from "@/ui/words"
import { stateInWords } from "./state-in-words"

/** A line below the bar while something is wrong, or the first pass is running. */
export function ServerNotice({ status }: { status: ServerStatus | undefined }) {
  const { phase } = useConnection()
  if (phase === "unreachable") {
    return (
      <Strip icon={<Unplug />} tone="bg-failed-soft text-failed">
        <span>
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
        <Progress className="ml-auto w-40" done={status.done_bytes} total={status.total_bytes} label="Keeping sessions" />
      </Strip>
    )
  }
  return null
}

function Strip({ icon, tone, role = "status", children }: { icon: ReactNode; tone: string; role?: "status" | "alert"; children: ReactNode }) {
  return (
    <div
      role={role}
      className={cx(
        "flex min-h-8 shrink-0 items-center gap-2 border-b border-line px-4 py-1 text-sm md:px-5 [&>svg]:size-3.5 [&>svg]:shrink-0",
        tone,
      )}
    >
      {icon}
      {/* One box, so that text and code wrap together. */}
      <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-1">{children}</span>
    </div>
  )
}
