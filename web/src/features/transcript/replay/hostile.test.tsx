import { render } from "@testing-library/react"
import { expect, test } from "vitest"
import type { ReplayMoments, ReplayTimeline } from "@/api/schema"
import { EMPTY_PANEL, recordingOf } from "@/testing/recordings"
import { TranscriptContext, type Transcript } from "../transcript-context"
import { Player, type Recording } from "./player"
import { StatePanel } from "./state-panel"
import { TimeLine } from "./time-line"

const HOSTILE = '<img src=x onerror="hit()">\u202e\x1b[31m\u200b{{x}}'
const nothing = () => undefined

const transcript: Transcript = {
  name: "w/a/c",
  thread: "",
  folder: null,
  branches: [],
  chosen: [],
  locate: nothing,
  openThread: nothing,
  chooseBranch: nothing,
  openRaw: nothing,
  fork: nothing,
  addressOf: () => "",
  makeCurrent: nothing,
  loadWhole: async () => undefined,
}

/** A recording in which every text of a transcript is hostile. */
function hostile(): Recording {
  const plain = recordingOf([{ atMs: 0 }, { atMs: 1000 }])
  const panel: ReplayMoments["panel"] = {
    ...EMPTY_PANEL,
    work: { status: HOSTILE, model: HOSTILE, permission_mode: HOSTILE },
    spent: { ...EMPTY_PANEL.spent, why_no_cost: HOSTILE },
    todos: [{ text: HOSTILE, status: HOSTILE }],
    files: [{ path: HOSTILE, versions: 1, call: HOSTILE, time: HOSTILE }],
    calls: [{ id: HOSTILE, name: HOSTILE, thread: HOSTILE, time: HOSTILE }],
    agents: [{ id: HOSTILE, kind: HOSTILE, description: HOSTILE, call: HOSTILE }],
    waits: [{ kind: "permission", who: HOSTILE, whom: HOSTILE, what: HOSTILE, call: HOSTILE, since: HOSTILE }],
  }
  const span = { from_ms: 0, to_ms: 500, kind: HOSTILE, label: HOSTILE, count: 1 }
  return {
    ...plain,
    timeline: async (): Promise<ReplayTimeline> => ({
      ...(await plain.timeline()),
      started_at: HOSTILE,
      lanes: [{ kind: "main", thread: HOSTILE, label: HOSTILE, spans: [span] }],
      marks: [{ moment: 0, id: HOSTILE, at_ms: 0, kind: "prompt", label: HOSTILE, item: HOSTILE, thread: HOSTILE }],
    }),
    moments: async (first) => ({ ...(await plain.moments(first)), panel, changes: [] }),
  }
}

test("no text of a transcript hides, reorders or becomes an element", async () => {
  const player = new Player(hostile())
  await player.open(null)
  const timeline = player.state().moments?.timeline
  if (timeline === undefined) throw new Error("no timeline")
  const { container } = render(
    <TranscriptContext value={transcript}>
      <TimeLine player={player} timeline={timeline} />
      <StatePanel player={player} onShow={nothing} onThread={nothing} />
    </TranscriptContext>,
  )
  expect(container.querySelector("img, script")).toBeNull()
  expect(container.textContent).toContain("\\u{202e}")
  const attributes = [...container.querySelectorAll("*")].flatMap((each) => [...each.attributes].map(({ value }) => value))
  for (const text of [container.textContent ?? "", ...attributes]) expect(text).not.toMatch(/[\u202e\u200b\x1b]/)
})
