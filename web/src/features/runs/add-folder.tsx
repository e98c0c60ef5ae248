import { useQueryClient } from "@tanstack/react-query"
import { FolderPlus } from "lucide-react"
import { useEffect, useId, useState } from "react"
import type { Place } from "@/api/schema"
import { Button } from "@/ui/button"
import { CommandLine } from "@/ui/command-line"
import { cx } from "@/ui/cx"
import { FIELD } from "./model-field"
import { addCommand, placeAt } from "./folders"

const LOOK_MS = 2000

/**
 * Adds a folder that no session has worked in: a person confirms it in a terminal, and this page continues
 * automatically.
 */
export function AddFolder({ places, onAdded }: { places: readonly Place[]; onAdded: (place: string) => void }) {
  const id = useId()
  const cache = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const [path, setPath] = useState("")
  const command = addCommand(path)
  const added = isOpen && command !== null ? placeAt(places, path) : null

  useEffect(() => {
    if (!isOpen || command === null) return
    const timer = window.setInterval(() => void cache.invalidateQueries({ queryKey: ["places"] }), LOOK_MS)
    return () => window.clearInterval(timer)
  }, [isOpen, command, cache])

  useEffect(() => {
    if (added === null) return
    onAdded(added.id)
    setOpen(false)
    setPath("")
  }, [added, onAdded])

  if (!isOpen) {
    return (
      <Button kind="quiet" size="sm" className="self-start" onClick={() => setOpen(true)}>
        <FolderPlus aria-hidden />
        Another folder …
      </Button>
    )
  }
  return (
    <div role="group" aria-label="Another folder" className="flex flex-col gap-1.5 rounded-md bg-inset px-3 py-2">
      <label htmlFor={id} className="text-sm text-ink-2">
        Its whole path
      </label>
      <input
        id={id}
        autoFocus
        value={path}
        maxLength={1000}
        placeholder="/home/you/project"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        className={cx(FIELD, "w-full font-mono")}
        onChange={(event) => setPath(event.target.value)}
      />
      {command === null ? null : (
        <>
          <p className="text-sm text-ink-2">Confirm it in a terminal of your own; this page notices by itself:</p>
          <CommandLine text={command} />
        </>
      )}
      <Button kind="quiet" size="sm" className="self-start" onClick={() => setOpen(false)}>
        Cancel
      </Button>
    </div>
  )
}
