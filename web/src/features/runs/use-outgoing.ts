import { useCallback, useMemo, useRef, useState } from "react"
import { ProblemError } from "@/api/backend"
import type { Message } from "@/api/schema"
import { draftOf, keepDraft } from "./drafts"
import { type Pictures, usePictures } from "./use-pictures"

export interface Trouble {
  kind: string
  message: string
}

export interface Outgoing {
  text: string
  setText(text: string): void
  pictures: Pictures
  isEmpty: boolean
  isSending: boolean
  /** Why the last attempt to send it failed. */
  trouble: Trouble | null
  /** Sends it with `deliver`, once at a time; the text is removed only after it was accepted. */
  send<T>(deliver: (message: Message) => Promise<T>, isLater?: boolean): Promise<T | null>
}

/** The draft of a message: its text and pictures, and the result of sending it. `of` identifies what it is for. */
export function useOutgoing(of: string): Outgoing {
  const [text, putText] = useState(() => draftOf(of))
  const pictures = usePictures(of)
  const [isSending, setSending] = useState(false)
  const [trouble, setTrouble] = useState<Trouble | null>(null)
  // A second press may come before the first one is rendered.
  const isUnderWay = useRef(false)
  const isEmpty = text.trim() === "" && pictures.chosen.length === 0

  const setText = useCallback(
    (next: string) => {
      putText(next)
      keepDraft(of, next)
    },
    [of],
  )
  const { chosen, clear } = pictures
  const send = useCallback(
    async <T>(deliver: (message: Message) => Promise<T>, isLater = false): Promise<T | null> => {
      if (isUnderWay.current || isEmpty) return null
      isUnderWay.current = true
      setSending(true)
      setTrouble(null)
      try {
        const given = await deliver({ text, pictures: chosen.map(({ data }) => ({ data })), is_later: isLater })
        // Text that was typed in the meantime stays.
        if (draftOf(of) === text) keepDraft(of, "")
        putText((now) => (now === text ? "" : now))
        clear()
        return given
      } catch (error) {
        setTrouble(troubleOf(error))
        return null
      } finally {
        isUnderWay.current = false
        setSending(false)
      }
    },
    [of, text, chosen, clear, isEmpty],
  )
  return useMemo(
    () => ({ text, setText, pictures, isEmpty, isSending, trouble, send }),
    [text, setText, pictures, isEmpty, isSending, trouble, send],
  )
}

export function troubleOf(error: unknown): Trouble {
  if (error instanceof ProblemError) return { kind: error.kind, message: error.message }
  return { kind: "internal", message: error instanceof Error ? error.message : "That did not work." }
}
