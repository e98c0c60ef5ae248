/** On a phone the application opens with what needs the reader, instead of the list. */

/** The width from which on the pages have room for more than one column. */
export const PHONE_PX = 640

/** Leads a phone that opened the application to its start page. A phone that reloads the list stays there. */
export function openStartPage(page: Pick<Window, "location" | "history" | "matchMedia" | "performance"> = window): void {
  const { pathname, search } = page.location
  const [opened] = page.performance.getEntriesByType("navigation")
  const isReload = opened !== undefined && "type" in opened && opened.type === "reload"
  const isPhone = !page.matchMedia(`(min-width: ${PHONE_PX}px)`).matches
  if (pathname === "/" && search === "" && isPhone && !isReload) page.history.replaceState(null, "", "/now")
}
