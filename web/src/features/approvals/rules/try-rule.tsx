import { useBackend } from "@/api/follow"
import { Accept, TrialForm } from "../trial-form"
import { RulePreview } from "./rule-preview"

interface TryRuleProps {
  text: string
  onText: (text: string) => void
  /** null if this browser may not switch a rule on. */
  onAdd: ((text: string) => Promise<void>) | null
}

/** The form in which a rule is written, tried on history, and then switched on. */
export function TryRule({ text, onText, onAdd }: TryRuleProps) {
  const backend = useBackend()
  return (
    <TrialForm
      text={text}
      onText={onText}
      title="Try a rule on what was recorded"
      placeholder='allow command:"git status *"'
      maxLength={2000}
      button={["Try it", "Trying …"]}
      hint={
        <>
          <code>allow</code>, <code>deny</code> or <code>ask</code>, then conditions: <code>tool:Read,Grep</code> <code>command:&quot;pytest *&quot;</code>{" "}
          <code>path:inside</code> <code>host:docs.python.org</code> <code>workspace:</code> <code>agent:</code> <code>subagent:no</code>{" "}
          <code>env:CI</code> <code>hours:09:00-18:00</code> <code>days:mon-fri</code> <code>until:2026-12-24</code>
        </>
      }
      tryIt={(given) => backend.testRule(given)}
      onAccept={onAdd === null ? null : (found) => onAdd(found.text)}
      preview={(found, accept, isBusy) => (
        <RulePreview found={found}>
          <Accept accept={accept} isBusy={isBusy} label="Switch it on" words="switch it on" command="chorus rules add" />
        </RulePreview>
      )}
    />
  )
}
