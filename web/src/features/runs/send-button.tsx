import { ArrowUp } from "lucide-react"
import { Button } from "@/ui/button"
import { tip } from "@/ui/tooltip"

/** Sends what was written. */
export function SendButton({
  label,
  isDisabled,
  isSending,
  onSend,
}: {
  label: string
  isDisabled: boolean
  isSending: boolean
  onSend: () => void
}) {
  return (
    <Button kind="primary" className="ml-auto pointer-coarse:h-12 pointer-coarse:min-w-24 pointer-coarse:text-md" disabled={isDisabled || isSending} aria-busy={isSending} onClick={onSend} {...tip(label, "Enter")}>
      <ArrowUp aria-hidden />
      <span className="max-sm:pointer-fine:sr-only">{isSending ? "Sending …" : label}</span>
    </Button>
  )
}
