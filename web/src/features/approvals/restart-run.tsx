import { RotateCw } from "lucide-react"
import { useBackend } from "@/api/follow"
import { useAddStartedRun } from "@/api/use-runs"
import { Button } from "@/ui/button"
import { useAttempt } from "@/ui/use-attempt"

const GO_ON = "Go on with your work. You were started again, because nobody could answer your last request: ask for it again."

/**
 * For an agent that was started before there was an approver: ends it, and resumes its conversation in a run that
 * trusts this browser.
 */
export function RestartRun({ run }: { run: string }) {
  const backend = useBackend()
  const addRun = useAddStartedRun()
  const { attempt, isBusy, trouble } = useAttempt()
  return (
    <div className="flex flex-col items-start gap-1">
      <p className="text-sm text-ink-2">
        An agent trusts only approvers that were there when it began. Start it again: the conversation goes on, the agent
        repeats its request, and you can approve it here.
      </p>
      <Button
        size="sm"
        disabled={isBusy}
        onClick={() =>
          void attempt(async () => addRun(await backend.restartRun(run, { text: GO_ON, pictures: [], is_later: false })))
        }
      >
        <RotateCw aria-hidden />
        {isBusy ? "Starting again …" : "Start the agent again"}
      </Button>
      {trouble === null ? null : (
        <p role="alert" className="text-failed break-words">
          {trouble}
        </p>
      )}
    </div>
  )
}
