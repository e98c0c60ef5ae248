import { Bot } from "lucide-react"
import { seenLine } from "@/blocks/text/seen"
import { Badge } from "@/ui/badge"
import { cx } from "@/ui/cx"
import { Progress } from "@/ui/progress"
import { tip } from "@/ui/tooltip"
import { type ConversationFacts, countInWords, type ProgressFacts, progressInFull, sourceInShort, type SubAgentFacts, workInWords } from "./progress"

const MAX_AGENTS = 6

/** The progress of a conversation on one line, and each of its sub-agents below it. */
export function ProgressLines({ progress, className }: { progress: ConversationFacts; className?: string }) {
  const { main, sub_agents } = progress
  const more = sub_agents.length - MAX_AGENTS
  return (
    <span className={cx("flex min-w-0 flex-col gap-0.5 text-sm text-ink-2", className)}>
      {main === null ? null : <ProgressLine progress={main} />}
      {sub_agents.slice(0, MAX_AGENTS).map((agent, at) => (
        <SubAgentLine key={agent.id === "" ? at : agent.id} agent={agent} />
      ))}
      {more > 0 ? <span className="text-ink-3">and {more} more sub-agents</span> : null}
    </span>
  )
}

/** Bar, count, step and source. There is no bar without a total. */
function ProgressLine({ progress, isBelow = false }: { progress: ProgressFacts; isBelow?: boolean }) {
  const { completed, total, step, source, reason } = progress
  const words = countInWords(progress)
  return (
    <span className={cx("flex min-w-0 items-center gap-2", isBelow && "max-sm:shrink-0")} {...tip(progressInFull(progress))}>
      {total === null || completed === null ? null : (
        <Progress done={completed} total={total} label={`${seenLine(step)}: ${words}`} className={cx("shrink-0 sm:w-28", isBelow ? "w-10" : "w-20")} />
      )}
      <span className="shrink-0 tabular-nums">{words}</span>
      <span className={cx("min-w-0 truncate", isBelow && reason === null && "max-sm:hidden")} dir="auto">
        {reason === null ? null : <span className="text-ink-3 sm:hidden">{isBelow ? reason : `${reason}: `}</span>}
        <span className={cx(isBelow && "max-sm:hidden")}>{seenLine(step)}</span>
      </span>
      <Badge tone="outline" className="shrink-0">
        {sourceInShort(source)}
      </Badge>
      {reason === null ? null : <span className="shrink-0 text-ink-3 max-sm:hidden">{reason}</span>}
    </span>
  )
}

function SubAgentLine({ agent }: { agent: SubAgentFacts }) {
  const { description, progress, source } = agent
  return (
    <span className="flex min-w-0 items-center gap-2 pl-2">
      <Bot aria-hidden className="size-3 shrink-0 text-running" />
      <span className="sr-only">Sub-agent </span>
      <span className="min-w-0 truncate text-ink sm:max-w-[45%] sm:shrink-0" dir="auto">
        {seenLine(description)}
      </span>
      {progress === null ? (
        <>
          <span className="min-w-0 truncate text-ink-3" dir="auto">
            {seenLine(workInWords(agent))}
          </span>
          <Badge tone="outline" className="shrink-0">
            {sourceInShort(source)}
          </Badge>
        </>
      ) : (
        <ProgressLine progress={progress} isBelow />
      )}
    </span>
  )
}
