import { useCallback, useState } from "react"
import { seenLine } from "@/blocks/text/seen"
import { type ChosenPicture, faultOf, inBase64, kindOf } from "./pictures"

/** By what they are for. They survive a change of the page; a reload ends them. */
const kept = new Map<string, readonly ChosenPicture[]>()
const NONE: readonly ChosenPicture[] = []
let made = 0

export interface Pictures {
  chosen: readonly ChosenPicture[]
  /** Why the last one was not taken. */
  fault: string | null
  add(files: Iterable<File>): Promise<void>
  remove(id: string): void
  clear(): void
}

/** The pictures that go with a message. */
export function usePictures(of: string): Pictures {
  const [chosen, setChosen] = useState(() => kept.get(of) ?? NONE)
  const [fault, setFault] = useState<string | null>(null)

  const put = useCallback(
    (next: readonly ChosenPicture[]) => {
      kept.set(of, next)
      setChosen(next)
    },
    [of],
  )
  const add = useCallback(
    async (files: Iterable<File>) => {
      setFault(null)
      for (const file of files) {
        const name = seenLine(file.name) || "picture"
        const tooMuch = faultOf(kept.get(of) ?? NONE, name, file.size)
        const picture = tooMuch === null ? await read(file, name) : null
        if (picture === null) setFault(tooMuch ?? `“${name}” is no picture that the agent takes: PNG, JPEG, GIF or WebP.`)
        else put([...(kept.get(of) ?? NONE), picture])
      }
    },
    [of, put],
  )
  const remove = useCallback(
    (id: string) => {
      setFault(null)
      put(without(kept.get(of) ?? NONE, (picture) => picture.id === id))
    },
    [of, put],
  )
  const clear = useCallback(() => put(without(kept.get(of) ?? NONE, () => true)), [of, put])
  return { chosen, fault, add, remove, clear }
}

async function read(file: File, name: string): Promise<ChosenPicture | null> {
  try {
    const bytes = new Uint8Array(await file.arrayBuffer())
    const kind = kindOf(bytes)
    if (kind === null) return null
    const address = URL.createObjectURL(new Blob([bytes], { type: kind }))
    made += 1
    return { id: `picture-${made}`, name, address, data: inBase64(bytes), bytes: bytes.length }
  } catch {
    return null
  }
}

function without(pictures: readonly ChosenPicture[], isOut: (picture: ChosenPicture) => boolean): ChosenPicture[] {
  for (const picture of pictures) if (isOut(picture)) URL.revokeObjectURL(picture.address)
  return pictures.filter((picture) => !isOut(picture))
}
