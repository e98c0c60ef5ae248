import { Bell, BellOff, Columns3 } from "lucide-react"
import { useMemo, useRef } from "react"
import { COLUMNS, inOrder } from "@/api/board"
import type { Board, WorkspaceCount } from "@/api/schema"
import { useBoard } from "@/api/use-board"
import { seenLine } from "@/blocks/text/seen"
import { Unanswered } from "@/parts/unanswered"
import { Button } from "@/ui/button"
import { cx } from "@/ui/cx"
import { EmptyState } from "@/ui/empty-state"
import { useKeys } from "@/ui/keys"
import { Skeleton } from "@/ui/skeleton"
import { tip } from "@/ui/tooltip"
import { BoardColumn } from "./board-column"
import { stepFrom } from "./steps"
import { type Notifying, useNotifying } from "./use-notifications"

interface PageProps {
  /** The workspace whose conversations are shown; null for all. */
  workspace: string | null
  onWorkspace: (workspace: string | null) => void
}

/** Every conversation in the column of its state. Nothing can be dragged: a state is a fact. */
export default function BoardPage({ workspace, onWorkspace }: PageProps) {
  const board = useBoard()
  const { data, error } = board
  if (data === undefined && error !== null) {
    return <Unanswered error={error} title="The board cannot be read" onRetry={() => void board.refetch()} />
  }
  if (data === undefined) return <Skeleton className="m-4 h-40" />
  return <Columns board={data} workspace={workspace} onWorkspace={onWorkspace} />
}

function Columns({ board, workspace, onWorkspace }: PageProps & { board: Board }) {
  const place = useRef<HTMLDivElement>(null)
  const tiles = useMemo(
    () => inOrder(board.tiles).filter((tile) => workspace === null || tile.workspace === workspace),
    [board.tiles, workspace],
  )
  const columns = COLUMNS.map((column) => tiles.filter((tile) => tile.column === column))
  const go = (step: "next" | "previous" | "left" | "right") => () => {
    const name = stepFrom(columns.map((each) => each.map((tile) => tile.name)), focusedName(), step)
    if (name !== null) place.current?.querySelector<HTMLElement>(`[data-tile="${CSS.escape(name)}"] a`)?.focus()
  }
  useKeys({
    j: go("next"),
    k: go("previous"),
    ArrowDown: go("next"),
    ArrowUp: go("previous"),
    ArrowLeft: go("left"),
    ArrowRight: go("right"),
  })
  if (board.tiles.length === 0) {
    return (
      <EmptyState icon={<Columns3 />} title="There is no conversation yet">
        <p>As soon as an agent works, it appears here.</p>
      </EmptyState>
    )
  }
  return (
    <div className="flex h-full flex-col">
      <h1 className="sr-only">Board</h1>
      <Workspaces workspaces={board.workspaces} chosen={workspace} onChoose={onWorkspace} />
      <div ref={place} className="min-h-0 flex-1 overflow-auto">
        <div className="flex flex-col gap-3 p-3 md:grid md:h-full md:min-w-[70rem] md:grid-cols-5 md:p-4">
          {COLUMNS.map((column, at) => (
            <BoardColumn
              key={column}
              column={column}
              tiles={columns[at] ?? []}
              count={workspace === null ? (board.counts.find((each) => each.column === column)?.count ?? 0) : (columns[at]?.length ?? 0)}
            />
          ))}
        </div>
      </div>
    </div>
  )
}

function focusedName(): string | null {
  return document.activeElement?.closest<HTMLElement>("[data-tile]")?.dataset["tile"] ?? null
}

/** The workspaces, each with how many of its conversations need the reader. A click shows only that workspace. */
function Workspaces({
  workspaces,
  chosen,
  onChoose,
}: {
  workspaces: readonly WorkspaceCount[]
  chosen: string | null
  onChoose: (workspace: string | null) => void
}) {
  return (
    <div className="flex shrink-0 items-center gap-2 border-b border-line px-3 py-2 md:px-4">
      <div role="group" aria-label="Workspaces" className="flex min-w-0 items-center gap-1 overflow-x-auto">
        <WorkspaceButton name="All" count={workspaces.reduce((sum, each) => sum + each.needs_you, 0)} isChosen={chosen === null} onChoose={() => onChoose(null)} />
        {workspaces.map(({ workspace, name, needs_you }) => (
          <WorkspaceButton
            key={workspace}
            name={seenLine(name)}
            count={needs_you}
            isChosen={workspace === chosen}
            onChoose={() => onChoose(workspace === chosen ? null : workspace)}
          />
        ))}
      </div>
      <NotifyButton />
    </div>
  )
}

const NOTIFYING: Record<Notifying, string> = {
  on: "This browser tells you when a conversation needs you and Chorus is not in front",
  off: "Let this browser tell you when a conversation needs you and Chorus is not in front",
  blocked: "This browser blocks notifications of Chorus; its settings for this page can change that",
  impossible: "",
}

function NotifyButton() {
  const [state, toggle] = useNotifying()
  if (state === "impossible") return null
  return (
    <Button kind="quiet" className="ml-auto" aria-pressed={state === "on"} disabled={state === "blocked"} onClick={toggle} {...tip(NOTIFYING[state])}>
      {state === "on" ? <Bell aria-hidden /> : <BellOff aria-hidden />}
      <span className="max-sm:sr-only">{state === "blocked" ? "Notifications are blocked" : state === "on" ? "Notifications are on" : "Notify me"}</span>
    </Button>
  )
}

function WorkspaceButton({ name, count, isChosen, onChoose }: { name: string; count: number; isChosen: boolean; onChoose: () => void }) {
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={onChoose}
      className={cx(
        "inline-flex h-7 pointer-coarse:h-11 max-w-60 shrink-0 items-center gap-1.5 rounded-md px-2 text-sm font-medium",
        isChosen ? "bg-selected text-ink" : "text-ink-2 hover:bg-hover hover:text-ink",
      )}
    >
      <span className="truncate">{name}</span>
      {count > 0 ? (
        <span className="rounded-full bg-waiting-soft px-1.5 text-xs leading-4 font-semibold text-waiting tabular-nums">
          {count}
          <span className="sr-only"> need you</span>
        </span>
      ) : null}
    </button>
  )
}
