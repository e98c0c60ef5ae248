import { useEffect } from "react"

const APPLICATION = "Chorus"
let part = ""
let waiting = 0

/** `(2) Search · Chorus` */
export function titleOf(part: string, waiting: number): string {
  return `${waiting > 0 ? `(${waiting}) ` : ""}${part === "" ? "" : `${part} · `}${APPLICATION}`
}

/** Sets the title of the page while the component is mounted. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    part = title
    document.title = titleOf(part, waiting)
  }, [title])
}

/** Shows in the title, on every page, how many items wait for the reader. */
export function useTitleCount(count: number): void {
  useEffect(() => {
    waiting = count
    document.title = titleOf(part, waiting)
  }, [count])
}
