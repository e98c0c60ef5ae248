import { memo, type ReactNode, type RefObject, useState } from "react"
import type { ApprovalCard } from "@/api/schema"
import { BlockView } from "@/blocks/block-view"
import { Folds, FoldsContext } from "@/blocks/folds"
import { type Wholeness, WholenessContext } from "@/blocks/wholeness"
import { blocksOf } from "./plans"

/** What would run or be written: nothing folded, long lines wrapped, and a mark at the very end. */
export function CardContent({
  card,
  isDrawn = true,
  wholeness,
  end,
  children,
}: {
  card: ApprovalCard
  /** Whether the blocks are shown, or only their replacement. */
  isDrawn?: boolean
  wholeness: Wholeness
  end: RefObject<HTMLDivElement | null>
  /** What replaces or changes it. */
  children?: ReactNode
}) {
  const [folds] = useState(() => {
    const all = new Folds()
    all.putAll("lines", true)
    return all
  })
  return (
    <FoldsContext value={folds}>
      <WholenessContext value={wholeness}>
        {isDrawn ? (
          <div className="approval-content" data-wrap>
            <CardBlocks card={card} />
          </div>
        ) : null}
      </WholenessContext>
      {children}
      <div ref={end} aria-hidden className="approval-end" />
    </FoldsContext>
  )
}

/** Memoised, because blocks may be long and the card renders again whenever it moves. */
export const CardBlocks = memo(function CardBlocks({ card }: { card: ApprovalCard }) {
  return blocksOf(card).map((block, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- blocks have no other name, and never change
    <BlockView key={index} block={block} at={`${card.id}/${index}`} />
  ))
})
