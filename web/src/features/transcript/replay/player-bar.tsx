import { ChevronsRight, Gauge, ListChecks, Pause, Play, SkipBack, SkipForward, X } from "lucide-react"
import { useState } from "react"
import type { ReplayStep } from "@/api/backend"
import { duration, several } from "@/blocks/text/figures"
import { Button, IconButton } from "@/ui/button"
import { useKeys } from "@/ui/keys"
import { LOCALE } from "@/ui/locale"
import { exact, instant } from "@/ui/when"
import { SPEEDS } from "./pace"
import type { Player } from "./player"
import { usePlayerState } from "./replay-context"
import { TimeLine } from "./time-line"
import { clockWords } from "./time-line-data"

const JUMP_MS = 5000
const KINDS: readonly ReplayStep[] = ["row", "call", "turn", "prompt", "edit", "error", "question", "compaction"]
const IDLE: readonly (readonly [string, number | null])[] = [
  ["≤ 0.5 s", 500],
  ["≤ 2 s", 2000],
  ["≤ 10 s", 10_000],
  ["as it was", null],
]

/** The player below a transcript. */
export function PlayerBar({
  player,
  isLive,
  isState,
  onState,
  onClose,
}: {
  player: Player
  /** Whether the conversation may still grow. */
  isLive: boolean
  /** Whether the state at the moment is shown. */
  isState: boolean
  onState: () => void
  onClose: () => void
}) {
  const moments = usePlayerState(player, (state) => state.moments)
  const phase = usePlayerState(player, (state) => state.phase)
  const message = usePlayerState(player, (state) => state.message)
  const [kind, setKind] = useState<ReplayStep>("row")
  const step = (to: ReplayStep, isBack: boolean) => void player.step(to, isBack)
  useKeys({
    Space: () => player.toggle(isLive),
    ArrowLeft: () => void player.seekBy(-JUMP_MS),
    ArrowRight: () => void player.seekBy(JUMP_MS),
    "shift+ArrowLeft": () => step("row", true),
    "shift+ArrowRight": () => step("row", false),
    "<": () => player.slower(),
    ">": () => player.faster(),
    p: () => step("prompt", false),
    "shift+p": () => step("prompt", true),
    a: () => step("call", false),
    "shift+a": () => step("call", true),
    u: () => step("turn", false),
    "shift+u": () => step("turn", true),
    x: () => step("error", false),
    "shift+x": () => step("error", true),
    d: () => step("edit", false),
    "shift+d": () => step("edit", true),
    q: () => step("question", false),
    "shift+q": () => step("question", true),
    Home: () => void player.seekShare(0),
    End: () => player.follow(),
    "0": () => void player.seekShare(0),
    "1": () => void player.seekShare(0.1),
    "2": () => void player.seekShare(0.2),
    "3": () => void player.seekShare(0.3),
    "4": () => void player.seekShare(0.4),
    "5": () => void player.seekShare(0.5),
    "6": () => void player.seekShare(0.6),
    "7": () => void player.seekShare(0.7),
    "8": () => void player.seekShare(0.8),
    "9": () => void player.seekShare(0.9),
    "shift+s": onState,
  })
  const isEmpty = moments === null || moments.count === 0
  return (
    <section aria-label="Player" className="player" data-phase={phase}>
      {moments === null ? null : <TimeLine player={player} timeline={moments.timeline} />}
      <div className="player-controls">
        <span className="player-group">
          <IconButton label={`Previous ${kind}`} disabled={isEmpty} onClick={() => step(kind, true)}>
            <SkipBack />
          </IconButton>
          <IconButton label={phase === "playing" ? "Pause" : isLive && phase === "following" ? "Pause here" : "Play"} keys="Space" disabled={isEmpty} onClick={() => player.toggle(isLive)}>
            {phase === "playing" || (isLive && phase === "following") ? <Pause /> : <Play />}
          </IconButton>
          <IconButton label={`Next ${kind}`} disabled={isEmpty} onClick={() => step(kind, false)}>
            <SkipForward />
          </IconButton>
          <label className="player-choice">
            <span className="player-optional">by </span>
            <span className="sr-only">what the buttons step</span>
            <select value={kind} onChange={(event) => setKind(KINDS.find((each) => each === event.target.value) ?? "row")}>
              {KINDS.map((each) => (
                <option key={each} value={each}>
                  {each}
                </option>
              ))}
            </select>
          </label>
        </span>
        <Clock player={player} />
        <Pace player={player} />
        <span className="player-group player-end">
          {moments === null ? null : phase === "following" ? (
            <span className="player-following">{isLive ? "Following live" : "At the end"}</span>
          ) : (
            <Button kind="quiet" size="sm" onClick={() => player.follow()}>
              <ChevronsRight aria-hidden />
              {isLive ? "Follow" : "End"}
            </Button>
          )}
          <IconButton label={isState ? "Hide the state at this moment" : "Show the state at this moment"} keys="Shift S" aria-pressed={isState} onClick={onState}>
            <ListChecks />
          </IconButton>
          <IconButton label="Close the player" keys="V" onClick={onClose}>
            <X />
          </IconButton>
        </span>
      </div>
      <p role="status" className="player-message">
        {message ?? (isEmpty && moments !== null ? "There is nothing to play yet." : "")}
      </p>
    </section>
  )
}

/** The time of the recording, the time of day then, and the real length of a pause that is played shorter. */
function Clock({ player }: { player: Player }) {
  const second = usePlayerState(player, (state) => Math.floor(state.clockMs / 1000))
  const pauseMs = usePlayerState(player, (state) => (state.phase === "following" ? null : state.axis.pauseAt(state.clockMs)))
  const timeline = usePlayerState(player, (state) => state.moments?.timeline ?? null)
  const number = usePlayerState(player, (state) => state.number)
  if (timeline === null) return null
  const start = instant(timeline.started_at)
  return (
    <span className="player-clock">
      <span className="tabular-nums">
        {clockWords(second * 1000)} / {clockWords(timeline.duration_ms)}
      </span>
      {start === null ? null : <span className="player-date">{exact(start + second * 1000, LOCALE)}</span>}
      {pauseMs === null ? null : <span className="player-pause">pause of {duration(pauseMs)}</span>}
      <span className="sr-only">
        moment {number + 1} of {several(timeline.moments, "moment")}
      </span>
    </span>
  )
}

function Pace({ player }: { player: Player }) {
  const speed = usePlayerState(player, (state) => state.speed)
  const idleMs = usePlayerState(player, (state) => state.idleMs)
  return (
    <span className="player-group">
      <Gauge aria-hidden className="size-3.5 text-ink-3" />
      <label className="player-choice">
        <span className="sr-only">Speed</span>
        <select value={String(speed)} onChange={(event) => player.setSpeed(Number(event.target.value))}>
          {SPEEDS.map((each) => (
            <option key={each} value={String(each)}>
              {each}×
            </option>
          ))}
        </select>
      </label>
      <label className="player-choice">
        <span className="player-optional">Pauses </span>
        <span className="sr-only">are played as</span>
        <select value={String(idleMs)} onChange={(event) => player.setIdle(event.target.value === "null" ? null : Number(event.target.value))}>
          {IDLE.map(([words, ms]) => (
            <option key={words} value={String(ms)}>
              {words}
            </option>
          ))}
        </select>
      </label>
    </span>
  )
}
