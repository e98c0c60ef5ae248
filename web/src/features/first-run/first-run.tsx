import { FolderSearch, HardDriveDownload, ShieldCheck } from "lucide-react"
import type { ReactNode } from "react"
import type { ServerStatus } from "@/api/schema"
import { several, size } from "@/blocks/text/figures"
import { seenLine } from "@/blocks/text/seen"
import { EmptyState } from "@/ui/empty-state"
import { Progress } from "@/ui/progress"
import { Skeleton } from "@/ui/skeleton"
import { riskInWords } from "./risk"

/** Shown before there is a conversation: what Chorus is doing, or where it found nothing. */
export function FirstRun({ status }: { status: ServerStatus | undefined }) {
  if (status === undefined) return <Skeleton className="mx-auto mt-24 h-40 max-w-lg" />
  const sessions = status.watched.reduce((sum, folder) => sum + folder.sessions, 0)
  const isBusy = status.state === "starting" || status.state === "keeping"
  return isBusy || sessions > 0 ? <Recording status={status} sessions={sessions} /> : <NothingFound status={status} />
}

function Recording({ status, sessions }: { status: ServerStatus; sessions: number }) {
  return (
    <section className="mx-auto max-w-lg px-6 py-16">
      <h2 className="text-xl font-semibold tracking-tight">Recording your sessions</h2>
      <p className="mt-1 text-md text-ink-2">
        Chorus copies every record that Claude Code writes, as it is written. Nothing leaves this machine.
      </p>
      <div className="mt-6">
        <Progress done={status.done_bytes} total={status.total_bytes} label="Recording sessions" />
        <p className="mt-2 flex justify-between text-sm text-ink-2 tabular-nums" role="status">
          <span>
            {size(status.done_bytes)} of {size(status.total_bytes)}
          </span>
          <span>{several(status.conversations, "conversation")} ready</span>
        </p>
      </div>
      <ul className="mt-8 flex flex-col gap-5">
        <Fact icon={<FolderSearch />} title={`${several(sessions, "session")} found`}>
          <Watched status={status} />
        </Fact>
        <Fact icon={<ShieldCheck />} title="At risk">
          {riskInWords(status.at_risk)}
        </Fact>
        <Fact icon={<HardDriveDownload />} title="Recorded in">
          <code className="font-mono text-sm break-all">{seenLine(status.vault)}</code>
        </Fact>
      </ul>
    </section>
  )
}

function NothingFound({ status }: { status: ServerStatus }) {
  return (
    <EmptyState icon={<FolderSearch />} title="No sessions found">
      <p>Chorus searched these folders for sessions of Claude Code, and keeps watching them:</p>
      <ul className="rounded-lg border border-line bg-inset px-3 py-2 text-left">
        {status.watched.length === 0 ? <li>no folder is watched</li> : null}
        {status.watched.map(({ path }) => (
          <li key={path} className="font-mono text-sm break-all">
            {seenLine(path)}
          </li>
        ))}
      </ul>
      <p>
        Start <code className="font-mono">claude</code> in any project and it appears by itself. Sessions elsewhere? Set{" "}
        <code className="font-mono">CLAUDE_CONFIG_DIR</code> to the folder that holds <code className="font-mono">projects</code>{" "}
        and start <code className="font-mono">chorus serve</code> again.
      </p>
    </EmptyState>
  )
}

function Watched({ status }: { status: ServerStatus }) {
  return (
    <ul>
      {status.watched.map(({ path, sessions, size_bytes }) => (
        <li key={path} className="flex flex-wrap items-baseline gap-x-2">
          <code className="font-mono text-sm break-all">{seenLine(path)}</code>
          <span className="text-sm text-ink-3 tabular-nums">
            {several(sessions, "session")} · {size(size_bytes)}
          </span>
        </li>
      ))}
    </ul>
  )
}

function Fact({ icon, title, children }: { icon: ReactNode; title: string; children: ReactNode }) {
  return (
    <li className="flex gap-3">
      <span className="mt-0.5 text-ink-3 [&_svg]:size-4">{icon}</span>
      <div className="min-w-0">
        <h3 className="font-medium">{title}</h3>
        <div className="text-ink-2">{children}</div>
      </div>
    </li>
  )
}
