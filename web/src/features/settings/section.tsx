import type { ReactNode } from "react"

const ABOVE_PX = 16

/** The id of a part's heading. */
function idOf(title: string): string {
  return `settings-${title.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`
}

/** Links to the parts of the page: it is longer than a screen. */
export function PartLinks({ titles }: { titles: readonly string[] }) {
  const show = (title: string) => {
    const heading = document.getElementById(idOf(title))
    const page = heading?.closest("[data-page]")
    if (!heading || !page) return
    // `scrollIntoView` would also scroll the frame around the page.
    page.scrollTop += heading.getBoundingClientRect().top - page.getBoundingClientRect().top - ABOVE_PX
    heading.focus({ preventScroll: true })
  }
  return (
    <nav aria-label="Parts of the settings" className="-mt-5 flex flex-wrap gap-x-4 gap-y-1 text-sm">
      {titles.map((title) => (
        <button key={title} type="button" className="cursor-pointer rounded-sm py-0.5 text-accent hover:underline pointer-coarse:min-h-11" onClick={() => show(title)}>
          {title}
        </button>
      ))}
    </nav>
  )
}

/** A part of the page. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  const id = idOf(title)
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2">
      <h2 id={id} tabIndex={-1} className="border-b border-line pb-1 text-md font-semibold outline-none">
        {title}
      </h2>
      {children}
    </section>
  )
}
