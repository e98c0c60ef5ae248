/**
 * The state of the player: where it is in the recording, and whether it plays. It gets its data through `Recording`, so
 * that a server and an exported file can feed it, and its time through `tick`, so that it knows no clock.
 */

import type { ReplayMoment, ReplayMoments, ReplayState, ReplayTimeline } from "@/api/schema"
import type { ReplayStep as Step } from "@/api/backend"
import { Moments } from "./moments"
import { Axis, faster, IDLE_MS, slower } from "./pace"

/** What the player asks for; each call fails with an `Error` whose message is for people. */
export interface Recording {
  timeline(): Promise<ReplayTimeline>
  moments(first: number): Promise<ReplayMoments>
  state(at: string): Promise<ReplayState>
  step(at: string, to: Step, isBack: boolean): Promise<ReplayMoment>
}

export interface PlayerState {
  /** `following`: the end is shown, with everything that is still added. */
  phase: "following" | "paused" | "playing"
  moments: Moments | null
  axis: Axis
  clockMs: number
  /** The number of the current moment; -1 if nothing is loaded or there is no moment. */
  number: number
  /** The id of the current moment; null while the end is followed. */
  id: string | null
  speed: number
  /** Longer pauses are played as this; null plays them as they were. */
  idleMs: number | null
  /** Counts the jumps, so that the list can move with them. */
  jumps: number
  isLoading: boolean
  /** What went wrong, or what was not found, in words. */
  message: string | null
}

/** More chunks than this are loaded only when they are needed. */
const MAX_CHUNKS = 60

const START: PlayerState = {
  phase: "following",
  moments: null,
  axis: new Axis([], null),
  clockMs: 0,
  number: -1,
  id: null,
  speed: 1,
  idleMs: IDLE_MS,
  jumps: 0,
  isLoading: true,
  message: null,
}

export class Player {
  #state: PlayerState = START
  readonly #recording: Recording
  readonly #listeners = new Set<() => void>()
  readonly #asked = new Map<number, Promise<void>>()
  #isRefreshing = false
  #isStale = false
  #generation = 0

  constructor(recording: Recording) {
    this.#recording = recording
  }

  readonly state = (): PlayerState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Loads the timeline, and goes to a moment; null follows the end. */
  async open(at: string | null): Promise<void> {
    try {
      const timeline = await this.#recording.timeline()
      this.#putMoments(new Moments(timeline))
      this.#put({ isLoading: false, message: null, number: timeline.moments - 1, clockMs: timeline.duration_ms })
      if (timeline.moments === 0) this.#put({ message: "Nothing in this conversation can be played." })
      else if (at === null) await this.#load(timeline.moments - 1)
      else await this.goTo(at)
    } catch (error) {
      this.#put({ isLoading: false, message: wordsOf(error) })
    }
    void this.#loadRest()
  }

  /** Reads the timeline again, because the conversation has grown. The position stays. */
  async refresh(): Promise<void> {
    if (this.#isRefreshing) {
      this.#isStale = true
      return
    }
    this.#isRefreshing = true
    try {
      const timeline = await this.#recording.timeline()
      const { moments } = this.#state
      if (moments === null || timeline.version !== moments.timeline.version) {
        // The last chunk that was there may have grown.
        const last = Math.max(0, (moments?.count ?? 0) - 1)
        const chunk = timeline.moments === 0 ? null : await this.#recording.moments(Math.min(last, timeline.moments - 1))
        this.#asked.clear()
        this.#generation += 1
        this.#putMoments(chunk === null || moments === null ? new Moments(timeline) : moments.continued(timeline, chunk))
        const { id, phase } = this.#state
        if (phase === "following" || id === null) this.#put({ number: timeline.moments - 1, clockMs: timeline.duration_ms })
        else this.#put({ number: this.#state.moments?.numberOf(id) ?? this.#state.number })
        void this.#loadRest()
      }
    } catch (error) {
      this.#put({ message: wordsOf(error) })
    } finally {
      this.#isRefreshing = false
      if (this.#isStale) {
        this.#isStale = false
        void this.refresh()
      }
    }
  }

  /** Plays or pauses. `isLive`: the conversation may still grow, so that following its end is paused, too. */
  toggle(isLive: boolean): void {
    const { phase, moments, clockMs } = this.#state
    if (phase === "playing") {
      this.#put({ phase: "paused" })
      return
    }
    if (moments === null || moments.count === 0) return
    if (phase === "following" && isLive) void this.#moveTo(moments.count - 1, "paused", moments.timeline.duration_ms)
    // At the end, it begins again.
    else if (clockMs >= moments.timeline.duration_ms) void this.#moveTo(0, "playing")
    else this.#put({ phase: "playing", message: null })
  }

