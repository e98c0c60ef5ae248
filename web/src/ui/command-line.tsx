import { CopyButton } from "./copy-button"

/** A command to run in a terminal, or another text to type, with a button that copies it. */
export function CommandLine({ text, what = "command" }: { text: string; what?: string }) {
  return (
    <div className="flex min-w-0 items-center gap-1 rounded-md border border-line bg-surface py-0.5 pr-0.5 pl-2">
      <code className="min-w-0 flex-1 font-mono text-[0.94em] break-all">{text}</code>
      <CopyButton text={text} label={`Copy the ${what}`} className="shrink-0" />
    </div>
  )
}
