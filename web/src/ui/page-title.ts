import { useEffect } from "react"

const APPLICATION = "Chorus"
let part = ""
let waiting = 0

/** `(2) Search · Chorus` */
export function titleOf(part: string, waiting: number): string {
  return `${waiting > 0 ? `(${waiting}) ` : ""}${part === "" ? "" : `${part} · `}${APPLICATION}`
}

/** What the page is called while the component is on display. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    part = title
    document.title = titleOf(part, waiting)
  }, [title])
}

/** How many wait for the reader: stands before the title, whatever the page. */
export function useTitleCount(count: number): void {
  useEffect(() => {
    waiting = count
    document.title = titleOf(part, waiting)
  }, [count])
}
