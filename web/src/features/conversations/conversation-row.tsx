import { Bot, Ellipsis, FolderClosed, GitBranch, TriangleAlert } from "lucide-react"
import { memo } from "react"
import type { ConversationProgressShown, ConversationSummary, RunShown } from "@/api/schema"
import { count, duration, elapsed, several } from "@/blocks/text/figures"
import { seen, seenLine } from "@/blocks/text/seen"
import { type Activity, waitingFor } from "@/parts/activity"
import { useAnnotate } from "@/parts/annotating"
import { AnnotationMarks, Tags } from "@/parts/annotation-marks"
import { modelsInShort } from "@/parts/model-name"
import { PaneMark } from "@/parts/pane-mark"
import { PlaceLink } from "@/parts/place-link"
import { addressOf } from "@/parts/places"
import { ProgressLines } from "@/parts/progress-line"
import { promptBeside } from "@/parts/prompt-beside"
import { RunMark } from "@/parts/run-mark"
import { costInFull, costInShort, tokensInAll, tokensInFull } from "@/parts/spending"
import { StatusMark } from "@/parts/status-mark"
import { Badge } from "@/ui/badge"
import { IconButton } from "@/ui/button"
import { cx } from "@/ui/cx"
import { LOCALE } from "@/ui/locale"
import { Ago } from "@/ui/time"
import { tip } from "@/ui/tooltip"
import { exact, instant } from "@/ui/when"

interface RowProps {
  conversation: ConversationSummary
  activity: Activity
  subAgents: number
  progress: ConversationProgressShown | null
  run: RunShown | null
  isSelected: boolean
}

/** The widths of the columns: of the rows, and of the headings above them. */
export const COLUMNS = cx(
  "md:grid-cols-[7.5rem_minmax(0,1fr)_minmax(0,11rem)_6.5rem_3.25rem_4.25rem_4rem] md:gap-x-4 md:px-5",
  "xl:grid-cols-[7.5rem_minmax(0,1fr)_minmax(0,9rem)_6rem_4.5rem_3.25rem_4.25rem_4.25rem_4rem]",
  "2xl:grid-cols-[7.5rem_minmax(0,1fr)_minmax(0,13rem)_7rem_4.5rem_3.25rem_4.25rem_4.25rem_4rem]",
)

/** A row of the list, with the first prompt if the title says something else. The whole row is the link. */
export const ConversationRow = memo(function ConversationRow({ conversation, activity, subAgents, progress, run, isSelected }: RowProps) {
  const title = seenLine(conversation.title)
  const prompt = promptBeside(conversation)
  const annotate = useAnnotate()
  return (
    <div className="group relative">
      <PlaceLink
        href={addressOf(conversation.name)}
        data-conversation={conversation.name}
        className={cx(
          "grid min-h-14 grid-cols-[1rem_minmax(0,1fr)_auto] content-center items-center gap-x-2.5 gap-y-0.5 px-4 py-1 md:min-h-9",
          "compact:min-h-11 compact:gap-y-0 compact:py-0.5 md:compact:min-h-7",
          COLUMNS,
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
        <span className="flex min-w-0 items-center gap-2" {...tip(inFull(conversation))}>
          <span className={cx("truncate font-medium", title === "" && "text-ink-3 italic")}>{title || "Untitled"}</span>
          {run === null ? null : <RunMark run={run} />}
          {conversation.running?.pane == null ? null : <PaneMark pane={conversation.running.pane} />}
          <Marks conversation={conversation} subAgents={subAgents} />
          <AnnotationMarks conversation={conversation} />
        </span>
        <Place conversation={conversation} className="hidden md:flex" />
        <Models models={conversation.models} className="hidden md:inline" />
        <span className="hidden text-right text-sm text-ink-3 tabular-nums xl:inline">{count(conversation.messages)}</span>
        <Tokens conversation={conversation} className="hidden text-right md:inline" />
        <Cost conversation={conversation} className="hidden text-right md:inline" />
        <Took conversation={conversation} className="hidden text-right xl:inline" />
        <Ago iso={conversation.ended_at} className="text-right text-sm whitespace-nowrap text-ink-3 tabular-nums" />
        {prompt === null && conversation.tags.length === 0 ? null : (
          <span className="col-start-2 col-end-[-1] flex min-w-0 items-center gap-1.5 text-sm text-ink-3">
            <Tags tags={conversation.tags} />
            <span className="min-w-0 truncate">{prompt === null ? "" : seenLine(prompt)}</span>
          </span>
        )}
        {progress === null ? null : <ProgressLines progress={progress} className="col-start-2 col-end-[-1]" />}
        <span className="col-span-2 col-start-2 flex min-w-0 items-center gap-3 text-sm text-ink-3 md:hidden">
          <Place conversation={conversation} className="flex" />
          <Models models={conversation.models} className="ml-auto shrink-0" />
          <Cost conversation={conversation} className="shrink-0" />
        </span>
      </PlaceLink>
      <IconButton
        label={`Rename, tag, archive or delete: ${title}`}
        className="absolute top-1 right-1 bg-raised opacity-0 shadow-sm group-hover:opacity-100 focus-visible:opacity-100 max-md:hidden"
        tabIndex={-1}
        onClick={() => annotate(conversation)}
      >
        <Ellipsis />
      </IconButton>
    </div>
  )
})

function inFull({ title, first_prompt, started_at, id, note }: ConversationSummary): string {
  const began = instant(started_at)
  return [title, first_prompt, note, began === null ? null : `Began ${exact(began, LOCALE)}`, id]
    .filter((part, at, all) => part !== null && part !== "" && all.indexOf(part) === at)
    .map((part) => seen(part ?? ""))
    .join("\n")
}

function Took({ conversation, className }: PartProps) {
  const took = elapsed(conversation.started_at, conversation.ended_at)
  return <span className={cx("text-sm text-ink-3 tabular-nums", className)}>{took === null ? "" : duration(took)}</span>
}

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
        <Badge tone="outline" className="shrink-0" {...tip("The client kept only its prompts")}>
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
      <span className={cx("truncate", hasBranch ? "max-w-[65%] shrink-0" : "min-w-8")}>{seenLine(conversation.workspace_name)}</span>
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
