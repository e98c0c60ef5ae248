import { Words } from "@/ui/words"
import { Logo } from "./logo"

/** The page for a browser that is not logged in. */
export function LoggedOut({ refusal }: { refusal: string | null }) {
  return (
    <main className="flex min-h-full items-center justify-center px-6 py-12">
      <section className="w-full max-w-sm">
        <Logo />
        <h1 className="mt-4 text-xl font-semibold tracking-tight">{refusal === null ? "Not logged in" : "That link did not work"}</h1>
        {refusal === null ? null : (
          <p role="alert" className="mt-2 text-failed">
            <Words text={refusal} />
          </p>
        )}
        <p className="mt-2 text-md text-ink-2">For a fresh link, run this in a terminal on the machine where Chorus runs, and open what it prints:</p>
        <pre className="mt-4 rounded-lg border border-line bg-inset px-4 py-3 font-mono text-md">chorus open</pre>
        <p className="mt-3 text-sm text-ink-3">A link works once, and only for a short while.</p>
      </section>
    </main>
  )
}
