import { Words } from "@/ui/words"

/** A sentence with one quoted part shown as code. A quoted part that contains backticks is shown with all of them. */
export function Quoted({ text }: { text: string }) {
  return text.split("`").length === 3 ? <Words text={text} /> : text
}
