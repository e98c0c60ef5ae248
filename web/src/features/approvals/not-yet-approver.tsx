import { useState } from "react"
import { Button } from "@/ui/button"
import { AdmitCommand } from "./admit-command"
import { EnrolForm } from "./enrol-form"
import type { Standing } from "./standing"
import { useThisBrowser } from "./use-this-browser"

/** On a card that this browser cannot approve: says how to change that while the agent waits. */
export function NotYetApprover({ standing }: { standing: Exclude<Standing, "approver"> }) {
  const { approvers, key, enrol } = useThisBrowser()
  const [isOpen, setOpen] = useState(false)
  if (approvers === null) return null
  if (standing === "waiting") return key === null ? null : <AdmitCommand id={key.id} approvers={approvers.approvers} />
  return isOpen ? (
    <EnrolForm isFirst={approvers.approvers.length === 0} onEnrol={enrol} />
  ) : (
    <Button size="sm" onClick={() => setOpen(true)}>
      Make this browser an approver
    </Button>
  )
}
