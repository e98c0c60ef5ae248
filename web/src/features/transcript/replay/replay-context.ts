import { createContext, useContext, useMemo, useSyncExternalStore } from "react"
import type { Now } from "./as-of"
import type { Player, PlayerState } from "./player"

/** The player of the conversation on display; null while it is closed. */
export const ReplayContext = createContext<Player | null>(null)

/** Returns a part of the player's state; the component renders again when that part changes. */
export function usePlayerState<T>(player: Player, select: (state: PlayerState) => T): T {
  return useSyncExternalStore(player.subscribe, () => select(player.state()))
}

/** Returns how often the player has jumped; 0 without a player. */
export function useReplayJumps(): number {
  const player = useContext(ReplayContext)
  return useSyncExternalStore(player?.subscribe ?? neverChanges, () => player?.state().jumps ?? 0)
}

const neverChanges = () => () => {}
const REDUCED = window.matchMedia("(prefers-reduced-motion: reduce)")
/** Growing text is drawn this often. */
const STEP_MS = 40

/**
 * Returns the moment as of which rows are shown; null if all of them are. It changes with the moment and, while text
 * grows, with the clock. Readers who prefer less motion get each message as a whole.
 */
export function useReplayNow(): Now | null {
  const player = useContext(ReplayContext)
  const id = useSyncExternalStore(player?.subscribe ?? neverChanges, () => player?.state().id ?? null)
  const tickMs = useSyncExternalStore(player?.subscribe ?? neverChanges, () => (player === null ? 0 : growingMs(player.state())))
  return useMemo(() => {
    if (player === null || id === null) return null
    const { moments, clockMs } = player.state()
    const isWhole = REDUCED.matches || moments === null
    const growth = (item: string, block: number) => (isWhole ? null : moments.growth(item, block))
    return { id, clockMs: tickMs === 0 ? clockMs : tickMs, growth }
  }, [player, id, tickMs])
}

function growingMs({ moments, number, clockMs }: PlayerState): number {
  if (moments === null || REDUCED.matches || !moments.isGrowing(number, clockMs)) return 0
  return Math.max(1, Math.floor(clockMs / STEP_MS) * STEP_MS)
}
