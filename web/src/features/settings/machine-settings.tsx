import { useQuery } from "@tanstack/react-query"
import { useBackend } from "@/api/follow"
import type { HookPlace, OwnPrices, ServerStatus, SettingsShown } from "@/api/schema"
import { APPROVERS_KEY } from "@/api/use-approvals"
import { several, size } from "@/blocks/text/figures"
import { seenLine } from "@/blocks/text/seen"
import { PlaceLink } from "@/parts/place-link"
import { Badge } from "@/ui/badge"
import { CommandLine } from "@/ui/command-line"
import { Ago } from "@/ui/time"
import { Words } from "@/ui/words"
import { Section } from "./section"

/** The folders whose sessions are recorded, and when the client deletes old ones. */
export function Watched({ status }: { status: ServerStatus | undefined }) {
  if (status === undefined) return null
  const { sessions, cleanup } = status.at_risk
  return (
    <Section title="Watched folders">
      <ul className="flex flex-col gap-1">
        {status.watched.map(({ path, sessions: found, size_bytes }) => (
          <li key={path} className="flex flex-wrap items-baseline gap-x-3">
            <code className="font-mono break-all">{seenLine(path)}</code>
            <span className="text-sm text-ink-3 tabular-nums">
              {several(found, "session")} · {size(size_bytes)}
            </span>
          </li>
        ))}
      </ul>
      <p className={sessions > 0 ? "rounded-md bg-interrupted-soft px-3 py-2 text-interrupted" : "text-ink-2"}>
        <Words
          text={`Claude Code ${cleanup}. What Chorus has recorded stays readable${sessions > 0 ? `, but ${several(sessions, "session")} will go soon and ${sessions === 1 ? "is" : "are"} not recorded yet` : ""}.`}
        />
      </p>
      <p className="text-sm text-ink-2">
        Another folder is watched when the server is started with it:
      </p>
      <CommandLine text="chorus serve /path/to/folder" />
    </Section>
  )
}

/** The approvers, by name; they are changed on their own page with a signature, or in the terminal with a passphrase. */
export function WhoMayApprove() {
  const backend = useBackend()
  const approvers = useQuery({
    queryKey: [...APPROVERS_KEY, "names"],
    queryFn: async ({ signal }) => (await backend.approvers(signal)).approvers,
  }).data
  return (
    <Section title="Approvers">
      {approvers === undefined ? null : approvers.length === 0 ? (
        <p className="text-ink-2">Nobody may approve yet, so requests of agents can only be denied.</p>
      ) : (
        <ul className="flex flex-col gap-1">
          {approvers.map(({ id, name, kind, added_at }) => (
            <li key={id} className="flex flex-wrap items-center gap-2">
              <span className="font-medium">{seenLine(name)}</span>
              <Badge>{kind === "browser" ? "browser" : "passphrase"}</Badge>
              <Ago iso={added_at} className="text-sm text-ink-3" />
            </li>
          ))}
        </ul>
      )}
      <p className="text-ink-2">
        Browsers are added and removed under{" "}
        <PlaceLink href="/approvals#approvers" className="text-accent underline underline-offset-2">
          Approvals
        </PlaceLink>
        . Somebody with a passphrase is added in a terminal:
      </p>
      <CommandLine text="chorus approver add" />
    </Section>
  )
}

/** Whether sessions that a person starts send their requests here, and how to set that up. */
export function Hooks({ hooks }: { hooks: readonly HookPlace[] }) {
  return (
    <Section title="Hooks">
      <p className="text-ink-2">With hooks, sessions that you start yourself also ask here for permission.</p>
      <ul className="flex flex-col gap-1">
        {hooks.map(({ path, is_installed, trouble }) => (
          <li key={path} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <code className="min-w-0 font-mono break-all">{seenLine(path)}</code>
            <Badge tone={trouble === null ? (is_installed ? "accent" : "plain") : "failed"}>
              {trouble === null ? (is_installed ? "installed" : "not installed") : "not in order"}
            </Badge>
            {trouble === null ? null : <p className="w-full text-failed break-words">{seenLine(trouble)}</p>}
          </li>
        ))}
      </ul>
      <p className="text-ink-2">They are installed, checked and removed in a terminal:</p>
      <CommandLine text="chorus hooks install" />
      <CommandLine text="chorus hooks status" />
      <CommandLine text="chorus hooks remove" />
    </Section>
  )
}

/** Prices that a person set. */
export function Prices({ prices }: { prices: OwnPrices }) {
  return (
    <Section title="Prices">
      <p className="text-ink-2">
        Costs are computed with the price table of Chorus{prices.dated === null ? "" : ` of ${seenLine(prices.dated)}`}.{" "}
        {prices.models.length === 0 ? "There are no prices of your own." : `Your own prices hold for ${prices.models.map(seenLine).join(", ")}.`}
      </p>
      {prices.trouble === null ? null : (
        <p role="alert" className="text-failed break-words">
          {seenLine(prices.trouble)}
        </p>
      )}
      <p className="text-sm text-ink-2">
        Your own prices stand in <code className="font-mono break-all">{seenLine(prices.file)}</code>; this shows what holds:
      </p>
      <CommandLine text="chorus cost --by model" />
    </Section>
  )
}

/** The versions and paths of this installation. */
export function About({ status, settings }: { status: ServerStatus | undefined; settings: SettingsShown | undefined }) {
  const facts: [string, string][] = [
    ["Version", status?.version ?? ""],
    ["Vault", status?.vault ?? ""],
    ["Home", settings?.home ?? ""],
    ["Client", settings === undefined ? "" : settings.client || settings.client_trouble],
  ]
  return (
    <Section title="About Chorus">
      <dl className="flex flex-col gap-1">
        {facts
          .filter(([, text]) => text !== "")
          .map(([name, text]) => (
            <div key={name} className="grid grid-cols-[6rem_minmax(0,1fr)] gap-4">
              <dt className="text-ink-2">{name}</dt>
              <dd className="font-mono break-all">{seenLine(text)}</dd>
            </div>
          ))}
      </dl>
      <p className="text-ink-2">This checks everything that is recorded, and says what to do:</p>
      <CommandLine text="chorus doctor" />
    </Section>
  )
}
