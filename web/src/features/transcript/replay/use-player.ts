import { useEffect, useEffectEvent, useRef, useState } from "react"
import { useBackend, useFollow, useLiveEvents } from "@/api/follow"
import type { OnGo } from "../place"
import { isMoment } from "./address"
import { Player } from "./player"

/** The address follows the reader after they have rested this long. */
const ADDRESS_MS = 350
/** While a conversation is written, its timeline is read this often. */
const REFRESH_MS = 1000

/**
 * The player of a conversation, while it is open: it plays, follows what is still written, and keeps the moment in the
 * address. `at` is the place that the address names.
 */
export function usePlayer(name: string, isOpen: boolean, at: string | null, onGo: OnGo): Player | null {
  const backend = useBackend()
  const [player, setPlayer] = useState<Player | null>(null)
  const written = useRef<string | null>(null)
  const first = useEffectEvent(() => (isMoment(at) ? at : null))

  useEffect(() => {
    if (!isOpen) return undefined
    const made = new Player({
      timeline: () => backend.replay(name),
      moments: (from) => backend.replayMoments(name, from),
      state: (moment) => backend.replayState(name, moment),
      step: (from, to, isBack) => backend.replayStep(name, from, to, isBack),
    })
    setPlayer(made)
    written.current = first()
    void made.open(first())
    return () => setPlayer(null)
  }, [backend, name, isOpen])

  // Plays: each frame lets the time pass that went by since the last one.
  useEffect(() => {
    if (player === null) return undefined
    let frame = 0
    let before: number | null = null
    const next = (now: number) => {
      // A tab in the background gets no frames: it does not catch up.
      if (before !== null) player.tick(Math.min(now - before, 250))
      before = now
      frame = player.state().phase === "playing" ? requestAnimationFrame(next) : 0
    }
    const start = () => {
      if (frame !== 0 || player.state().phase !== "playing") return
      before = null
      frame = requestAnimationFrame(next)
    }
    start()
    const stop = player.subscribe(start)
    return () => {
      stop()
      cancelAnimationFrame(frame)
    }
  }, [player])

  // The address names the moment at which the reader rests.
  const write = useEffectEvent((id: string | null) => {
    if (id === written.current) return
    written.current = id
    onGo({ at: id ?? undefined }, true)
  })
  useEffect(() => {
    if (player === null) return undefined
    let timer = 0
    const stop = player.subscribe(() => {
      window.clearTimeout(timer)
      const { phase, id, isLoading } = player.state()
      if (phase !== "playing" && !isLoading) timer = window.setTimeout(() => write(id), ADDRESS_MS)
    })
    return () => {
      stop()
      window.clearTimeout(timer)
    }
  }, [player])
  // Another moment came into the address: back, forward, or a link.
  const goTo = useEffectEvent((moment: string | null) => {
    if (moment === written.current || moment === null || !isMoment(moment)) return
    written.current = moment
    void player?.goTo(moment)
  })
  useEffect(() => goTo(at), [at])

  const timer = useRef(0)
  const refresh = () => {
    if (timer.current !== 0 || player === null) return
    timer.current = window.setTimeout(() => {
      timer.current = 0
      void player.refresh()
    }, REFRESH_MS)
  }
  useFollow(player === null ? null : name, refresh)
  useLiveEvents((event) => {
    if (event.type === "changed" && event.frame.conversations.some((each) => each.name === name)) refresh()
  })
  useEffect(() => () => window.clearTimeout(timer.current), [])
  return player
}
