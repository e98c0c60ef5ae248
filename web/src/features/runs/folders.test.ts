import { expect, it } from "vitest"
import { addCommand, placeAt } from "./folders"

const place = (folder: string, is_named = true) => ({ id: folder, folder, agents: [], is_named })

it("makes one command of a whole path, whatever is in it", () => {
  expect(addCommand("/home/ada/shop")).toBe("chorus workspace add /home/ada/shop")
  expect(addCommand(" ~/my shop ")).toBe("chorus workspace add ~/'my shop'")
  expect(addCommand("/a/$(id);'b'")).toBe(`chorus workspace add '/a/$(id);'\\''b'\\'''`)
  expect(addCommand("shop")).toBeNull()
  expect(addCommand("-x")).toBeNull()
  expect(addCommand("/a\nrm -rf /")).toBeNull()
})

it("finds the place once it was added", () => {
  expect(placeAt([place("/home/ada/shop")], "/home/ada/shop/")?.id).toBe("/home/ada/shop")
  expect(placeAt([place("/home/ada/shop")], "~/shop")?.id).toBe("/home/ada/shop")
  expect(placeAt([place("/home/ada/shop", false)], "/home/ada/shop")).toBeNull()
})
