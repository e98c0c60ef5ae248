import { X } from "lucide-react"
import { size } from "@/blocks/text/figures"
import { tip } from "@/ui/tooltip"
import type { Pictures } from "./use-pictures"

/** The pictures of a message, each with a button to remove it; and why one was not accepted. */
export function PictureStrip({ pictures: { chosen, fault, remove }, onRemoved }: { pictures: Pictures; onRemoved: () => void }) {
  return (
    <>
      {chosen.length === 0 ? null : (
        <ul aria-label="Pictures" className="flex flex-wrap gap-2 px-3 pt-3">
          {chosen.map(({ id, name, address, bytes }) => (
            <li key={id} className="relative" {...tip(`${name}\n${size(bytes)}`)}>
              <img src={address} alt={name} className="size-16 rounded-md border border-line bg-inset object-cover" />
              <button
                type="button"
                aria-label={`Remove ${name}`}
                onClick={() => {
                  remove(id)
                  onRemoved()
                }}
                className="absolute -top-1.5 -right-1.5 inline-flex size-5 items-center justify-center rounded-full bg-inverse text-on-inverse [&_svg]:size-3"
              >
                <X aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
      {fault === null ? null : (
        <p role="alert" className="px-3 pt-2 text-sm break-words text-failed">
          {fault}
        </p>
      )}
    </>
  )
}
