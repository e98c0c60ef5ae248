import { useCallback, useEffect, useState } from "react"
import { seenLine } from "@/blocks/text/seen"
import { keepPictures, keptPictures } from "./kept-pictures"
import { type ChosenPicture, faultOf, inBase64, kindOf } from "./pictures"

/** Pictures by what they are for. They survive page changes and, if the browser stores them, a reload. */
const kept = new Map<string, readonly ChosenPicture[]>()
const restored = new Map<string, Promise<void>>()
const NONE: readonly ChosenPicture[] = []
let made = 0

export interface Pictures {
  chosen: readonly ChosenPicture[]
  /** Why the last one was not accepted. */
  fault: string | null
  add(files: Iterable<File>): Promise<void>
  remove(id: string): void
  clear(): void
}

/** The pictures of a message. */
export function usePictures(of: string): Pictures {
  const [chosen, setChosen] = useState(() => kept.get(of) ?? NONE)
  const [fault, setFault] = useState<string | null>(null)

  useEffect(() => {
    let isHere = true
    void restore(of).then(() => {
      if (isHere) setChosen(kept.get(of) ?? NONE)
    })
    return () => {
      isHere = false
    }
  }, [of])

  const put = useCallback(
    (next: readonly ChosenPicture[]) => {
      kept.set(of, next)
      setChosen(next)
      void keepPictures(of, next.map(({ file }) => file))
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
        if (picture === null) setFault(tooMuch ?? `“${name}” is not a picture that the agent accepts: PNG, JPEG, GIF or WebP.`)
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

/** Runs once per page load: after that the page knows the pictures itself. */
function restore(of: string): Promise<void> {
  const known = restored.get(of) ?? takeKept(of)
  restored.set(of, known)
  return known
}

async function takeKept(of: string): Promise<void> {
  const found = await Promise.all((await keptPictures(of)).map((file) => read(file, file.name)))
  const before = found.filter((picture) => picture !== null)
  if (before.length > 0) kept.set(of, [...before, ...(kept.get(of) ?? NONE)])
}

async function read(file: File, name: string): Promise<ChosenPicture | null> {
  try {
    const bytes = new Uint8Array(await file.arrayBuffer())
    const type = kindOf(bytes)
    if (type === null) return null
    const own = new File([bytes], name, { type })
    made += 1
    return { id: `picture-${made}`, name, file: own, address: URL.createObjectURL(own), data: inBase64(bytes), bytes: bytes.length }
  } catch {
    return null
  }
}

function without(pictures: readonly ChosenPicture[], isOut: (picture: ChosenPicture) => boolean): ChosenPicture[] {
  for (const picture of pictures) if (isOut(picture)) URL.revokeObjectURL(picture.address)
  return pictures.filter((picture) => !isOut(picture))
}
