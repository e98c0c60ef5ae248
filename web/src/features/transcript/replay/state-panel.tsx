import type { ReactNode } from "react"
import type { Panel, PanelSpent, PanelWait } from "@/api/schema"
import { Todos } from "@/blocks/todos"
import { cost, count, several, tokens } from "@/blocks/text/figures"
import { seen, seenLine } from "@/blocks/text/seen"
import { inWords } from "@/parts/machine-words"
import { LOCALE } from "@/ui/locale"
import { tip } from "@/ui/tooltip"
import { exact, instant } from "@/ui/when"
import { useTranscript } from "../transcript-context"
import type { Player } from "./player"
import { usePlayerState } from "./replay-context"

/** The state of the conversation at the moment of the player: what the server says, and nothing that is computed here. */
export function StatePanel({ player, onShow, onThread }: { player: Player; onShow: (call: string) => void; onThread: (thread: string) => void }) {
  const { folder } = useTranscript()
  const panel = usePlayerState(player, ({ moments, number }) => moments?.panel(number) ?? null)
  if (panel === null) return <p className="p-3.5 text-ink-3">The state at this moment is being loaded.</p>
  return (
    <div className="session-panel">
      <Section title="Now">
        <dl className="facts">
          <Fact name="Doing">{inWords(panel.work.status)}</Fact>
          <Fact name="Model">{panel.work.model === null ? null : seenLine(panel.work.model)}</Fact>
          <Fact name="Mode">{panel.work.permission_mode === null ? null : inWords(panel.work.permission_mode)}</Fact>
          <Spent spent={panel.spent} />
        </dl>
      </Section>
      <List title="Waiting" of={panel.waits} keyOf={(wait, index) => wait.call ?? String(index)}>
        {(wait) => (
          <>
            {waitWords(wait, panel)}
            {wait.since === null ? null : <span className="text-ink-3"> since {timeWords(wait.since)}</span>}
          </>
        )}
      </List>
      <List title="Open calls" of={panel.calls} keyOf={(call) => call.id}>
        {(call) => (
          <button type="button" className="state-link" onClick={() => onShow(call.id)}>
            {seenLine(call.name)}
            {call.thread === "" ? "" : ` (${agentName(panel, call.thread)})`}
          </button>
        )}
      </List>
      <List title="Sub-agents at work" of={panel.agents} keyOf={(agent) => agent.id}>
        {(agent) => (
          <button type="button" className="state-link" onClick={() => onThread(agent.id)}>
            {[agent.kind, agent.description].map(seenLine).filter(Boolean).join(": ") || "sub-agent"}
          </button>
        )}
      </List>
      {panel.todos.length === 0 ? null : (
        <Section title="To do" count={panel.todos.length + panel.todos_left_out}>
          <Todos block={{ type: "todos", cut_chars: 0, items: panel.todos.map((todo) => ({ ...todo, id: null, note: null })) }} />
          {panel.todos_left_out > 0 ? <p className="text-ink-3">and {panel.todos_left_out} more</p> : null}
        </Section>
      )}
      <List title="Files" of={panel.files} keyOf={(file) => file.path}>
        {(file) => (
          <button type="button" className="state-link" onClick={() => onShow(file.call)} {...tip(seen(file.path))}>
            <span className="state-path">{seenLine(folder === null ? file.path : below(file.path, folder))}</span>
            <span className="text-ink-3">{several(file.versions, "version")}</span>
          </button>
        )}
      </List>
    </div>
  )
}

function Spent({ spent }: { spent: PanelSpent }) {
  const used = tokens(spent.tokens)
  const price = spent.cost_usd === null ? spent.why_no_cost : `${spent.is_lower_bound ? "≥" : ""}${cost(spent.cost_usd)}`
  const { context_tokens, context_window } = spent
  return (
    <>
      <Fact name="Tokens">{used === "" ? null : `${spent.is_lower_bound ? "≥ " : ""}${used}`}</Fact>
      <Fact name="Cost">{price === null ? null : seenLine(price)}</Fact>
      <Fact name="Context">
        {context_tokens === null || context_window === null
          ? null
          : `${count(context_tokens)} of ${count(context_window)} (${Math.round((100 * context_tokens) / context_window)} %)`}
      </Fact>
    </>
  )
}

const AWAITED: Record<PanelWait["kind"], string> = {
  permission: "permission",
  question: "an answer",
  plan: "a verdict about the plan",
  prompt: "the next prompt",
  agent: "a sub-agent",
}

function waitWords(wait: PanelWait, panel: Panel): string {
  const who = wait.who === "" ? "Main agent" : agentName(panel, wait.who)
  const whom = wait.whom === "person" ? "you" : agentName(panel, wait.whom)
  const what = wait.what === "" || wait.kind === "agent" ? "" : ` (${seenLine(wait.what)})`
  return `${who} waits for ${whom}: ${AWAITED[wait.kind]}${what}`
}

function timeWords(iso: string): string {
  const ms = instant(iso)
  return ms === null ? seenLine(iso) : exact(ms, LOCALE)
}

/** A path in the folder of the conversation, without the folder. */
function below(path: string, folder: string): string {
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path
}

function agentName(panel: Panel, id: string): string {
  const agent = panel.agents.find((each) => each.id === id)
  return seenLine(agent?.description ?? "") || seenLine(agent?.kind ?? "") || `sub-agent ${seenLine(id.slice(0, 7))}`
}

function List<T>({ title, of, keyOf, children }: { title: string; of: readonly T[]; keyOf: (item: T, index: number) => string; children: (item: T) => ReactNode }) {
  if (of.length === 0) return null
  return (
    <Section title={title} count={of.length}>
      <ul className="flex flex-col gap-0.5">
        {of.map((item, index) => (
          <li key={keyOf(item, index)} className="min-w-0 break-words">
            {children(item)}
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Section({ title, count: number, children }: { title: string; count?: number; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2>
        {title}
        {number === undefined ? null : <span className="ml-1.5 font-normal text-ink-3">{number}</span>}
      </h2>
      {children}
    </section>
  )
}

function Fact({ name, children }: { name: string; children: string | null }) {
  if (children === null || children === "") return null
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
