import { useQuery } from "@tanstack/react-query"
import { loadKey } from "@/parts/device-key"
import { Words } from "@/ui/words"
import { Logo } from "./logo"

/** The page for a browser that is not logged in. */
export function LoggedOut({ refusal }: { refusal: string | null }) {
  // `login` in the key: this survives the end of a login, unlike everything that was loaded with it.
  const key = useQuery({ queryKey: ["login", "own key"], queryFn: loadKey, staleTime: Number.POSITIVE_INFINITY })
  if (key.isPending) return null
  return key.data?.isPaired === true ? <Unpaired /> : <NoLogin refusal={refusal} />
}

function NoLogin({ refusal }: { refusal: string | null }) {
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
        <p className="mt-3 text-md text-ink-2">A phone is paired instead: on the computer, open Settings and choose “Pair a phone”.</p>
      </section>
    </main>
  )
}

/** A device that was paired here before has no login any more. */
function Unpaired() {
  return (
    <main className="flex min-h-full items-center justify-center px-6 py-12">
      <section className="w-full max-w-sm">
        <Logo />
        <h1 className="mt-4 text-xl font-semibold tracking-tight">This device is logged out</h1>
        <p className="mt-2 text-md text-ink-2">
          Somebody revoked it on the computer or logged it out, or it was not used for seven days. What it showed is gone from it.
        </p>
        <p className="mt-3 text-md text-ink-2">To pair it again, open Settings on the computer and choose “Pair a phone”, or run this in a terminal there:</p>
        <pre className="mt-4 rounded-lg border border-line bg-inset px-4 py-3 font-mono text-md">chorus phone pair</pre>
      </section>
    </main>
  )
}
