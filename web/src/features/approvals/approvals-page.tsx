import { Link } from "@tanstack/react-router"
import { Gauge, ListChecks, ShieldCheck, TriangleAlert } from "lucide-react"
import { useEffect } from "react"
import { seenLine } from "@/blocks/text/seen"
import { buttonLook } from "@/ui/button"
import { cx } from "@/ui/cx"
import { EmptyState } from "@/ui/empty-state"
import { ErrorState } from "@/ui/error-state"
import { Skeleton } from "@/ui/skeleton"
import { Words } from "@/ui/words"
import "./approvals.css"
import { ApproversSection } from "./approvers-section"
import { Cards } from "./cards"
import { EnrolForm } from "./enrol-form"
import { waitingInWords } from "./in-words"
import { OnlyInPanes } from "./only-in-panes"
import { SettledList } from "./settled-list"
import { useCards } from "./use-cards"
import { useThisBrowser } from "./use-this-browser"

/** The page with all open requests, the decisions, and the approvers. */
export default function ApprovalsPage() {
  const { entries, late, pending, settled, answered, cameLate, dismiss } = useCards(null)
  const browser = useThisBrowser()
  const { approvers, standing } = browser
  const waiting = entries.filter(({ isWaiting }) => isWaiting).length
  const shown = new Set(entries.map(({ card }) => card.id))
  const trouble = pending.data?.trouble ?? null
  const isKnown = approvers !== null
  const waitingWords = pending.data === undefined ? "Looking …" : waitingInWords(waiting)

  useEffect(() => {
    if (isKnown && window.location.hash === "#approvers") document.getElementById("approvers")?.scrollIntoView()
  }, [isKnown])

  if (pending.data === undefined && pending.error !== null) {
    return <ErrorState title="The requests cannot be read" message={pending.error.message} onRetry={() => void pending.refetch()} />
  }
  return (
    <div className="approvals-page">
      <div className="mx-auto flex max-w-3xl flex-col gap-6 px-4 py-5 md:px-5">
        <h1 className="sr-only">Approvals</h1>
        {trouble === null ? null : (
          <p role="alert" className="flex gap-2 rounded-lg bg-failed-soft px-3 py-2 text-failed">
            <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
            <span className="min-w-0 break-words">{seenLine(trouble)}</span>
          </p>
        )}
        <section aria-labelledby="waiting-title" className="flex flex-col gap-3">
          <h2 id="waiting-title" className="text-sm font-semibold text-ink-2">
            {waitingWords}
          </h2>
          <p role="status" className="sr-only">
            {waitingWords}
          </p>
          {pending.data === undefined ? <Skeleton className="h-40" /> : entries.length === 0 ? <NothingWaits /> : null}
          <Cards
            entries={entries}
            late={late}
            standing={standing}
            onAnswered={answered}
            onLate={cameLate}
            onDismiss={dismiss}
          />
        </section>
        <OnlyInPanes />
        <Link to="/rules" className={cx(buttonLook("plain", "md"), "self-start")}>
          <ListChecks aria-hidden />
          Rules that answer in your place
        </Link>
        <Link to="/budgets" className={cx(buttonLook("plain", "md"), "self-start")}>
          <Gauge aria-hidden />
          Budgets that limit agents
        </Link>
        <div id="approvers" className="flex scroll-mt-4 flex-col gap-6">
          {approvers !== null && standing === "none" ? (
            <EnrolForm isFirst={approvers.approvers.length === 0} onEnrol={browser.enrol} />
          ) : null}
          <ApproversSection browser={browser} />
        </div>
        <SettledList cards={(settled.data ?? []).filter(({ id }) => !shown.has(id))} />
      </div>
    </div>
  )
}

function NothingWaits() {
  return (
    <div className="rounded-lg border border-dashed border-line-strong [&>section]:py-8">
      <EmptyState icon={<ShieldCheck />} title="When an agent asks for a permission, it appears here">
        <p>
          <Words text="Agents that you start here or with `chorus run` always ask here. Sessions that you start yourself ask here, too, if they run in a pane of tmux or have the hooks of Chorus: `chorus hooks install`." />
        </p>
        <p>Each request is answered once: here, in the terminal, or wherever you are first.</p>
      </EmptyState>
    </div>
  )
}
