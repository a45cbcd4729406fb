// Plan mode for an attached client, and for commands of a folder or an extension.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { madeSession } from "../cli/live.ts"
import { eventsOf } from "../e2e/printed.ts"
import { newPlace } from "../e2e/turnhouse.ts"
import { needPackage } from "../need-package.ts"

it("is entered, used and left by typed lines; prompts of typed commands belong to the plan", async (test) => {
  const place = newPlace(test)
  place.config({ tools: { allow: ["*"] } })
  const folder = join(place.folder, ".turnhouse", "commands")
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "ship.md"), "Write it now.\n")
  await place.run("trust", place.folder)
  const write = { call: { tool: "write", input: { path: "new.txt", content: "x" } } } as const
  const id = await madeSession(place, [[write], [{ text: "No." }], [write], [{ text: "Still no." }]])
  const lines = ["/plan:mode the door", "write", "/ship", "/plan:mode:status"]
  const first = await place.start(["attach", id], { input: `${lines.join("\n")}\n` }).ended
  expect(first.stdout).toContain("entered plan mode: the door; nothing can be changed")
  expect(first.stdout).toContain("Plan mode allows no write: nothing may be changed.")
  expect(first.stdout).toContain("Still no.")
  expect(place.has("new.txt")).toBe(false)
  const more = ["/plan:mode:status", "/plan:mode:exit mend it"]
  const second = await place.start(["attach", id], { input: `${more.join("\n")}\n` }).ended
  expect(second.stdout).toContain("Plan mode, focus: the door\nPrompts: 2\n")
  expect(second.stdout).toContain("left plan mode; the conversation continues with this plan:\nmend it")
  const log = await place.log(id)
  expect(eventsOf(log, "plan.exited")).toMatchObject([{ summary: "mend it" }])
  expect(eventsOf(log, "turn.started").every(({ planId }) => planId !== undefined)).toBe(true)
})

it("lets no command of a plugin write, of any kind", async (test) => {
  needPackage("bwrap", "bubblewrap")
  const place = newPlace(test)
  const notebook = fileURLToPath(new URL("../../examples/extensions/notebook", import.meta.url))
  place.config({ extensions: { paths: [notebook] }, tools: { allow: ["*"] } })
  const plugin = join(place.home, "plugins", "pages")
  mkdirSync(join(plugin, ".synaps-plugin"), { recursive: true })
  const script = `cat page.md; touch own "$REPO_ROOT/new.txt" "$PLUGIN_DATA_DIR/new.txt" ${place.root}/new.txt`
  const commands = [
    { name: "page", command: "sh", args: ["-c", script] },
    { name: "ship", prompt: "Write it now." },
  ]
  writeFileSync(join(plugin, ".synaps-plugin", "plugin.json"), JSON.stringify({ commands }))
  writeFileSync(join(plugin, "page.md"), "the page\n")
  const write = { call: { tool: "write", input: { path: "new.txt", content: "x" } } } as const
  const id = await madeSession(place, [[write], [{ text: "No." }]])
  const lines = ["/plan:mode", "/pages:page", "/notebook:note buy milk", "/pages:ship"]
  const planned = await place.start(["attach", id], { input: `${lines.join("\n")}\n` }).ended
  const shown = planned.stdout + planned.stderr
  expect(shown).toContain("the page\n")
  expect(shown.match(/Read-only file system|No such file or directory/g)).toHaveLength(4)
  expect(shown).toContain("it calls an extension, which could change something. Leave plan mode first")
  expect(shown).toContain("Plan mode allows no write: nothing may be changed.")
  expect(place.has("new.txt")).toBe(false)
  const after = ["/plan:mode:exit", "/notebook:notes", "/pages:page"]
  const left = await place.start(["attach", id], { input: `${after.join("\n")}\n` }).ended
  expect(left.stdout + left.stderr).not.toContain("buy milk")
  expect(place.has("new.txt")).toBe(true)
})
