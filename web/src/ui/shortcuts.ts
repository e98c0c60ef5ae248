/**
 * Every key of the application and what it means: the only list. `useKeys` binds keys by these names, and the help is
 * generated from it. A key is listed once, so it has one meaning everywhere.
 */

export const SCOPES = {
  everywhere: "Everywhere",
  moving: "Lists and transcripts",
  transcript: "Transcript",
  replay: "Player",
} as const

export type Scope = keyof typeof SCOPES

interface Shortcut {
  keys: string
  scope: Scope
  meaning: string
}

export const SHORTCUTS = [
  { keys: "mod+k", scope: "everywhere", meaning: "jump to a conversation or a page" },
  { keys: "c", scope: "everywhere", meaning: "start an agent" },
  { keys: "g c", scope: "everywhere", meaning: "conversations" },
  { keys: "g s", scope: "everywhere", meaning: "search" },
  { keys: "g a", scope: "everywhere", meaning: "approvals: what waits for you" },
  { keys: "g b", scope: "everywhere", meaning: "board: what every agent does" },
  { keys: "g n", scope: "everywhere", meaning: "now: what needs you first, as on a phone" },
  { keys: "n", scope: "everywhere", meaning: "next conversation that needs you" },
  { keys: "g u", scope: "everywhere", meaning: "usage: tokens, cost and tools" },
  { keys: ",", scope: "everywhere", meaning: "settings" },
  { keys: "shift+t", scope: "everywhere", meaning: "change the theme" },
  { keys: "?", scope: "everywhere", meaning: "the list of keys" },
  { keys: "Escape", scope: "everywhere", meaning: "close, leave the field, or go back to the call of a sub-agent" },

  { keys: "j", scope: "moving", meaning: "next" },
  { keys: "k", scope: "moving", meaning: "previous" },
  { keys: "ArrowDown", scope: "moving", meaning: "next, in a list" },
  { keys: "ArrowUp", scope: "moving", meaning: "previous, in a list" },
  { keys: "ArrowLeft", scope: "moving", meaning: "the column to the left; in the player, 5 seconds back" },
  { keys: "ArrowRight", scope: "moving", meaning: "the column to the right; in the player, 5 seconds on" },
  { keys: "PageDown", scope: "moving", meaning: "a page down" },
  { keys: "PageUp", scope: "moving", meaning: "a page up" },
  { keys: "Home", scope: "moving", meaning: "beginning" },
  { keys: "End", scope: "moving", meaning: "end; a transcript then follows what comes" },
  { keys: "Enter", scope: "moving", meaning: "open" },
  { keys: "/", scope: "moving", meaning: "filter, search, or find in the conversation" },
  { keys: "[", scope: "moving", meaning: "previous conversation" },
  { keys: "]", scope: "moving", meaning: "next conversation" },
  { keys: "l", scope: "moving", meaning: "show or hide the list next to a conversation" },
  { keys: "*", scope: "moving", meaning: "star the conversation, or remove the star" },
  { keys: ".", scope: "moving", meaning: "name, tags, note, archive or delete the conversation" },

  { keys: "p", scope: "transcript", meaning: "next prompt" },
  { keys: "shift+p", scope: "transcript", meaning: "previous prompt" },
  { keys: "mod+f", scope: "transcript", meaning: "find in the conversation" },
  { keys: "e", scope: "transcript", meaning: "open or close the message's calls and thinking" },
  { keys: "shift+e", scope: "transcript", meaning: "open all tool calls, or leave them" },
  { keys: "t", scope: "transcript", meaning: "open all thinking, or leave it" },
  { keys: "i", scope: "transcript", meaning: "internal records" },
  { keys: "w", scope: "transcript", meaning: "wrap long lines" },
  { keys: "o", scope: "transcript", meaning: "outline" },
  { keys: "s", scope: "transcript", meaning: "session panel" },
  { keys: "r", scope: "transcript", meaning: "raw record of the message" },
  { keys: "y", scope: "transcript", meaning: "copy a link to the message" },
  { keys: "f", scope: "transcript", meaning: "fork from the message" },
  { keys: "m", scope: "transcript", meaning: "write to the agent, or go on" },

  { keys: "v", scope: "transcript", meaning: "replay: open or close the player" },
  { keys: "Space", scope: "replay", meaning: "play or pause" },
  { keys: "shift+ArrowLeft", scope: "replay", meaning: "previous row" },
  { keys: "shift+ArrowRight", scope: "replay", meaning: "next row" },
  { keys: "<", scope: "replay", meaning: "slower" },
  { keys: ">", scope: "replay", meaning: "faster" },
  { keys: "a", scope: "replay", meaning: "next call" },
  { keys: "shift+a", scope: "replay", meaning: "previous call" },
  { keys: "u", scope: "replay", meaning: "next turn" },
  { keys: "shift+u", scope: "replay", meaning: "previous turn" },
  { keys: "d", scope: "replay", meaning: "next edit" },
  { keys: "shift+d", scope: "replay", meaning: "previous edit" },
  { keys: "x", scope: "replay", meaning: "next error" },
  { keys: "shift+x", scope: "replay", meaning: "previous error" },
  { keys: "q", scope: "replay", meaning: "next question" },
  { keys: "shift+q", scope: "replay", meaning: "previous question" },
  { keys: "shift+s", scope: "replay", meaning: "the state at this moment" },
  { keys: "0", scope: "replay", meaning: "the beginning" },
  { keys: "1", scope: "replay", meaning: "a tenth of the recording" },
  { keys: "2", scope: "replay", meaning: "two tenths" },
  { keys: "3", scope: "replay", meaning: "three tenths" },
  { keys: "4", scope: "replay", meaning: "four tenths" },
  { keys: "5", scope: "replay", meaning: "the middle of the recording" },
  { keys: "6", scope: "replay", meaning: "six tenths" },
  { keys: "7", scope: "replay", meaning: "seven tenths" },
  { keys: "8", scope: "replay", meaning: "eight tenths" },
  { keys: "9", scope: "replay", meaning: "nine tenths" },
] as const satisfies readonly Shortcut[]

/** The names of keys that can be bound. */
export type KeyName = (typeof SHORTCUTS)[number]["keys"]

/** The rows of the help, by scope. */
export function shortcutGroups(scopes: readonly Scope[] = ["everywhere", "moving", "transcript", "replay"]): [string, [string, string][]][] {
  return scopes.map((scope) => [
    SCOPES[scope],
    SHORTCUTS.filter((each) => each.scope === scope).map(({ keys, meaning }) => [keys, meaning]),
  ])
}
