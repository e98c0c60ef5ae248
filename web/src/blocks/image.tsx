import { ImageOff } from "lucide-react"
import { useState } from "react"
import { Dialog, DialogHeader } from "@/ui/dialog"
import type { ImageBlock } from "./shapes"
import { useBlockSource } from "./source"
import { size } from "./text/figures"
import { seenLine } from "./text/seen"

/** An image from the server of Chorus; if it cannot be shown, its facts are. */
export function Image({ block }: { block: ImageBlock }) {
  const address = useBlockSource().imageAddress(block)
  const [isBroken, setBroken] = useState(false)
  const [isLarge, setLarge] = useState(false)
  const facts = factsOf(block)

  if (address === null || isBroken) {
    return (
      <p className="remote-image">
        <ImageOff aria-hidden />
        <span className="min-w-0 truncate">{facts} · cannot be shown</span>
      </p>
    )
  }
  return (
    <figure className="image">
      <button type="button" onClick={() => setLarge(true)} aria-label={`Enlarge image: ${facts}`}>
        <img src={address} alt={facts} loading="lazy" decoding="async" onError={() => setBroken(true)} />
      </button>
      <figcaption>{facts}</figcaption>
      {isLarge ? (
        <Dialog label={facts} onClose={() => setLarge(false)} className="lightbox">
          <DialogHeader title={facts} onClose={() => setLarge(false)} />
          <img src={address} alt={facts} />
        </Dialog>
      ) : null}
    </figure>
  )
}

function factsOf(block: ImageBlock): string {
  const source = block.source === "inline" ? "" : seenLine(block.source)
  return [seenLine(block.media_type), block.size_bytes === null ? "" : size(block.size_bytes), source]
    .filter(Boolean)
    .join(" · ")
}
