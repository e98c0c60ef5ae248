import { useCallback, useContext, useMemo, useRef, useState } from "react"
import { useIsExported } from "@/api/follow"
import type { ConversationDetail, OutlineMark, PageRow } from "@/api/schema"
import { useOutline } from "@/api/use-conversation"
import { PanelGuard } from "@/ui/panel-guard"
import { FindBar } from "./find/find-bar"
import { useFinding } from "./find/use-finding"
import { ThreadHeader } from "./header/thread-header"
import { FirstVisibleRow } from "./list/first-visible-row"
import type { MessageListHandle } from "./list/message-list"
import { indexOf } from "./list/rows"
import { ThreadRows } from "./list/thread-rows"
import { useNavigation } from "./list/use-navigation"
import { useRowSteps } from "./list/use-row-steps"
import { useThreadRows } from "./list/use-thread-rows"
import { Minimap } from "./panels/minimap"
import { RawRecordSheet } from "./panels/raw-record"
import { Side } from "./panels/side-sheet"
import { OutlineSide, SessionSide } from "./panels/thread-panels"
import type { OnFork, OnGo, Place } from "./place"
import type { PutShowing, Showing } from "./showing"
import { ReplayContext } from "./replay/replay-context"
import { StatePanel } from "./replay/state-panel"
import { useReplayedRows } from "./replay/use-replayed-rows"
import { useReplayJump } from "./replay/use-replay-jump"
import { CurrentContext, TranscriptContext, WorkContext } from "./transcript-context"
import { TranscriptHelp } from "./transcript-help"
import { useCopiedLink } from "./use-copied-link"
import { useLastSign } from "./use-last-sign"
import { useThreadKeys } from "./use-thread-keys"
import { useTranscriptValue } from "./use-transcript-value"

const NO_MARKS: readonly OutlineMark[] = []

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
  /** null until it is loaded: the rows do not wait for it. */
  detail: ConversationDetail | null
  place: Place
  onGo: OnGo
  showing: Showing
  onShowing: PutShowing
  onFork: OnFork
}) {
  const { thread } = place
  const isExported = useIsExported()
  const list = useRef<MessageListHandle>(null)
  const [firstVisible] = useState(() => new FirstVisibleRow())
  const [isHelp, setHelp] = useState(false)
  const [raw, setRaw] = useState<{ row: PageRow; id: string } | null>(null)

  const lastSign = useLastSign(name, detail)
  const player = useContext(ReplayContext)
  const rows = useReplayedRows(useThreadRows(name, place, showing.isInternal, list, onGo), list)
  const { window: shown, loadWhole } = rows
  // The outline of a long conversation takes a while, so the rows are loaded first.
  const outline = useOutline(name, thread, { isEnabled: !rows.isOpening })
  const marks = outline.data?.marks ?? NO_MARKS

  const navigation = useReplayJump(name, useNavigation(list, rows, place.at, onGo))
  const { currentId, makeCurrent, showItem, showEnd, jump } = navigation
  const openThread = useCallback(
    (other: string, at?: string) => onGo({ thread: other || undefined, branch: undefined, at }),
    [onGo],
  )
  const linked = useMemo(() => ({ at: place.at, words: place.words }), [place.at, place.words])
  const finding = useFinding({ name, thread }, list, rows, showItem, linked)
  const steps = useRowSteps(list, shown, marks, currentId, { onCurrent: makeCurrent, onShow: showItem, onEnd: showEnd })

  const transcript = useTranscriptValue({
    name,
    place,
    folder: detail?.summary.folder ?? null,
    branches: outline.data?.branches,
    navigation,
    openThread,
    onGo,
    onFork,
    onRaw: setRaw,
    loadWhole,
  })
  const { copiedId, copyLink } = useCopiedLink(transcript.addressOf, makeCurrent)

  /** Leaves what was entered last: the search bar, then the marked words of a search, then the thread of a sub-agent. */
  const back = (): void => {
    const own = detail?.threads.find((each) => each.id === thread)
    if (finding.query !== null) finding.put(null)
    else if (place.words.length > 0) onGo({ word: undefined }, true)
    else if (thread !== "") openThread(own?.parent ?? "", own?.call ?? undefined)
  }
  useThreadKeys({
    navigation,
    steps,
    finding,
    showing,
    onShowing,
    onRaw: (row) => (isExported ? undefined : setRaw({ row, id: row.row.id })),
    onCopyLink: (row) => void (isExported ? undefined : copyLink(row.row.id)),
    onFork: transcript.fork,
    onHelp: () => setHelp(true),
    onBack: back,
  })

  const closeOutline = useCallback(() => onShowing({ isOutline: false }), [onShowing])
  const current = currentId === null ? null : (shown.rows[indexOf(shown, currentId)]?.row.id ?? null)
  const marked = useMemo(() => ({ id: current, copiedId }), [current, copiedId])

  return (
    <TranscriptContext value={transcript}>
      <WorkContext value={lastSign}>
        <CurrentContext value={marked}>
          <div className="transcript" data-wrap={showing.isWrapped || undefined}>
            <ThreadHeader
              name={name}
              detail={detail}
              place={place}
              showing={showing}
              onShowing={onShowing}
              onFind={() => finding.put(finding.query ?? "")}
              onThread={openThread}
            />
            <div className="transcript-body">
              {showing.isOutline ? (
                <OutlineSide marks={marks} firstVisible={firstVisible} onJump={jump} onClose={closeOutline} />
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
                  <ThreadRows
                    ref={list}
                    rows={rows}
                    isInternal={showing.isInternal}
                    isAtWork={lastSign !== null}
                    isPlaceNamed={place.at !== null}
                    firstVisible={firstVisible}
                    onEnd={showEnd}
                  />
                  <PanelGuard name="The map" of={marks}>
                    <Minimap marks={marks} rows={shown.rows} firstVisible={firstVisible} onJump={jump} />
                  </PanelGuard>
                </div>
              </section>
              {showing.isState && player !== null ? (
                <Side title="State at this moment" side="right" onClose={() => onShowing({ isState: false })}>
                  <PanelGuard name="The state at this moment" of={player}>
                    <StatePanel player={player} onShow={jump} onThread={openThread} />
                  </PanelGuard>
                </Side>
              ) : null}
              {showing.isPanel && detail !== null ? (
                <SessionSide
                  detail={detail}
                  thread={thread}
                  onThread={openThread}
                  onClose={() => onShowing({ isPanel: false })}
                />
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
