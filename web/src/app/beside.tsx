import { useNavigate } from "@tanstack/react-router"
import { type ReactNode, useEffect, useRef, useState } from "react"
import { useListing } from "@/features/conversations/listing"
import { SideList } from "@/features/conversations/side-list"
import { useNeighbours } from "@/features/conversations/use-neighbours"
import { nameParts } from "@/parts/places"
import { useIsWide } from "@/parts/wide"
import { useKeys } from "@/ui/keys"
import { recalled, remember } from "@/ui/remembered"

const WIDE_PX = 1400
const HIDDEN = "list-beside"

/** A conversation and, if there is room, the list that the reader came from next to it. */
export function Beside({ current, children }: { current: string; children: ReactNode }) {
  const navigate = useNavigate()
  const listing = useListing()
  const isWide = useIsWide(WIDE_PX)
  const [isShown, setShown] = useState(() => recalled(HIDDEN) !== "hidden")
  const neighboursOf = useNeighbours(listing, current)
  // Two presses in a row are two steps, also while the page of the first one is still loading.
  const goal = useRef(current)
  useEffect(() => {
    goal.current = current
  }, [current])
  const go = (name: string | null) => {
    if (name === null) return
    goal.current = name
    void navigate({ to: "/c/$workspace/$agent/$conversation", params: nameParts(name) })
  }
  useKeys({
    "[": () => go(neighboursOf(goal.current).previous),
    "]": () => go(neighboursOf(goal.current).next),
    l: () => {
      remember(HIDDEN, isShown ? "hidden" : null)
      setShown(!isShown)
    },
  })
  return (
    <div className="flex h-full">
      {isWide && isShown ? (
        <aside aria-label="Conversations" className="w-80 shrink-0 border-r border-line">
          <SideList listing={listing} current={current} />
        </aside>
      ) : null}
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  )
}
