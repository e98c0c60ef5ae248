import { useRouterState } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { needingYou, nextThatNeedsYou } from "@/api/board"
import type { Tile } from "@/api/schema"
import { useBoard } from "@/api/use-board"

const SAID_MS = 2500
const NO_TILES: readonly Tile[] = []

/**
 * Leads to the next conversation that needs the reader, from any page. `said` is what to tell if there is none to go
 * to; it disappears after a moment.
 */
export function useNextThatNeedsYou(open: (name: string) => void): { toNext: () => void; said: string } {
  const tiles = useBoard().data?.tiles ?? NO_TILES
  const here = useRouterState({ select: ({ location }) => nameOf(location.pathname) })
  const [said, setSaid] = useState("")
  useEffect(() => {
    if (said === "") return undefined
    const timer = window.setTimeout(() => setSaid(""), SAID_MS)
    return () => window.clearTimeout(timer)
  }, [said])
  const toNext = () => {
    const next = nextThatNeedsYou(tiles, here)
    if (next !== null) open(next.name)
    setSaid(next !== null ? "" : needingYou(tiles).length > 0 ? "Only this conversation needs you" : "Nothing needs you")
  }
  return { toNext, said }
}

/** Returns the name of the conversation whose page has this path; null for other pages. */
export function nameOf(path: string): string | null {
  const parts = path.split("/")
  if (parts[1] !== "c" || parts.length < 5) return null
  try {
    return parts.slice(2, 5).map(decodeURIComponent).join("/")
  } catch {
    return null
  }
}
