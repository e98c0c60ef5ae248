import { SlidersHorizontal } from "lucide-react"
import { useId, useRef } from "react"
import { useIsExported } from "@/api/follow"
import { useFoldAll } from "@/blocks/folds"
import { IconButton } from "@/ui/button"
import { Kbd } from "@/ui/kbd"
import type { PutShowing, Showing } from "../showing"

/** The switches for what is shown of a conversation, in a popover below their button. */
export function Switches({ showing, onShowing }: { showing: Showing; onShowing: PutShowing }) {
  const [thinking, putThinking] = useFoldAll("thinking")
  const [calls, putCalls] = useFoldAll("call")
  const sheet = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const id = useId()
  const isExported = useIsExported()
  return (
    <>
      <IconButton
        ref={button}
        label="What is shown"
        popoverTarget={id}
        aria-haspopup="dialog"
        onClick={() => {
          // Placed below its button; the browser closes it automatically.
          const place = button.current?.getBoundingClientRect()
          if (place && sheet.current) {
            sheet.current.style.top = `${place.bottom + 6}px`
            sheet.current.style.right = `${Math.max(8, window.innerWidth - place.right)}px`
          }
        }}
      >
        <SlidersHorizontal />
      </IconButton>
      <div ref={sheet} id={id} popover="auto" role="dialog" aria-label="What is shown" className="switches">
        <Switch label="Open all thinking" keys="T" isOn={thinking === true} onSwitch={(on) => putThinking(on ? true : null)} />
        <Switch label="Open all tool calls" keys="Shift E" isOn={calls === true} onSwitch={(on) => putCalls(on ? true : null)} />
        {isExported ? null : (
          <Switch label="Internal records" keys="I" isOn={showing.isInternal} onSwitch={(isInternal) => onShowing({ isInternal })} />
        )}
        <Switch label="Wrap long lines" keys="W" isOn={showing.isWrapped} onSwitch={(isWrapped) => onShowing({ isWrapped })} />
      </div>
    </>
  )
}

function Switch({ label, keys, isOn, onSwitch }: { label: string; keys: string; isOn: boolean; onSwitch: (isOn: boolean) => void }) {
  return (
    <button type="button" role="switch" aria-checked={isOn} className="switch" onClick={() => onSwitch(!isOn)}>
      <span className="switch-track" aria-hidden />
      <span className="flex-1 text-left">{label}</span>
      <Kbd>{keys}</Kbd>
    </button>
  )
}
