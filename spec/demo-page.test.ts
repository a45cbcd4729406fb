// The demo page of the widget suggests messages for the shop of `npm start`, where the offline model answers.
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { callByName } from "../src/models/offline/demo/offered-tool.ts"

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))
const order = { properties: { order: { type: "string" } } }
const tools = [
  { name: "lookup_order", inputSchema: order },
  { name: "refund_order", inputSchema: order },
  { name: "opening_hours", inputSchema: { properties: {} } },
]

it("suggests messages that call the tools of the shop with the offline model", () => {
  const page = readFileSync(path("web/widget/public/demo/index.html"), "utf8").replaceAll(/\s+/g, " ")
  const suggested = /Messages to try[^<]*<code>examples\/shop<\/code>:([^<]*)<\/p>/.exec(page)?.[1] ?? ""
  const messages = [...suggested.matchAll(/“([^”]*)”/g)].map(([, message]) => message ?? "")
  expect(messages.map((message) => callByName(message, tools))).toEqual([
    { tool: "opening_hours", input: {} },
    { tool: "lookup_order", input: { order: "1001" } },
    { tool: "refund_order", input: { order: "1002" } },
  ])
  const shop = readFileSync(path("examples/shop/turnhouse.json"), "utf8")
  for (const { name } of tools) expect(shop).toContain(`"${name}": {`)
})
