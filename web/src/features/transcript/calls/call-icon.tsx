import {
  Bot,
  CircleHelp,
  FilePen,
  FileText,
  FolderSearch,
  Globe,
  ListTodo,
  type LucideIcon,
  Map as MapIcon,
  Plug,
  Search,
  Send,
  SquareTerminal,
  Terminal,
  WandSparkles,
  Wrench,
} from "lucide-react"
import type { ToolCall } from "@/api/schema"

const ICONS: Record<ToolCall["icon"], LucideIcon> = {
  agent: Bot,
  command: Terminal,
  edit: FilePen,
  file: FileText,
  files: FolderSearch,
  list: ListTodo,
  map: MapIcon,
  output: SquareTerminal,
  plug: Plug,
  question: CircleHelp,
  search: Search,
  send: Send,
  skill: WandSparkles,
  tool: Wrench,
  web: Globe,
}

/** The icon of a tool call. The server chooses it: the page knows no tool by name. */
export function CallIcon({ icon }: { icon: ToolCall["icon"] }) {
  const Icon = ICONS[icon]
  return <Icon aria-hidden className="call-icon" />
}
