import { useQueryClient } from "@tanstack/react-query"
import { Inbox } from "lucide-react"
import { useCallback, useContext, useMemo, useRef, useState } from "react"
import { useBackend, useRunning } from "@/api/follow"
import type { ConversationDetail, OutlineMark, PageRow } from "@/api/schema"
import { useOutline } from "@/api/use-conversation"
import { useRunOf } from "@/api/use-runs"
import { FoldsContext } from "@/blocks/folds"
import { activityOf, isAtWork, withRun, withRunning } from "@/parts/activity"
import { EmptyState } from "@/ui/empty-state"
import { useKeys } from "@/ui/keys"
import { useNow } from "@/ui/now"
import { PanelGuard } from "@/ui/panel-guard"
import { copyOf } from "./rows/copies"
import { FindBar } from "./find/find-bar"
import { forkPoint } from "./rows/fork-point"
import { MessageList, type MessageListHandle } from "./list/message-list"
import { Minimap, Outline } from "./panels/outline"
import { chosenBranch, type OnFork, type OnGo, permalink, type Place } from "./place"
import { RawRecordSheet } from "./panels/raw-record"
import { indexOf } from "./list/rows"
import { SessionHeader } from "./header/session-header"
import { SessionPanel } from "./panels/session-panel"
import type { PutShowing, Showing } from "./showing"
import { Side } from "./panels/side-sheet"
import { Sighting } from "./list/sighting"
import { Switches } from "./header/switches"
import { ThreadCrumb } from "./header/thread-crumb"
import { CurrentContext, TranscriptContext, type Transcript, WorkContext } from "./transcript-context"
import { TranscriptHelp } from "./transcript-help"
import { HeaderSkeleton, RowsSkeleton } from "./transcript-skeleton"
import { Unreadable } from "./list/unreadable"
import { useFinding } from "./find/use-finding"
import { useGoing } from "./list/use-going"
import { useRows } from "./list/use-rows"
import { useWalk } from "./list/use-walk"
import { useIsWide } from "@/parts/wide"

const NO_MARKS: readonly OutlineMark[] = []
const COPIED_MS = 1500
const FORK_WORDS = 120