  /** Shows the end, and everything that is still added. */
  follow(): void {
    const { moments, jumps } = this.#state
    this.#put({
      phase: "following",
      id: null,
      number: (moments?.count ?? 0) - 1,
      clockMs: moments?.timeline.duration_ms ?? 0,
      jumps: jumps + 1,
      message: null,
    })
    // The state at the end is shown, too.
    void this.#trying(() => this.#load(this.#state.number))
  }

  setSpeed(speed: number): void {
    this.#put({ speed })
  }

  faster(): void {
    this.setSpeed(faster(this.#state.speed))
  }

  slower(): void {
    this.setSpeed(slower(this.#state.speed))
  }

  setIdle(idleMs: number | null): void {
    this.#put({ idleMs })
    this.#putAxis()
  }

  /** Goes to a time of the clock. */
  async seek(clockMs: number): Promise<void> {
    const { moments } = this.#state
    if (moments === null || moments.count === 0) return
    const wanted = Math.min(Math.max(0, clockMs), moments.timeline.duration_ms)
    const number = moments.numberAt(wanted)
    if (number !== null) {
      await this.#moveTo(number, this.#restingPhase(), wanted)
      return
    }
    const start = moments.timeline.started_at
    const time = start === null ? Number.NaN : Date.parse(start) + wanted
    if (Number.isNaN(time)) await this.#moveTo(Math.round((wanted / moments.timeline.duration_ms) * (moments.count - 1)), this.#restingPhase())
    else await this.goTo(new Date(time).toISOString(), wanted)
  }

  /** Goes on or back by this long, as it is played. */
  async seekBy(playedMs: number): Promise<void> {
    const { axis, clockMs } = this.#state
    await this.seek(axis.toReal(axis.toPlayed(clockMs) + playedMs))
  }

  /** Goes to a part of the recording, from 0 to 1, as it is played. */
  async seekShare(share: number): Promise<void> {
    const { axis } = this.#state
    await this.seek(axis.toReal(share * axis.lengthMs))
  }

  /** Goes to a moment by its id, by the id of a record, or by a time. */
  async goTo(at: string, clockMs?: number): Promise<void> {
    await this.#trying(async () => {
      const { moment } = await this.#recording.state(at)
      await this.#moveTo(moment.number, this.#restingPhase(), clockMs)
    })
  }

  /** Goes to the next or previous moment of a kind. */
  async step(kind: Step, isBack: boolean): Promise<void> {
    const { moments, number } = this.#state
    if (moments === null || number < 0) return
    await this.#trying(async () => {
      await this.#load(number)
      const loaded = this.#state.moments ?? moments
      const near = loaded.step(number, kind, isBack)
      if (near === null) {
        this.#put({ message: isBack ? `No ${kind} before this.` : `No ${kind} after this.` })
        return
      }
      const id = loaded.id(number)
      const found = near ?? (id === null ? null : (await this.#recording.step(id, kind, isBack)).number)
      if (found !== null) await this.#moveTo(found, "paused")
    })
  }

  /** Lets this much time pass. */
  tick(elapsedMs: number): void {
    const { phase, moments, axis, clockMs, speed } = this.#state
    if (phase !== "playing" || moments === null) return
    const played = axis.toPlayed(clockMs) + elapsedMs * speed
    if (played >= axis.lengthMs) {
      this.follow()
      return
    }
    const clock = axis.toReal(played)
    const number = moments.numberAt(clock)
    const id = number === null ? null : moments.id(number)
    if (number === null || id === null) {
      // It goes on when the next chunk is there.
      void this.#load(Math.min(this.#state.number + 1, moments.count - 1))
      return
    }
    this.#put({ clockMs: clock, number, id })
  }

  async #moveTo(number: number, phase: PlayerState["phase"], clockMs?: number): Promise<void> {
    await this.#trying(async () => {
      await this.#load(number)
      const { moments, jumps } = this.#state
      const id = moments?.id(number) ?? null
      const at = moments?.atMs(number) ?? null
      if (id === null || at === null) return
      this.#put({ number, id, clockMs: Math.max(clockMs ?? at, at), phase, jumps: jumps + 1, message: null })
    })
  }

  /** A jump does not stop a recording that plays, and ends following. */
  #restingPhase(): PlayerState["phase"] {
    return this.#state.phase === "playing" ? "playing" : "paused"
  }

  async #loadRest(): Promise<void> {
    const generation = this.#generation
    const { moments } = this.#state
    if (moments === null || moments.count > MAX_CHUNKS * moments.timeline.chunk) return
    for (let first = moments.missing(); first !== null; first = this.#state.moments?.missing() ?? null) {
      try {
        await this.#load(first)
      } catch {
        return
      }
      if (generation !== this.#generation) return
    }
    this.#putAxis()
  }

  /** Loads the chunk of a moment, if it is not there yet. */
  async #load(number: number): Promise<void> {
    const { moments } = this.#state
    if (moments === null || number < 0 || number >= moments.count || moments.has(number)) return
    const first = Math.floor(number / moments.timeline.chunk) * moments.timeline.chunk
    const asked = this.#asked.get(first) ?? this.#read(first, moments)
    this.#asked.set(first, asked)
    await asked
  }

  async #read(first: number, into: Moments): Promise<void> {
    try {
      const chunk = await this.#recording.moments(first)
      if (chunk.version !== into.timeline.version) {
        // The conversation grew in the meantime.
        void this.refresh()
      }
      into.put(chunk)
      if (into.isComplete) this.#putAxis()
      else this.#put({})
    } finally {
      this.#asked.delete(first)
    }
  }

  #putMoments(moments: Moments): void {
    this.#put({ moments })
    this.#putAxis()
  }

  #putAxis(): void {
    const { moments, idleMs } = this.#state
    if (moments !== null) this.#put({ axis: new Axis(moments.times(), idleMs) })
  }

  async #trying(act: () => Promise<void>): Promise<void> {
    try {
      await act()
    } catch (error) {
      this.#put({ message: wordsOf(error) })
    }
  }

  #put(change: Partial<PlayerState>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of this.#listeners) listener()
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
