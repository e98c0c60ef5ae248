import { Terminal } from "lucide-react"
import type { ApproverShown } from "@/api/schema"
import { CommandLine } from "@/ui/command-line"
import { codeOf } from "./in-words"

/**
 * Says how this waiting browser becomes an approver: with a passphrase in the terminal, or in a browser that is an
 * approver.
 */
export function AdmitCommand({ id, approvers }: { id: string; approvers: readonly ApproverShown[] }) {
  const isByPassphrase = approvers.some(({ kind }) => kind === "passphrase")
  const isByBrowser = approvers.some(({ kind }) => kind === "browser")
  return (
    <div role="note" aria-label="Admit this browser" className="flex flex-col gap-1.5 rounded-md bg-inset px-3 py-2">
      <p className="flex gap-2">
        <Terminal aria-hidden className="mt-0.5 size-4 shrink-0 text-accent" />
        <span className="min-w-0">
          {isByPassphrase
            ? "To admit this browser, run this in a terminal of your own and type your passphrase:"
            : "Admit this browser in a browser that may approve, under Approvals. It shows this code:"}
        </span>
      </p>
      {isByPassphrase ? <CommandLine text={`chorus approver admit ${codeOf(id).replaceAll(" ", "")}`} /> : <code className="font-mono">{codeOf(id)}</code>}
      {isByPassphrase && isByBrowser ? (
        <p className="text-sm text-ink-2">
          Or admit it in a browser that may approve, which shows the code <code className="font-mono whitespace-nowrap">{codeOf(id)}</code>.
        </p>
      ) : null}
      <p className="text-sm text-ink-2">This page notices it automatically; the agent keeps waiting.</p>
    </div>
  )
}
