import { type KeyboardEvent, memo, type PointerEvent, useMemo, useRef, useState } from "react"
import type { ReplayTimeline } from "@/api/schema"
import { duration } from "@/blocks/text/figures"
import { seenLine } from "@/blocks/text/seen"
import { useIsWide } from "@/parts/wide"
import { LOCALE } from "@/ui/locale"
import { tip } from "@/ui/tooltip"
import { exact, instant } from "@/ui/when"
import type { Axis } from "./pace"
import type { Player } from "./player"
import { usePlayerState } from "./replay-context"
import { activeWords, clockWords, joinedMarks, type MarkGroup, spanWords } from "./time-line-data"

const WIDE_PX = 720
/** Only long pauses are drawn. Shorter ones are named when the player reaches them. */
const NOTED_MS = 60_000
const SLOTS = { wide: 150, narrow: 45 }

/** The recording from left to right: a lane for each agent and one for the person, marks, and where the player is. */
export function TimeLine({ player, timeline }: { player: Player; timeline: ReplayTimeline }) {
  const axis = usePlayerState(player, (state) => state.axis)
  const slots = useIsWide(WIDE_PX) ? SLOTS.wide : SLOTS.narrow
  const groups = useMemo(() => joinedMarks(timeline.marks, axis, slots), [timeline.marks, axis, slots])
  return (
    <div className="time-line">
      <div className="time-line-scroller">
        <div className="time-line-names" aria-hidden>
          {timeline.lanes.map((lane, index) => (
            <span key={index} data-kind={lane.kind} {...tip(seenLine(lane.label))}>
              {seenLine(lane.label)}
            </span>
          ))}
        </div>
        <Scrubber player={player} timeline={timeline} axis={axis} />
      </div>
      <Marks groups={groups} onGo={(at) => void player.goTo(at)} />
      {timeline.lanes_left_out > 0 ? <p className="time-line-note">{timeline.lanes_left_out} more sub-agents have no lane here.</p> : null}
    </div>
  )
}

/** The lanes, as one slider: it can be dragged, and moved by the keys of the player. */
function Scrubber({ player, timeline, axis }: { player: Player; timeline: ReplayTimeline; axis: Axis }) {
  const box = useRef<HTMLDivElement>(null)
  const [isHeld, setHeld] = useState(false)
  const clockMs = usePlayerState(player, (state) => Math.floor(state.clockMs / 250) * 250)
  const go = (event: PointerEvent<HTMLDivElement>) => {
    const place = box.current?.getBoundingClientRect()
    if (place === undefined || place.width === 0) return
    void player.seekShare(Math.min(1, Math.max(0, (event.clientX - place.left) / place.width)))
  }
  return (
    <div
      ref={box}
      className="time-line-lanes"
      role="slider"
      tabIndex={0}
      aria-label="Time of the recording"
      aria-valuemin={0}
      aria-valuemax={Math.ceil(timeline.duration_ms / 1000)}
      aria-valuenow={Math.floor(clockMs / 1000)}
      aria-valuetext={timeWords(timeline, clockMs)}
      onPointerDown={(event) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        setHeld(true)
        go(event)
      }}
      onPointerMove={(event) => {
        if (isHeld) go(event)
      }}
      onPointerUp={() => setHeld(false)}
      onPointerCancel={() => setHeld(false)}
    >
      <Lanes timeline={timeline} axis={axis} />
      <Head player={player} axis={axis} />
    </div>
  )
}

function timeWords(timeline: ReplayTimeline, clockMs: number): string {
  const start = instant(timeline.started_at)
  const time = start === null ? "" : `, ${exact(start + clockMs, LOCALE)}`
  const active = activeWords(timeline.lanes, clockMs)
  return `${clockWords(clockMs)} of ${clockWords(timeline.duration_ms)}${time}${active === "" ? "" : `; ${active}`}`
}

const Lanes = memo(function Lanes({ timeline, axis }: { timeline: ReplayTimeline; axis: Axis }) {
  return (
    <>
      {axis.shortened.filter(([from, to]) => to - from >= NOTED_MS).map(([from, to]) => (
        <span
          key={from}
          className="time-line-gap"
          style={{ "--from": String(axis.share(from)), "--to": String(axis.share(to)) }}
          {...tip(`${duration(to - from)} in which nothing was recorded, played shorter`)}
        />
      ))}
      {timeline.lanes.map((lane, index) => (
        <div key={index} className="time-line-lane" data-kind={lane.kind}>
          {lane.spans.map((span, at) => (
            <span
              key={at}
              className="time-line-span"
              style={{ "--from": String(axis.share(span.from_ms)), "--to": String(axis.share(span.to_ms)) }}
              {...tip(spanWords(lane, span))}
            />
          ))}
        </div>
      ))}
    </>
  )
})

function Head({ player, axis }: { player: Player; axis: Axis }) {
  const at = usePlayerState(player, (state) => Math.round(axis.share(state.clockMs) * 2000) / 2000)
  return <span aria-hidden className="time-line-head" style={{ "--at": String(at) }} />
}

/** The marks: one stop for the Tab key, and the arrow keys move between them. */
const Marks = memo(function Marks({ groups, onGo }: { groups: readonly MarkGroup[]; onGo: (at: string) => void }) {
  const [current, setCurrent] = useState(0)
  const box = useRef<HTMLDivElement>(null)
  const reachable = Math.min(current, groups.length - 1)
  const move = (event: KeyboardEvent, index: number) => {
    const to = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: groups.length - 1 }[event.key]
    if (to === undefined || to < 0 || to >= groups.length) return
    event.preventDefault()
    setCurrent(to)
    box.current?.querySelectorAll("button")[to]?.focus()
  }
  if (groups.length === 0) return null
  return (
    <div ref={box} className="time-line-marks" role="group" aria-label="Marks">
      {groups.map((group, index) => (
        <button
          key={group.marks[0]?.id ?? index}
          type="button"
          className="time-line-mark"
          data-kind={group.kind}
          style={{ "--at": String(group.share) }}
          tabIndex={index === reachable ? 0 : -1}
          aria-label={group.words}
          onKeyDown={(event) => move(event, index)}
          onFocus={() => setCurrent(index)}
          onClick={() => onGo((group.marks.find((mark) => mark.kind === group.kind) ?? group.marks[0])?.id ?? "")}
          {...tip(group.words)}
        />
      ))}
    </div>
  )
})