/** One thread of a conversation with everything around it. */
export function ThreadView({
  name,
  detail,
  place,
  onGo,
  showing,
  onShowing,
  onFork,
}: {
  name: string
  /** null until it is there: the rows do not wait for it. */
  detail: ConversationDetail | null
  place: Place
  onGo: OnGo
  showing: Showing
  onShowing: PutShowing
  onFork: OnFork
}) {
  const { thread, branch } = place
  const folder = detail?.summary.folder ?? null
  const backend = useBackend()
  const cache = useQueryClient()
  const folds = useContext(FoldsContext)
  const now = useNow()
  const isRoomy = useIsWide(900)

  const running = useRunning()
  const run = useRunOf(name)
  const summary = detail === null ? null : withRun(withRunning(detail.summary, running), run)
  const lastSign = summary !== null && isAtWork(activityOf(summary, now)) ? summary.ended_at : null

  const list = useRef<MessageListHandle>(null)
  const [sighting] = useState(() => new Sighting())
  const [copiedId, setCopied] = useState<string | null>(null)
  const [isHelp, setHelp] = useState(false)
  const [raw, setRaw] = useState<{ row: PageRow; id: string } | null>(null)

  const sight = useCallback(() => list.current?.sight() ?? null, [])
  const onOther = useCallback(
    (other: string) => void cache.invalidateQueries({ queryKey: ["thread", name, other] }, { cancelRefetch: false }),
    [cache, name],
  )
  const onBranch = useCallback((chosen: readonly string[]) => onGo({ branch: [...chosen] }, true), [onGo])
  const rows = useRows({ name, thread, branch, isInternal: showing.isInternal }, sight, onOther, onBranch)
  const { window: shown, loadWhole } = rows

  // Of a long conversation it takes a while to make: the rows come first.
  const outline = useOutline(name, thread, { isEnabled: !rows.isOpening })
  const marks = outline.data?.marks ?? NO_MARKS

  const { currentId, makeCurrent, showItem, showEnd, showBeginning, jump } = useGoing(list, rows, place.at, onGo)
  const openThread = useCallback(
    (other: string, at?: string) => onGo({ thread: other || undefined, branch: undefined, at }),
    [onGo],
  )

  const linked = useMemo(() => ({ at: place.at, words: place.words }), [place.at, place.words])
  const finding = useFinding({ name, thread }, list, rows, showItem, linked)
  const walk = useWalk(list, shown, marks, currentId, { onCurrent: makeCurrent, onShow: showItem, onEnd: showEnd })

  const transcript = useMemo<Transcript>(
    () => ({
      name,
      thread,
      folder,
      branches: outline.data?.branches ?? [],
      chosen: branch,
      locate: (id) => {
        void backend.locate(name, id).then(
          (found) => (found.thread === thread ? jump(found.id) : openThread(found.thread, found.id)),
          () => undefined,
        )
      },
      openThread,
      chooseBranch: (point, head) => onGo({ branch: chosenBranch(branch, point.heads, head), at: head }),
      openRaw: (row, id) => setRaw({ row, id }),
      fork: (row) => {
        const at = forkPoint(row)
        if (at !== null) onFork(at, copyOf(row.row, "text").slice(0, FORK_WORDS))
      },
      addressOf: (id) => permalink(window.location.origin, name, { thread, branch, at: id, words: [] }),
      makeCurrent,
      loadWhole,
    }),
    [name, thread, folder, outline.data?.branches, branch, jump, openThread, onGo, onFork, backend, makeCurrent, loadWhole],
  )

  const flipAll = (kind: "call" | "thinking") => folds.putAll(kind, folds.all(kind) === true ? null : true)
  const back = (): void => {
    const own = detail?.threads.find((each) => each.id === thread)
    if (finding.query !== null) finding.put(null)
    else if (place.words.length > 0) onGo({ word: undefined }, true)
    else if (thread !== "") openThread(own?.parent ?? "", own?.call ?? undefined)
  }
  const copyLink = async (id: string): Promise<void> => {
    await navigator.clipboard.writeText(transcript.addressOf(id))
    makeCurrent(id)
    setCopied(id)
    window.setTimeout(() => setCopied(null), COPIED_MS)
  }

  useKeys({
    j: () => walk.step(1),
    k: () => walk.step(-1),
    n: () => walk.stepPrompt(1),
    p: () => walk.stepPrompt(-1),
    Home: showBeginning,
    End: showEnd,
    "/": () => finding.put(finding.query ?? ""),
    "mod+f": () => finding.put(finding.query ?? ""),
    e: walk.flip,
    "shift+e": () => flipAll("call"),
    t: () => flipAll("thinking"),
    i: () => onShowing({ isInternal: !showing.isInternal }),
    w: () => onShowing({ isWrapped: !showing.isWrapped }),
    o: () => onShowing({ isOutline: !showing.isOutline }),
    s: () => onShowing({ isPanel: !showing.isPanel }),
    r: () => {
      const row = walk.here()
      if (row) setRaw({ row, id: row.row.id })
    },
    y: () => {
      const row = walk.here()
      if (row) void copyLink(row.row.id)
    },
    f: () => {
      const row = walk.here()
      if (row) transcript.fork(row)
    },
    "?": () => setHelp(true),
    Escape: back,
  })

  const jumpFromOutline = useCallback(
    (id: string) => {
      if (!isRoomy) onShowing({ isOutline: false })
      jump(id)
    },
    [isRoomy, jump, onShowing],
  )
  const current = currentId === null ? null : (shown.rows[indexOf(shown, currentId)]?.row.id ?? null)
  const marked = useMemo(() => ({ id: current, copiedId }), [current, copiedId])

  return (
    <TranscriptContext value={transcript}>
      <WorkContext value={lastSign}>
        <CurrentContext value={marked}>
          <div className="transcript" data-wrap={showing.isWrapped || undefined}>
            {detail === null ? (
              <HeaderSkeleton />
            ) : (
              <PanelGuard name="The header" of={detail}>
                <SessionHeader
                  detail={detail}
                  address={() => permalink(window.location.origin, name, { thread, branch, at: null, words: [] })}
                  showing={showing}
                  onShowing={onShowing}
                  onFind={() => finding.put(finding.query ?? "")}
                >
                  <Switches showing={showing} onShowing={onShowing} />
                </SessionHeader>
              </PanelGuard>
            )}
            {thread === "" || detail === null ? null : (
              <PanelGuard name="The path to this thread" of={detail}>
                <ThreadCrumb threads={detail.threads} thread={thread} onThread={openThread} />
              </PanelGuard>
            )}
            <div className="transcript-body">
              {showing.isOutline ? (
                <Side title="Outline" side="left" onClose={() => onShowing({ isOutline: false })}>
                  <PanelGuard name="The outline" of={marks}>
                    <Outline marks={marks} sighting={sighting} onJump={jumpFromOutline} />
                  </PanelGuard>
                </Side>
              ) : null}
              <section aria-label="Transcript" tabIndex={-1} className="transcript-main">
                {finding.query === null ? null : (
                  <PanelGuard name="Finding" of={finding.query}>
                    <FindBar
                      query={finding.query}
                      onQuery={finding.put}
                      find={finding.find}
                      onClose={() => finding.put(null)}
                    />
                  </PanelGuard>
                )}
                <div className="transcript-rows">
                  {rows.isOpening ? (
                    <RowsSkeleton />
                  ) : rows.trouble !== null && shown.rows.length === 0 ? (
                    <Unreadable trouble={rows.trouble} onEnd={place.at === null ? null : showEnd} />
                  ) : shown.rows.length === 0 ? (
                    <EmptyState icon={<Inbox />} title="Nothing was said yet">
                      <p>Messages appear here as soon as the client writes them.</p>
                      {showing.isInternal ? null : <p>Internal records may be there already: press I.</p>}
                    </EmptyState>
                  ) : (
                    <PanelGuard name="The list of messages" of={shown}>
                      <MessageList
                        key={shown.place}
                        ref={list}
                        window={shown}
                        trouble={rows.trouble}
                        isAtWork={lastSign !== null}
                        sighting={sighting}
                        onBefore={rows.loadBefore}
                        onAfter={rows.loadAfter}
                        onSeenEnd={rows.seeEnd}
                        onEnd={showEnd}
                      />
                    </PanelGuard>
                  )}
                  <PanelGuard name="The map" of={marks}>
                    <Minimap marks={marks} rows={shown.rows} sighting={sighting} onJump={jump} />
                  </PanelGuard>
                </div>
              </section>
              {showing.isPanel && detail !== null ? (
                <Side title="Session" side="right" onClose={() => onShowing({ isPanel: false })}>
                  <PanelGuard name="The session panel" of={detail}>
                    <SessionPanel detail={detail} thread={thread} onThread={openThread} />
                  </PanelGuard>
                </Side>
              ) : null}
            </div>
          </div>
          {raw === null ? null : <RawRecordSheet name={name} row={raw.row} id={raw.id} onClose={() => setRaw(null)} />}
          {isHelp ? <TranscriptHelp onClose={() => setHelp(false)} /> : null}
        </CurrentContext>
      </WorkContext>
    </TranscriptContext>
  )
}
