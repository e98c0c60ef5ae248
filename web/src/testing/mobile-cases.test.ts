import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { MobileClient } from "@/api/mobile/client"
import { Memory } from "@/api/mobile/memory"
import type { MobileFrame } from "@/api/schema"
import { World } from "./live-world"

// The cases for clients in any language: src/chorus/testing/mobile_contract/clients.py says what the steps mean.

interface Step {
  subscribes?: Record<string, unknown>
  says?: unknown
  sends?: unknown
  onNewSocketOnly?: boolean
  breaks?: boolean
}

interface Case {
  name: string
  steps: Step[]
  delivered: string[] | null
  stored?: string[]
  storedInAnyOrder?: string[]
  waiting?: string[]
}

const FILE = join(import.meta.dirname, "../../../src/chorus/testing/mobile_contract/client_cases.json")
const { conversation: CONVERSATION, cases: CASES }: { conversation: string; cases: Case[] } = JSON.parse(readFileSync(FILE, "utf8"))
const soon = () => new Promise((done) => setTimeout(done, 0))

function textOf(message: object): string[] {
  return "content" in message && typeof message.content === "string" ? [message.content] : []
}

it.each(CASES)("$name", async ({ steps, delivered, stored, storedInAnyOrder, waiting }) => {
  const world = new World()
  const phone = new MobileClient({ ticket: () => Promise.resolve({ ticket: "t" }) }, new Memory(), world)
  const heard: string[] = []
  phone.listen(({ conversation, message }) => void (conversation === CONVERSATION && heard.push(...textOf(message))))
  phone.follow(CONVERSATION)
  phone.start()
  await soon()
  world.last.open()

  let ref: unknown = null
  let isNew = false
  for (const step of steps) {
    if (step.subscribes !== undefined) {
      if (world.last.said.length === 0) {
        world.waits.shift()?.run()
        await soon()
        world.last.open()
      }
      const said = world.last.said.shift()
      expect(said).toMatchObject({ type: "subscribe", ...step.subscribes })
      const { known, ...rest } = JSON.parse(JSON.stringify(said))
      expect(known).toEqual(step.subscribes["known"] ?? known)
      ref = rest.ref
      isNew = "ticket" in rest
    } else if (step.says !== undefined) {
      expect(world.last.said.shift()).toEqual(step.says)
    } else if (step.breaks) {
      world.last.lose()
    } else if (isNew || step.onNewSocketOnly !== true) {
      const frame: MobileFrame = JSON.parse(JSON.stringify(step.sends).replace('"$ref"', JSON.stringify(ref)))
      world.last.deliver(frame)
      await soon()
    }
  }
  expect(world.last.said).toEqual([])
  expect(heard).toEqual(delivered ?? heard)
  const found = phone.store.messages(CONVERSATION).flatMap(({ message }) => textOf(message))
  expect(found).toEqual(stored ?? found)
  expect(found.toSorted()).toEqual((storedInAnyOrder ?? found).toSorted())
  expect(phone.store.requests().map(({ requestId }) => requestId)).toEqual(waiting ?? phone.store.requests().map(({ requestId }) => requestId))
})
