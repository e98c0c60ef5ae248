import { expect, it } from "vitest"
import type { PageRow } from "@/api/schema"
import { recordsOf } from "./records"

it("each record of a row is shown once, results last", () => {
  const row: PageRow = {
    key: ["", 0, "", 0, 0, ""],
    thread: "",
    row: { type: "mode", id: "m", time: null, mode: "" },
    moments: { shown: "", pieces: [] },
    places: {
      "result:t": { stream: "s", at: 5 },
      "line-of-t": { stream: "s", at: 5 },
      m: { stream: "s", at: 9 },
      "b:0": { stream: "s", at: 9 },
      "b:1": { stream: "s", at: 12 },
    },
  }
  expect(recordsOf(row).map((record) => [record.label, record.place.at, record.ids.length])).toEqual([
    ["record 1", 9, 2],
    ["record 2", 12, 1],
    ["result 3", 5, 2],
  ])
})
