import { useQuery, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { useBackend } from "@/api/follow"
import type { NotificationRules, NotificationSettings, WorkspaceCount } from "@/api/schema"
import { useBoard } from "@/api/use-board"
import { several } from "@/blocks/text/figures"
import { seenLine } from "@/blocks/text/seen"
import { Button } from "@/ui/button"
import { Segments } from "@/ui/segments"
import { canPush, switchPushOff, switchPushOn } from "./push"
import { Section } from "./section"

const KEY = ["notifications"]
type Event = NotificationRules["events"][number]
/** Every event, in the order in which the page lists them. */
const WORDS: Readonly<Record<Event, string>> = {
  "needs-you": "An agent waits for you",
  failed: "An agent failed",
  limit: "A limit of a budget is nearly or completely used",
  alert: "An agent may be stuck",
  done: "An agent has finished",
}
const EVENTS = Object.keys(WORDS).filter((name): name is Event => Object.hasOwn(WORDS, name))

/** What this device is notified of, and how much a notification says. */
export function Notifications() {
  const backend = useBackend()
  const { data, error } = useQuery({ queryKey: KEY, queryFn: ({ signal }) => backend.notifications(signal) })
  return (
    <Section title="Notifications">
      <p className="text-ink-2">These rules hold for this device. Nothing can be decided by a notification: it only opens Chorus.</p>
      {error === null ? null : (
        <p role="alert" className="text-failed">
          They cannot be read: {error.message}
        </p>
      )}
      {data === undefined ? null : <Rules settings={data} />}
    </Section>
  )
}

function Rules({ settings }: { settings: NotificationSettings }) {
  const backend = useBackend()
  const cache = useQueryClient()
  const workspaces = useBoard().data?.workspaces ?? []
  const [trouble, setTrouble] = useState<string | null>(null)
  const { rules, is_pushed } = settings
  const [from = "", to = ""] = rules.quiet.split("-")
  const attempt = async (act: () => Promise<void>) => {
    try {
      await act()
      setTrouble(null)
    } catch (error) {
      setTrouble(error instanceof Error ? error.message : String(error))
    }
    await cache.invalidateQueries({ queryKey: KEY })
  }
  const put = (change: Partial<NotificationRules>) => void attempt(() => backend.changeNotifications({ ...rules, ...change }))
  return (
    <>
      <fieldset className="flex flex-col gap-1">
        <legend className="mb-1 text-ink-2">Notify me when</legend>
        {EVENTS.map((event) => (
          <Tick
            key={event}
            isOn={rules.events.includes(event)}
            onChange={(isOn) => put({ events: EVENTS.filter((each) => (each === event ? isOn : rules.events.includes(each))) })}
          >
            {WORDS[event]}
          </Tick>
        ))}
      </fieldset>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span aria-hidden className="text-ink-2">
          A notification says
        </span>
        <Segments
          label="A notification says"
          value={rules.content}
          options={[
            { value: "none", label: "Only that" },
            { value: "title", label: "The title" },
            { value: "command", label: "The command" },
          ]}
          onChange={(content) => put({ content })}
        />
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <Tick isOn={rules.quiet !== ""} onChange={(isOn) => put({ quiet: isOn ? "22:00-07:00" : "" })}>
          Quiet hours
        </Tick>
        {rules.quiet === "" ? null : (
          <>
            <Clock label="Quiet from" value={from} onChange={(chosen) => put({ quiet: `${chosen}-${to}` })} />
            <Clock label="Quiet until" value={to} onChange={(chosen) => put({ quiet: `${from}-${chosen}` })} />
          </>
        )}
      </div>
      {workspaces.length === 0 ? null : (
        <Workspaces workspaces={workspaces} muted={rules.muted} onChange={(muted) => put({ muted })} />
      )}
      <div className="flex flex-wrap gap-2">
        {canPush() ? (
          <Button onClick={() => void attempt(() => (is_pushed ? switchPushOff(backend) : switchPushOn(backend, settings.public_key)))}>
            {is_pushed ? "Notify only while Chorus is open" : "Notify also while Chorus is closed"}
          </Button>
        ) : null}
        <Button kind="quiet" onClick={() => void attempt(() => backend.tryNotification())}>
          Send one now
        </Button>
      </div>
      {trouble === null ? null : (
        <p role="alert" className="text-failed">
          {trouble}
        </p>
      )}
    </>
  )
}

/** The workspaces, folded: there may be hundreds. */
function Workspaces({ workspaces, muted, onChange }: { workspaces: readonly WorkspaceCount[]; muted: string[]; onChange: (muted: string[]) => void }) {
  const count = workspaces.filter(({ workspace }) => !muted.includes(workspace)).length
  const all = `all ${several(workspaces.length, "workspace")}`
  return (
    <details>
      <summary className="cursor-pointer text-ink-2">In {count === workspaces.length ? all : `${count} of ${several(workspaces.length, "workspace")}`}</summary>
      <fieldset aria-label="Workspaces" className="mt-1 grid gap-x-4 gap-y-1 sm:grid-cols-2">
        {workspaces.map(({ workspace, name }) => (
          <Tick
            key={workspace}
            isOn={!muted.includes(workspace)}
            onChange={(isOn) => onChange(isOn ? muted.filter((each) => each !== workspace) : [...muted, workspace])}
          >
            {seenLine(name)}
          </Tick>
        ))}
      </fieldset>
    </details>
  )
}

function Tick({ isOn, onChange, children }: { isOn: boolean; onChange: (isOn: boolean) => void; children: ReactNode }) {
  return (
    <label className="flex items-center gap-2">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.target.checked)} />
      {children}
    </label>
  )
}

function Clock({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  return (
    <input
      type="time"
      required
      aria-label={label}
      value={value}
      className="rounded-md border border-line-strong bg-surface px-2 py-0.5"
      onChange={(event) => {
        if (event.target.value !== "") onChange(event.target.value)
      }}
    />
  )
}
