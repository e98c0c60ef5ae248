import { useEffect, useEffectEvent } from "react"
import { Button } from "@/ui/button"
import { Logo } from "./logo"

const AGAIN_MS = 3000

/** The server does not answer: says how to start it, and continues automatically once it runs. */
export function Unreachable({ message, onRetry }: { message?: string; onRetry: () => void }) {
  const retry = useEffectEvent(onRetry)
  useEffect(() => {
    const timer = window.setInterval(() => retry(), AGAIN_MS)
    return () => window.clearInterval(timer)
  }, [])

  return (
    <main className="flex min-h-full items-center justify-center px-6 py-12">
      <section className="w-full max-w-sm" role="alert">
        <Logo />
        <h1 className="mt-4 text-xl font-semibold tracking-tight">Chorus does not answer</h1>
        <p className="mt-2 text-md text-ink-2">{message ?? "Start it in a terminal; this page continues automatically."}</p>
        <pre className="mt-4 rounded-lg border border-line bg-inset px-4 py-3 font-mono text-md">chorus serve</pre>
        <Button className="mt-4" onClick={onRetry}>
          Try again
        </Button>
      </section>
    </main>
  )
}
