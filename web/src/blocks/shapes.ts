/** The view blocks of `core/views/blocks.py`. Components have the plain names, so the types are called `…Block` here. */

export type {
  Block,
  Code as CodeBlock,
  Diff as DiffBlock,
  Hunk,
  Image as ImageBlock,
  Json as JsonBlock,
  Links as LinksBlock,
  Note as NoteBlock,
  Output as OutputBlock,
  Plan as PlanBlock,
  Prose as ProseBlock,
  Question as QuestionBlock,
  Shell as ShellBlock,
  SideFile,
  TextPiece,
  Thinking as ThinkingBlock,
  TodoItem,
  Todos as TodosBlock,
  Tokens,
  Unread as UnreadBlock,
} from "@/api/schema"
