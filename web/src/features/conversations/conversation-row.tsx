import { Bot, FolderClosed, GitBranch, TriangleAlert } from "lucide-react"
import { memo } from "react"
import type { ConversationSummary, RunShown } from "@/api/schema"
import { count, several } from "@/blocks/text/figures"
import { seen, seenLine } from "@/blocks/text/seen"
import { type Activity, waitingFor } from "@/parts/activity"
import { modelsInShort } from "@/parts/model-name"
import { PlaceLink } from "@/parts/place-link"
import { addressOf } from "@/parts/places"
import { RunMark } from "@/parts/run-mark"
import { costInFull, costInShort, tokensInAll, tokensInFull } from "@/parts/spending"
import { StatusMark } from "@/parts/status-mark"
import { Badge } from "@/ui/badge"
import { cx } from "@/ui/cx"
import { Ago } from "@/ui/time"
import { tip } from "@/ui/tooltip"

interface RowProps {
  conversation: ConversationSummary
  activity: Activity
  subAgents: number
  run: RunShown | null
  isSelected: boolean
}

/** One line of the list; two on a phone. All of it is the link. */
export const ConversationRow = memo(function ConversationRow({ conversation, activity, subAgents, run, isSelected }: RowProps) {
  const title = seenLine(conversation.title)
  return (
    <PlaceLink
      href={addressOf(conversation.name)}
      data-conversation={conversation.name}
      className={cx(
        "grid h-14 grid-cols-[1rem_minmax(0,1fr)_auto] content-center items-center gap-x-2.5 gap-y-0.5 px-4",
        "md:h-9 md:grid-cols-[7.5rem_minmax(0,1fr)_minmax(0,13rem)_6.5rem_3.25rem_4.25rem_4rem] md:gap-x-4 md:px-5 xl:grid-cols-[7.5rem_minmax(0,1fr)_minmax(0,17rem)_7rem_3.25rem_4.25rem_4rem]",
        "focus-visible:shadow-[inset_3px_0_0_var(--focus)] focus-visible:outline-none",
        isSelected ? "bg-selected" : "hover:bg-hover",
      )}
    >
      <span className="flex text-sm md:hidden">
        <StatusMark activity={activity} waitingFor={waitingFor(conversation)} isSmall />
      </span>
      <span className="hidden text-sm md:flex">
        <StatusMark activity={activity} waitingFor={waitingFor(conversation)} />
      </span>
      <span className="flex min-w-0 items-center gap-2">
        <span className={cx("truncate font-medium", title === "" && "text-ink-3 italic")}>{title || "Untitled"}</span>
        {run === null ? null : <RunMark run={run} />}
        <Marks conversation={conversation} subAgents={subAgents} />
      </span>
      <Place conversation={conversation} className="hidden md:flex" />
      <Models models={conversation.models} className="hidden md:inline" />
      <Tokens conversation={conversation} className="hidden text-right md:inline" />
      <Cost conversation={conversation} className="hidden text-right md:inline" />
      <Ago iso={conversation.ended_at} className="text-right text-sm whitespace-nowrap text-ink-3 tabular-nums" />
      <span className="col-span-2 col-start-2 flex min-w-0 items-center gap-3 text-sm text-ink-3 md:hidden">
        <Place conversation={conversation} className="flex" />
        <Models models={conversation.models} className="ml-auto shrink-0" />
        <Cost conversation={conversation} className="shrink-0" />
      </span>
    </PlaceLink>
  )
})

function Marks({ conversation, subAgents }: { conversation: ConversationSummary; subAgents: number }) {
  const { sub_agents, damaged, is_stub } = conversation
  return (
    <>
      {subAgents > 0 ? (
        <Badge className="shrink-0" {...tip(`${subAgents} of ${several(sub_agents, "sub-agent")} at work`)}>
          <Bot aria-hidden className="size-3 animate-breathe text-running" />
          {subAgents}
          <span className="sr-only">sub-agents at work</span>
        </Badge>
      ) : null}
      {is_stub ? (
        <Badge tone="outline" className="shrink-0" {...tip("Only the prompts of it were kept by the client")}>
          prompts only
        </Badge>
      ) : null}
      {damaged > 0 ? (
        <span className="shrink-0 text-interrupted" {...tip(`${several(damaged, "record")} cannot be read`)}>
          <TriangleAlert aria-hidden className="size-3.5" />
          <span className="sr-only">{several(damaged, "damaged record")}</span>
        </span>
      ) : null}
    </>
  )
}

type PartProps = { conversation: ConversationSummary; className: string }

function Place({ conversation, className }: PartProps) {
  const { branch, folder, workspace_name, agent } = conversation
  const hasBranch = branch !== null && branch !== ""
  const where = [seen(folder ?? workspace_name), branch === null ? null : `on ${seen(branch)}`, `agent ${seen(agent)}`]
  return (
    <span
      className={cx("min-w-0 items-center gap-1.5 text-sm text-ink-2", className)}
      {...tip(where.filter((part) => part !== null).join("\n"))}
    >
      <FolderClosed aria-hidden className="size-3 shrink-0 text-ink-3" />
      <span className={cx("min-w-8 truncate", hasBranch && "max-w-[65%] shrink-0")}>{seenLine(conversation.workspace_name)}</span>
      {hasBranch ? (
        <>
          <GitBranch aria-hidden className="size-3 shrink-0 text-ink-3" />
          <span className="min-w-0 truncate">{seenLine(branch)}</span>
        </>
      ) : null}
    </span>
  )
}

function Models({ models, className }: { models: readonly string[]; className: string }) {
  const short = modelsInShort(models)
  if (short === null) return <span className={className} />
  return (
    <span className={cx("truncate text-sm text-ink-2", className)} {...tip(models.map(seen).join("\n"))}>
      {seenLine(short.name)}
      {short.more > 0 ? <span className="text-ink-3"> +{short.more}</span> : null}
    </span>
  )
}

function Tokens({ conversation, className }: PartProps) {
  const all = tokensInAll(conversation.tokens)
  if (all === 0) return <span className={className} />
  return (
    <span className={cx("text-sm text-ink-3 tabular-nums", className)} {...tip(tokensInFull(conversation.tokens))}>
      {count(all)}
    </span>
  )
}

function Cost({ conversation, className }: PartProps) {
  return (
    <span className={cx("text-sm text-ink-2 tabular-nums", className)} {...tip(costInFull(conversation))}>
      {costInShort(conversation) ?? <span className="text-ink-3">—</span>}
    </span>
  )
}
