import type { ReactNode } from "react"

/** A page with one thing to say. */
export function OneThing({ title, command = false, children }: { title: string; command?: boolean; children: ReactNode }) {
  return (
    <main className="flex min-h-full items-center justify-center px-5 py-10">
      <section className="flex w-full max-w-sm flex-col gap-4 text-lg">
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        {children}
        {command ? <pre className="rounded-lg border border-line bg-inset px-4 py-3 font-mono">chorus phone pair</pre> : null}
      </section>
    </main>
  )
}
