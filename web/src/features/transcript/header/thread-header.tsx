import type { ConversationDetail } from "@/api/schema"
import { PanelGuard } from "@/ui/panel-guard"
import { permalink, type Place } from "../place"
import type { PutShowing, Showing } from "../showing"
import type { Transcript } from "../transcript-context"
import { HeaderSkeleton } from "../transcript-skeleton"
import { SessionHeader } from "./session-header"
import { Switches } from "./switches"
import { ThreadCrumb } from "./thread-crumb"

/** The header of the conversation and, above the thread of a sub-agent, the path to it. */
export function ThreadHeader({
  name,
  detail,
  place: { thread, branch },
  showing,
  onShowing,
  onFind,
  onThread,
}: {
  name: string
  /** null until it is loaded. */
  detail: ConversationDetail | null
  place: Place
  showing: Showing
  onShowing: PutShowing
  onFind: () => void
  onThread: Transcript["openThread"]
}) {
  if (detail === null) return <HeaderSkeleton />
  return (
    <>
      <PanelGuard name="The header" of={detail}>
        <SessionHeader
          detail={detail}
          address={() => permalink(window.location.origin, name, { thread, branch, at: null, words: [] })}
          showing={showing}
          onShowing={onShowing}
          onFind={onFind}
        >
          <Switches showing={showing} onShowing={onShowing} />
        </SessionHeader>
      </PanelGuard>
      {thread === "" ? null : (
        <PanelGuard name="The path to this thread" of={detail}>
          <ThreadCrumb threads={detail.threads} thread={thread} onThread={onThread} />
        </PanelGuard>
      )}
    </>
  )
}
