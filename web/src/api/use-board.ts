import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useMemo } from "react"
import { isProblem } from "./backend"
import { type KnownBoard, withBoardChange } from "./board"
import { useAskMs, useBackend, useIsExported, useLiveEvents } from "./follow"
import type { Tile } from "./schema"

const KEY = ["board"]
const BUILDING_MS = 2000

/** The board: every conversation that is shown on it. */
export function useBoard() {
  const backend = useBackend()
  const askMs = useAskMs()
  return useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => backend.board(signal),
    enabled: !useIsExported(),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) => (isProblem(state.error, "index_building") ? BUILDING_MS : askMs),
  })
}

/** The tile of a conversation; null if it is not on the board. */
export function useTile(name: string): Tile | null {
  const tiles = useBoard().data?.tiles
  return useMemo(() => tiles?.find((tile) => tile.name === name) ?? null, [tiles, name])
}

/** Keeps the data of the hooks above up to date. Mounted once. */
export function useLiveBoard(): void {
  const cache = useQueryClient()
  useLiveEvents((event) => {
    if (event.type === "reread") void cache.invalidateQueries({ queryKey: KEY })
    if (event.type !== "board") return
    const known = cache.getQueryData<KnownBoard>(KEY)
    if (known === undefined) return
    const changed = withBoardChange(known, event.change)
    if (changed === null) void cache.invalidateQueries({ queryKey: KEY })
    else if (changed !== known) cache.setQueryData(KEY, changed)
  })
}
