import { Words } from "@/ui/words"

/** Words with the one thing that they quote as code. What brings backticks of its own is shown with all of them. */
export function Quoted({ text }: { text: string }) {
  return text.split("`").length === 3 ? <Words text={text} /> : text
}
