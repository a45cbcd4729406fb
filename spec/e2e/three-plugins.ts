// Three plugins in the layouts of synaps and Claude Code, installed by the real program from a git repository and a folder.
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { misbehavingProgram } from "../../src/mcp/fixtures/servers.ts"
import { put } from "./claude-place.ts"
import type { Place } from "./turnhouse.ts"

export function repository(folder: string, files: Readonly<Record<string, unknown>>): string {
  put(folder, files)
  commit(folder)
  return `file://${folder}`
}

export function commit(folder: string): void {
  const git = (...args: readonly string[]) => execFileSync("git", ["-C", folder, ...args], { stdio: "ignore" })
  git("init", "--quiet")
  git("add", "--all")
  git("-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "--message=all")
}

const guard = `import { block, defineExtension } from "turnhouse/extension"
await defineExtension({ hooks: { before_tool_call: () => block("the guard says no") } }).run()
`

/** synaps, with an extension. */
const guarded = {
  ".synaps-plugin/plugin.json": {
    name: "guarded",
    version: "1.0.0",
    extension: {
      runtime: "process",
      command: "node",
      args: ["main.ts"],
      permissions: ["tools.intercept"],
      hooks: [{ hook: "before_tool_call", tool: "bash" }],
    },
  },
  "main.ts": guard,
  "skills/careful/SKILL.md": "---\ndescription: How to be careful\n---\nLook twice.",
}

/** synaps, skills only. */
export const recipes = {
  ".synaps-plugin/plugin.json": { name: "recipes", description: "Recipes." },
  "skills/bread/SKILL.md": "---\ndescription: How to bake BREAD\n---\nUse flour.",
}

/** Claude Code. */
export const shop = {
  ".claude-plugin/plugin.json": { name: "shop", version: "2.1.0", description: "A shop." },
  "skills/sell/SKILL.md": "---\ndescription: How to SELL\n---\nAsk first.",
  "commands/stock/count.md": "Count the stock of $1 in ${CLAUDE_PLUGIN_ROOT}.",
  "agents/clerk.md": "---\ndescription: Talks to customers\ntools: Read\n---\nYou are the CLERK.",
  ".mcp.json": { mcpServers: { till: { command: process.execPath, args: ["${CLAUDE_PLUGIN_ROOT}/till.ts", "well"] } } },
  "till.ts": readFileSync(misbehavingProgram, "utf8"),
}

export async function installAll(place: Place): Promise<void> {
  const sources = join(place.root, "sources")
  const marketplace = {
    ".claude-plugin/marketplace.json": {
      name: "market",
      plugins: [
        { name: "shop", source: "./plugins/shop" },
        { name: "far", source: { source: "github", repo: "a/b" } },
      ],
    },
    ...Object.fromEntries(Object.entries(shop).map(([name, content]) => [`plugins/shop/${name}`, content])),
  }
  const market = repository(join(sources, "market"), marketplace)
  put(join(sources, "collection/guarded-plugin"), guarded)
  put(join(sources, "collection/recipes-plugin"), recipes)
  expect(await place.run("plugin", "add", market, "--plugin", "shop", "--yes")).toMatchObject({ code: 0 })
  expect(await place.run("plugin", "add", join(sources, "collection"), "--all", "--yes")).toMatchObject({ code: 0 })
}
