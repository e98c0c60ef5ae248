import type { ReactNode } from "react"

/** A part of the page. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  const id = `settings-${title.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2">
      <h2 id={id} className="border-b border-line pb-1 text-md font-semibold">
        {title}
      </h2>
      {children}
    </section>
  )
}
