import { Hand, Lock } from "lucide-react"
import { useId, useMemo, useRef, useState } from "react"
import type { ApprovalCard as Card } from "@/api/schema"
import { BlockView } from "@/blocks/block-view"
import { useIsWhole, Wholeness } from "@/blocks/wholeness"
import { useStill } from "@/ui/still"
import { Ago } from "@/ui/time"
import { Words } from "@/ui/words"
import { OF_PLANS, OF_QUESTIONS, USUAL } from "./action-words"
import { changedInput, faultOf } from "./answering"
import { CardActions } from "./card-actions"
import { CardContent } from "./card-content"
import { CardFacts } from "./card-facts"
import { CardHints } from "./card-hints"
import { CardOffers } from "./card-offers"
import { CardPlace } from "./card-place"
import { Countdown, useIsOverdue } from "./countdown"
import { InputEditor } from "./input-editor"
import { obstacleOf } from "./obstacle"
import { isPlan } from "./plans"
import { NotYetApprover } from "./not-yet-approver"
import { QuestionForm } from "./question-form"
import { answeredInput, askedOf, type Given } from "./questions"
import { RestartRun } from "./restart-run"
import type { Standing } from "./standing"
import { useAnswer } from "./use-answer"
import { useEndSeen } from "./use-end-seen"

/** A card must have been still for this long before it can be answered. */
const STILL_MS = 500

interface CardProps {
  card: Card
  standing: Standing | null
  /** Why this login may not answer, and what to do; null if it may. */
  refusal?: string | null
  /** Whether the card is shown in the conversation that asks. */
  isHere?: boolean
  onAnswered: (card: Card) => void
  onLate: (id: string) => void
}

/** A request to decide: what would run, what could go wrong, and the answers. */
export function ApprovalCard({ card, standing, refusal = null, isHere = false, onAnswered, onLate }: CardProps) {
  const id = useId()
  const frame = useRef<HTMLElement>(null)
  const actions = useRef<HTMLDivElement>(null)
  const end = useRef<HTMLDivElement>(null)
  const still = useStill([frame, actions], STILL_MS)
  const [wholeness] = useState(() => new Wholeness())
  const isWhole = useIsWhole(wholeness)
  const [chosen, setChosen] = useState<number[]>([])
  const [edited, setEdited] = useState<string | null>(null)
  const [isOpen, setOpen] = useState(false)
  const isOverdue = useIsOverdue(card.deadline_at)
  const isEndSeen = useEndSeen(end, actions, isWhole ? (edited ?? "") : null)
  const { answer, isAnswering, trouble } = useAnswer(card, standing === "approver", { onAnswered, onLate })

  const asked = useMemo(() => askedOf(card), [card])
  const [given, setGiven] = useState<Given[]>([])
  const words = asked !== null ? OF_QUESTIONS : isPlan(card) ? OF_PLANS : USUAL
  const answered = asked === null ? null : answeredInput(card.input, asked.questions, given)

  const isForNobody = card.hints.some(({ kind }) => kind === "approver")
  const fault = edited === null ? null : faultOf(edited)
  const input = asked !== null ? answered : edited === null ? null : changedInput(card.input, edited)

  return (
    <article ref={frame} tabIndex={-1} aria-labelledby={id} data-approval={card.id} className="approval">
      <header className="approval-header">
        <Hand aria-hidden className="mt-0.5 size-4 shrink-0 text-waiting" />
        <h3 id={id}>{card.title}</h3>
        <span className="ml-auto flex h-[1.375rem] shrink-0 items-center gap-3">
          {card.deadline_at === null ? null : <Countdown deadline={card.deadline_at} />}
          <Ago iso={card.created_at} className="text-sm text-ink-3 tabular-nums" />
        </span>
      </header>
      {isHere ? null : <CardPlace card={card} />}
      <CardHints hints={card.hints} />
      <CardFacts card={card} isHere={isHere} />
      <CardContent card={card} isDrawn={asked === null || asked.isMore} wholeness={wholeness} end={end}>
        {asked === null ? null : <QuestionForm questions={asked.questions} given={given} onGiven={setGiven} />}
        {edited === null ? null : (
          <InputEditor text={edited} fault={fault} isChanged={input !== null} onText={setEdited} />
        )}
      </CardContent>
      <CardOffers offers={card.offers} chosen={chosen} onChosen={setChosen} />
      {refusal === null ? (
        <>
          <CardActions
            bar={actions}
            isMore={!isEndSeen}
            words={words}
            still={still}
            standing={standing}
            isChanged={input !== null}
            isAnswering={isAnswering}
            obstacle={obstacleOf({
              isForNobody,
              isOverdue,
              isFaulty: fault !== null,
              // For a reader who may not approve, that reason is shown first.
              isUnanswered: asked !== null && answered === null && standing === "approver",
              isWhole,
              isEndSeen,
            })}
            trouble={trouble}
            isEditing={edited !== null}
            isOpen={isOpen}
            onOpen={() => setOpen(!isOpen)}
            onEdit={() => setEdited(edited === null ? card.input : null)}
            onApprove={() => void answer({ behavior: "allow", input, suggestions: chosen })}
            onDeny={(message) => void answer({ behavior: "deny", message })}
          />
          {standing === null || standing === "approver" ? null : <NotYetApprover standing={standing} />}
          {isForNobody && standing === "approver" && card.run !== null ? <RestartRun run={card.run} /> : null}
        </>
      ) : (
        <p role="note" className="flex gap-2 rounded-md bg-inset px-3 py-2">
          <Lock aria-hidden className="mt-0.5 size-4 shrink-0 text-ink-2" />
          <Words text={refusal} />
        </p>
      )}
      {isOpen ? (
        <div data-wrap className="flex flex-col gap-2">
          <BlockView block={card.whole} at={`${card.id}/whole`} />
          <CardFacts card={card} isRest isHere={isHere} />
        </div>
      ) : null}
    </article>
  )
}
