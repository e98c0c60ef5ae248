import { Archive, ArchiveRestore, FolderClosed, GitCompareArrows, Play, SquareTerminal, Star, Trash2 } from "lucide-react"
import { type FormEvent, useState } from "react"
import { useBackend } from "@/api/follow"
import type { AnnotationAsked, ConversationSummary } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { PlaceLink } from "@/parts/place-link"
import { compareAddress } from "@/parts/places"
import { cdCommand, resumeCommand } from "@/parts/resume-command"
import { Button, buttonLook } from "@/ui/button"
import { CopyButton } from "@/ui/copy-button"
import { cx } from "@/ui/cx"
import { Dialog, DialogHeader } from "@/ui/dialog"
import { Deleting } from "./deleting"
import { tagsIn } from "./tags"

const FIELD = "w-full rounded-md border border-line-strong bg-surface px-2.5 py-1.5 text-base"

interface DialogProps {
  conversation: ConversationSummary
  onClose: () => void
  /** Called after the conversation was deleted: a page that shows it must be left. */
  onForgotten: (name: string) => void
}

/** The dialog for the annotation of a conversation. Except for deleting, nothing here changes what was recorded. */
export default function AnnotateDialog({ conversation, onClose, onForgotten }: DialogProps) {
  const backend = useBackend()
  const { name, id, folder, workspace, own_title } = conversation
  const [title, setTitle] = useState(conversation.title === own_title ? "" : conversation.title)
  const [tags, setTags] = useState(conversation.tags.join(" "))
  const [note, setNote] = useState(conversation.note ?? "")
  const [isStarred, setStarred] = useState(conversation.is_starred)
  const [isArchived, setArchived] = useState(conversation.is_archived)
  const [fault, setFault] = useState<string | null>(null)
  const [isDeleting, setDeleting] = useState(false)
  const resume = resumeCommand(id, folder)
  const change = cdCommand(folder)

  const say = async (asked: Partial<AnnotationAsked>) => {
    try {
      await backend.annotate(name, asked)
      setFault(null)
      return true
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error))
      return false
    }
  }
  const save = async (event: FormEvent) => {
    event.preventDefault()
    if (await say({ title, tags: tagsIn(tags), note })) onClose()
  }
  const flipStar = async () => {
    if (await say({ is_starred: !isStarred })) setStarred(!isStarred)
  }
  const flipArchived = async () => {
    if (await say({ is_archived: !isArchived })) setArchived(!isArchived)
  }

  if (isDeleting) {
    return (
      <Dialog label="Delete this conversation" onClose={onClose} className="max-w-lg">
        <Deleting conversation={conversation} onClose={onClose} onForgotten={() => onForgotten(name)} />
      </Dialog>
    )
  }
  return (
    <Dialog label="Conversation" onClose={onClose} className="max-w-lg">
      <DialogHeader title="Conversation" onClose={onClose} />
      <form className="flex max-h-[75dvh] flex-col gap-3 overflow-y-auto p-4" onSubmit={(event) => void save(event)}>
        <div className="flex flex-wrap gap-2">
          <Button aria-pressed={isStarred} onClick={() => void flipStar()}>
            <Star aria-hidden className={cx(isStarred && "fill-current text-interrupted")} />
            {isStarred ? "Starred" : "Star"}
          </Button>
          <Button aria-pressed={isArchived} onClick={() => void flipArchived()}>
            {isArchived ? <ArchiveRestore aria-hidden /> : <Archive aria-hidden />}
            {isArchived ? "Bring back from the archive" : "Archive"}
          </Button>
        </div>
        <label className="flex flex-col gap-1">
          <span className="text-sm font-medium text-ink-2">Title</span>
          <input
            data-autofocus
            className={FIELD}
            value={title}
            maxLength={300}
            placeholder={seenLine(own_title)}
            onChange={(event) => setTitle(event.target.value)}
          />
        </label>
        <label className="flex flex-col gap-1">
          <span className="text-sm font-medium text-ink-2">Tags, with blanks between them</span>
          <input className={FIELD} value={tags} onChange={(event) => setTags(event.target.value)} placeholder="release bug" />
        </label>
        <label className="flex flex-col gap-1">
          <span className="text-sm font-medium text-ink-2">Note</span>
          <textarea className={cx(FIELD, "min-h-20")} rows={3} value={note} maxLength={10_000} onChange={(event) => setNote(event.target.value)} />
        </label>
        {fault === null ? null : (
          <p role="alert" className="text-failed">
            {seenLine(fault)}
          </p>
        )}
        <div className="flex items-center gap-2">
          <Button type="submit" kind="primary">
            Save
          </Button>
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
        </div>
        <dl className="flex flex-col gap-1 border-t border-line pt-3 text-sm">
          {resume === null ? null : <Copied name="Resume" text={resume} label="Copy the resume command" icon={SquareTerminal} />}
          {folder === null ? null : <Copied name="Folder" text={folder} label="Copy the folder path" icon={FolderClosed} />}
          {change === null ? null : <Copied name="Shell" text={change} label="Copy the command that changes to the folder" icon={SquareTerminal} />}
        </dl>
        <div className="flex flex-wrap items-center gap-2 border-t border-line pt-3">
          <PlaceLink href={`/new?place=${encodeURIComponent(workspace)}`} className={buttonLook("plain")} onClick={onClose}>
            <Play aria-hidden />
            Start an agent in this folder
          </PlaceLink>
          <PlaceLink href={compareAddress(name)} className={buttonLook("plain")} onClick={onClose}>
            <GitCompareArrows aria-hidden />
            Compare with …
          </PlaceLink>
          <Button className="ml-auto text-failed" onClick={() => setDeleting(true)}>
            <Trash2 aria-hidden />
            Delete …
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function Copied({ name, text, label, icon }: { name: string; text: string; label: string; icon: typeof FolderClosed }) {
  return (
    <div className="flex min-w-0 items-center gap-2">
      <dt className="w-14 shrink-0 text-ink-3">{name}</dt>
      <dd className="flex min-w-0 flex-1 items-center gap-1">
        <code className="min-w-0 flex-1 truncate font-mono">{seenLine(text)}</code>
        <CopyButton label={label} icon={icon} text={text} />
      </dd>
    </div>
  )
}
