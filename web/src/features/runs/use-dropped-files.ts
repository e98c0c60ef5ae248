import { useEffect, useEffectEvent } from "react"

/**
 * Calls `onFiles` for files that are dropped anywhere on the page: if a file missed the field, the browser would open
 * it instead of the page, and the text would be lost.
 */
export function useDroppedFiles(onFiles: (files: File[]) => void): void {
  const notify = useEffectEvent(onFiles)
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!bringsFiles(event)) return
      event.preventDefault()
      if (event.dataTransfer) event.dataTransfer.dropEffect = "copy"
    }
    const drop = (event: DragEvent) => {
      if (!bringsFiles(event)) return
      event.preventDefault()
      notify([...(event.dataTransfer?.files ?? [])])
    }
    window.addEventListener("dragover", over)
    window.addEventListener("drop", drop)
    return () => {
      window.removeEventListener("dragover", over)
      window.removeEventListener("drop", drop)
    }
  }, [])
}

function bringsFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") ?? false
}
