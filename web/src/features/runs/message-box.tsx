import { ImagePlus } from "lucide-react"
import { type KeyboardEvent, type ReactNode, type RefObject, useRef } from "react"
import { IconButton } from "@/ui/button"
import { cx } from "@/ui/cx"
import { MESSAGE_BOX, MESSAGE_FIELD, MESSAGE_FIELD_SMALL } from "./message-box-look"
import { TAKEN } from "./pictures"
import { PictureStrip } from "./picture-strip"
import { useDroppedFiles } from "./use-dropped-files"
import type { Outgoing } from "./use-outgoing"

const MAX_LINES = 14
/** Without a physical keyboard, Enter starts a new line. */
const TYPES_BY_TOUCH = window.matchMedia("(hover: none) and (pointer: coarse)").matches

interface BoxProps {
  label: string
  placeholder: string
  outgoing: Outgoing
  /** The key that sends: Enter (Shift Enter starts a new line), or only Enter with Ctrl or ⌘, for long prompts. */
  sendsBy: "enter" | "mod+enter"
  onSend: () => void
  /** What Escape does while the field has the focus; by default the field loses the focus. */
  onEscape?: () => void
  onFocus?: () => void
  field: RefObject<HTMLTextAreaElement | null>
  lines?: number
  autoFocus?: boolean
  /** Whether only the text line is shown. */
  isSmall?: boolean
  /** Shown below the text, next to the button for pictures. */
  children?: ReactNode
}

/** The editor of a message: a text field that grows, and pictures by paste, drop or choice. */
export function MessageBox({ outgoing, children, isSmall = false, lines = 1, ...props }: BoxProps) {
  const { text, setText, pictures } = outgoing
  const chooser = useRef<HTMLInputElement>(null)
  useDroppedFiles((files) => void pictures.add(files))

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === "Escape") {
      event.preventDefault()
      if (props.onEscape) props.onEscape()
      else event.currentTarget.blur()
    } else if (event.key === "Enter") {
      const isMod = event.metaKey || event.ctrlKey
      if (!isMod && (props.sendsBy === "mod+enter" || event.shiftKey || TYPES_BY_TOUCH)) return
      event.preventDefault()
      if (!event.repeat) props.onSend()
    }
  }

  return (
    <div className={MESSAGE_BOX}>
      {/* The focus must not be lost with the button that had it. */}
      <PictureStrip pictures={pictures} onRemoved={() => props.field.current?.focus()} />
      <textarea
        ref={props.field}
        aria-label={props.label}
        placeholder={props.placeholder}
        value={text}
        rows={isSmall ? 1 : Math.min(MAX_LINES, Math.max(lines, text.split("\n").length))}
        maxLength={1_000_000}
        autoFocus={props.autoFocus ?? false}
        autoCapitalize="sentences"
        autoCorrect="on"
        inputMode="text"
        spellCheck
        enterKeyHint={props.sendsBy === "enter" && !TYPES_BY_TOUCH ? "send" : "enter"}
        className={cx(
          "max-h-80 [field-sizing:content]",
          isSmall ? MESSAGE_FIELD_SMALL : `${MESSAGE_FIELD} pt-2.5 pb-1.5`,
          lines > 1 && "min-h-36",
          // Room for what was dictated, if the screen has it.
          !isSmall && lines === 1 && "[@media(height>=30rem)]:pointer-coarse:min-h-24",
        )}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        onFocus={props.onFocus}
        onPaste={(event) => {
          const files = [...event.clipboardData.files]
          if (files.length === 0) return
          event.preventDefault()
          void pictures.add(files)
        }}
      />
      {isSmall ? null : (
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1 px-1.5 pb-1.5">
          <IconButton label="Add pictures" onClick={() => chooser.current?.click()}>
            <ImagePlus />
          </IconButton>
          <input
            ref={chooser}
            type="file"
            aria-label="Pictures from files"
            tabIndex={-1}
            accept={TAKEN}
            multiple
            hidden
            onChange={(event) => {
              const files = [...(event.target.files ?? [])]
              event.target.value = ""
              void pictures.add(files)
            }}
          />
          {children}
        </div>
      )}
    </div>
  )
}
