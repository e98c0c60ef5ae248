/** Tool calls for tests; a test gives the fields that matter to it. */

import type { Output, Shell, ToolCall } from "@/api/schema"

export function toolCall(given: Partial<ToolCall> = {}): ToolCall {
  return {
    type: "call",
    id: "t",
    name: "Bash",
    label: "Bash",
    title: "",
    state: "done",
    icon: "tool",
    title_is_path: false,
    opens_by_itself: false,
    decided_by: null,
    time: null,
    duration_ms: null,
    permission: null,
    asked: [],
    agent: null,
    given: [],
    refers: null,
    ...given,
  }
}

export function shell(command: string): Shell {
  return { type: "shell", command, language: "bash", cut_chars: 0 }
}

export function output(text: string): Output {
  return { type: "output", text, is_error: false, is_bulk: false, side_file: null, tail: "", cut_chars: 0 }
}
