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

const ICONS: Record<string, LucideIcon> = {
  Agent: Bot,
  AskUserQuestion: CircleHelp,
  Bash: Terminal,
  BashOutput: SquareTerminal,
  Edit: FilePen,
  ExitPlanMode: MapIcon,
  Glob: FolderSearch,
  Grep: Search,
  KillShell: SquareTerminal,
  LS: FolderSearch,
  MultiEdit: FilePen,
  NotebookEdit: FilePen,
  PowerShell: Terminal,
  Read: FileText,
  SendMessage: Send,
  Skill: WandSparkles,
  Task: Bot,
  TaskCreate: ListTodo,
  TaskGet: ListTodo,
  TaskList: ListTodo,
  TaskOutput: SquareTerminal,
  TaskStop: SquareTerminal,
  TaskUpdate: ListTodo,
  TodoWrite: ListTodo,
  ToolSearch: Search,
  WebFetch: Globe,
  WebSearch: Globe,
  Write: FilePen,
  exit_plan_mode: MapIcon,
}

/** A tool's icon, by the name the model calls it. */
export function CallIcon({ name }: { name: string }) {
  const own = Object.hasOwn(ICONS, name) ? ICONS[name] : undefined
  const Icon = own ?? (name.startsWith("mcp__") ? Plug : Wrench)
  return <Icon aria-hidden className="call-icon" />
}
