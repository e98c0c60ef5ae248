import type { ReactNode } from "react"
import { useConnection, useHeardAt } from "@/api/follow"
import type { ServerStatus } from "@/api/schema"
import { several, size } from "@/blocks/text/figures"
import { seenLine } from "@/blocks/text/seen"
import { Dialog, DialogHeader } from "@/ui/dialog"
import { LOCALE } from "@/ui/locale"
import { useNow } from "@/ui/now"
import { Progress } from "@/ui/progress"
import { Words } from "@/ui/words"
import { lookOf } from "./connection-mark"
import { shownAsOf, stateInWords } from "./state-in-words"

/** What Chorus is doing, what it watches, and what it stores. */
export function StatusPanel({ status, onClose }: { status: ServerStatus | undefined; onClose: () => void }) {
  const connection = useConnection()
  const { word, meaning } = lookOf(connection)
  const heardAt = useHeardAt()
  const now = useNow()
  return (
    <Dialog label="Status" onClose={onClose} className="max-w-lg">
      <DialogHeader title="Status" onClose={onClose} />
      <dl className="grid max-h-[calc(100dvh-6rem)] grid-cols-[7rem_minmax(0,1fr)] gap-x-4 gap-y-3 overflow-y-auto p-4">
        <Line name="Connection">
          {word}
          <p className="text-ink-2">
            <Words text={meaning} />
          </p>
          {connection.phase === "live" || heardAt === null ? null : <p>{shownAsOf(heardAt, now, LOCALE)}</p>}
        </Line>
        {status === undefined ? null : <Facts status={status} />}
      </dl>
    </Dialog>
  )
}

function Facts({ status }: { status: ServerStatus }) {
  const { at_risk, watched } = status
  return (
    <>
      <Line name="State">
        {stateInWords(status)}
        {status.state === "keeping" ? (
          <Progress className="mt-2" done={status.done_bytes} total={status.total_bytes} label="Recording sessions" />
        ) : null}
        {status.trouble === null ? null : <p className="mt-1 text-failed">{seenLine(status.trouble)}</p>}
      </Line>
      <Line name="Recorded">
        {several(status.conversations, "conversation")}
        <p className="font-mono text-sm break-all text-ink-2">{seenLine(status.vault)}</p>
      </Line>
      <Line name="Watched">
        {watched.length === 0 ? "No folder" : null}
        <ul className="flex flex-col gap-1">
          {watched.map(({ path, sessions, size_bytes }) => (
            <li key={path}>
              <span className="font-mono text-sm break-all">{seenLine(path)}</span>
              <span className="block text-sm text-ink-3">
                {several(sessions, "session")} · {size(size_bytes)}
              </span>
            </li>
          ))}
        </ul>
      </Line>
      <Line name="Vault">
        {status.lost.length + status.mended.length === 0 ? "Nothing was damaged" : null}
        <Files words="Lost: no source has it any more" files={status.lost} tone="text-failed" />
        <Files words="Damaged, and mended" files={status.mended} tone="text-ink-2" />
      </Line>
      <Line name="At risk">
        {at_risk.sessions === 0 ? "Nothing" : several(at_risk.sessions, "session")}
        <p className="text-ink-2">
          <Words text={`Claude Code ${at_risk.cleanup}. What Chorus has recorded stays.`} />
        </p>
      </Line>
      <Line name="Version">{seenLine(status.version)}</Line>
    </>
  )
}

/** Files of the vault, each with its problem; nothing if there are none. */
function Files({ words, files, tone }: { words: string; files: readonly string[]; tone: string }) {
  if (files.length === 0) return null
  return (
    <>
      <p className={tone}>{words}</p>
      <ul className="mb-1 flex flex-col gap-1">
        {files.map((file) => (
          <li key={file} className="text-sm break-words text-ink-2">
            {seenLine(file)}
          </li>
        ))}
      </ul>
    </>
  )
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-2">{name}</dt>
      <dd>{children}</dd>
    </>
  )
}
