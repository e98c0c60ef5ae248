import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { Search } from "lucide-react"
import { type KeyboardEvent, type ReactNode, useDeferredValue, useEffect, useId, useMemo, useRef, useState } from "react"
import { useBackend } from "@/api/follow"
import type { ConversationSummary } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { promptBeside } from "@/parts/prompt-beside"
import { StatusMark } from "@/parts/status-mark"
import { useActivity } from "@/parts/use-activity"
import { cx } from "@/ui/cx"
import { Dialog } from "@/ui/dialog"
import { KbdSequence } from "@/ui/kbd"
import { Ago } from "@/ui/time"
import { type Action, askedOf, type Choice, choicesFor } from "./choices"

interface PaletteProps {
  actions: readonly Action[]
  conversations: readonly ConversationSummary[]
  onOpen: (name: string) => void
  onSearch: (text: string) => void
  onClose: () => void
}

const HEADINGS = { search: "Search", conversation: "Conversations", said: "Found in what was said", action: "Go and do" } as const

/** Jumps anywhere by a few letters. The focus stays in the field, which names the active choice. */
export function Palette({ actions, conversations, onOpen, onSearch, onClose }: PaletteProps) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const [text, setText] = useState("")
  const [active, setActive] = useState(0)
  const further = useFurther(text)
  const choices = useMemo(
    () => choicesFor(text, actions, conversations, further),
    [text, actions, conversations, further],
  )

  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" })
  }, [active])

  const take = (choice: Choice) => {
    onClose()
    if (choice.kind === "search") onSearch(choice.text)
    else if (choice.kind === "conversation" || choice.kind === "said") onOpen(choice.conversation.name)
    else choice.action.run()
  }

  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
    if (step !== 0 && choices.length > 0) {
      event.preventDefault()
      setActive((active + step + choices.length) % choices.length)
    } else if (event.key === "k" && (event.metaKey || event.ctrlKey)) {
      event.preventDefault()
      onClose()
    } else if (event.key === "Enter" && !event.nativeEvent.isComposing) {
      event.preventDefault()
      const choice = choices[active]
      if (choice !== undefined) take(choice)
    }
  }

  return (
    <Dialog label="Jump to" onClose={onClose} className="mt-[12vh] mb-auto max-w-xl">
      <div className="flex max-h-[min(27rem,70dvh)] flex-col">
        <input
          data-autofocus
          role="combobox"
          aria-label="Jump to a conversation or a page"
          aria-expanded="true"
          aria-autocomplete="list"
          aria-controls={`${id}-list`}
          aria-activedescendant={choices.length === 0 ? undefined : `${id}-${active}`}
          autoComplete="off"
          spellCheck={false}
          value={text}
          placeholder="Jump to a conversation or a page …"
          className="h-12 shrink-0 border-b border-line bg-transparent px-4 text-lg outline-none placeholder:text-ink-3 sm:text-md"
          onChange={(event) => {
            setText(event.target.value)
            setActive(0)
          }}
          onKeyDown={onKeyDown}
        />
        <div
          ref={list}
          id={`${id}-list`}
          role="listbox"
          aria-label="Choices"
          className="min-h-0 flex-1 overflow-y-auto p-1.5"
        >
          {choices.map((choice, index) => (
            <div key={keyOf(choice)} role="presentation">
              {choices[index - 1]?.kind === choice.kind || choice.kind === "search" ? null : (
                <div role="presentation" className="px-2.5 py-1.5 text-sm font-medium text-ink-3">
                  {HEADINGS[choice.kind]}
                </div>
              )}
              {/* The keyboard works in the field. */}
              {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events */}
              <div
                id={`${id}-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={index === active}
                onPointerMove={() => setActive(index)}
                onClick={() => take(choice)}
                className={cx(
                  "flex min-h-9 cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-1",
                  index === active && "bg-selected",
                )}
              >
                <ChoiceView choice={choice} />
              </div>
            </div>
          ))}
        </div>
      </div>
    </Dialog>
  )
}

const NONE: readonly ConversationSummary[] = []
const FURTHER = 12

/** Conversations with these words anywhere in them. An invalid query finds nothing. */
function useFurther(text: string): readonly ConversationSummary[] {
  const backend = useBackend()
  const asked = askedOf(useDeferredValue(text))
  const found = useQuery({
    queryKey: ["jump", asked],
    queryFn: ({ signal }) => backend.conversations({ q: asked ?? "", limit: FURTHER }, signal),
    enabled: asked !== null,
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  })
  return asked === null || found.isError ? NONE : (found.data?.conversations ?? NONE)
}

function ChoiceView({ choice }: { choice: Choice }): ReactNode {
  switch (choice.kind) {
    case "search":
      return (
        <>
          <Search aria-hidden className="size-3.5 shrink-0 text-ink-3" />
          <span className="truncate">
            Search everything for <strong className="font-semibold">{choice.text}</strong>
          </span>
        </>
      )
    case "conversation":
    case "said":
      return <ConversationChoice conversation={choice.conversation} />
    case "action": {
      const { icon: Icon, title, keys } = choice.action
      return (
        <>
          <Icon aria-hidden className="size-3.5 shrink-0 text-ink-3" />
          {title}
          <span className="ml-auto">{keys === undefined ? null : <KbdSequence keys={keys} />}</span>
        </>
      )
    }
    default:
      choice satisfies never
      return null
  }
}

function ConversationChoice({ conversation }: { conversation: ConversationSummary }) {
  const prompt = promptBeside(conversation)
  return (
    <>
      <StatusMark {...useActivity(conversation)} isSmall />
      <span className="flex min-w-0 flex-col">
        <span className="truncate">{seenLine(conversation.title) || "Untitled"}</span>
        {prompt === null ? null : <span className="truncate text-sm text-ink-3">{seenLine(prompt)}</span>}
      </span>
      <span className="ml-auto max-w-40 shrink-0 truncate text-sm text-ink-3 max-sm:hidden">
        {seenLine(conversation.workspace_name)}
      </span>
      <Ago iso={conversation.ended_at} className="w-12 shrink-0 text-right text-sm text-ink-3 max-sm:ml-auto" />
    </>
  )
}

function keyOf(choice: Choice): string {
  if (choice.kind === "conversation" || choice.kind === "said") return choice.conversation.name
  return choice.kind === "action" ? choice.action.id : "search"
}
