import { describe, expect, it } from "vitest"
import { cwd, folder, load, problemsOf, problemsWith, useConfigPlace, write } from "../testing/config-place.ts"
import { merge } from "./plain.ts"
import { projectProblems } from "./project-rules.ts"
import { resolvePaths } from "./resolve-paths.ts"

useConfigPlace()

describe("a setting whose feature does not exist yet", () => {
  it.each([[{ events: { wake: ["mail"] } }, 'events.wake: events cannot start turns yet. Remove "events".']])(
    "is refused in one line: %j",
    async (content, problem) => {
      expect(await problemsWith(content)).toMatch(/^\/home\/config\.json:1:\d+: /)
      expect(await problemsWith(content)).toContain(problem)
      expect((await problemsWith(content)).split("\n")).toHaveLength(1)
    },
  )

  it("is refused in the file of a trusted project too", async () => {
    write("project/turnhouse.json", { events: { wake: ["mail"] } })
    expect(await problemsOf(load({ trust: folder("trusted"), cwd }))).toContain("events cannot start turns yet")
  })

  it("does not affect the values that work: SQLite and no bus", async () => {
    write("home/config.json", { store: { type: "sqlite" }, bus: { type: "local" } })
    expect((await load()).config).toEqual({ store: { type: "sqlite" }, bus: { type: "local" } })
  })
})

describe("the rules for reserved settings, which apply once they work", () => {
  it("replace a server, a store and a bus whole", () => {
    const under = { store: { type: "postgres", url: "u" }, mcpServers: { a: { command: "a", trust: true }, b: {} } }
    const over = { store: { type: "sqlite" }, mcpServers: { a: { url: "http://127.0.0.1/" } } }
    expect(merge(under, over)).toEqual({
      store: { type: "sqlite" },
      mcpServers: { a: { url: "http://127.0.0.1/" }, b: {} },
    })
  })

  it("resolve a server's command against its file when it has a slash", () => {
    const value = { mcpServers: { near: { command: "./server" }, far: { command: "npx" } } }
    expect(resolvePaths(value, "/etc/th/config.json", {})).toEqual({
      mcpServers: { near: { command: "/etc/th/server" }, far: { command: "npx" } },
    })
  })

  it("do not let a project mark a server as trusted", () => {
    const shop = { command: "x", trust: true, shared: true }
    const paths = projectProblems({ mcpServers: { shop } }).map(({ path }) => path)
    expect(paths).toEqual([
      ["mcpServers", "shop", "trust"],
      ["mcpServers", "shop", "shared"],
    ])
  })
})
