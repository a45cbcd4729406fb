import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { home, load, problemsOf, useConfigPlace, write } from "../testing/config-place.ts"

useConfigPlace()

const database = "postgres://u:hunter2@h/db"

describe("the settings of a cluster", () => {
  it("come from environment variables, which win over the file", async () => {
    write("home/config.json", { store: { type: "sqlite" }, node: { labels: { projects: ["./shared"] } } })
    const env = { TURNHOUSE_DATABASE_URL: database, TURNHOUSE_NATS_URL: "nats://h:4222", TURNHOUSE_NODE_NAME: "a" }
    expect((await load({ env })).config).toMatchObject({
      store: { type: "postgres", url: database },
      bus: { type: "nats", url: "nats://h:4222" },
      node: { name: "a", labels: { projects: [join(home, "shared")] } },
    })
  })

  it("are not set by empty variables", async () => {
    expect((await load({ env: { TURNHOUSE_DATABASE_URL: "", TURNHOUSE_NATS_URL: "" } })).config).toEqual({})
  })

  it.each([
    [{ TURNHOUSE_DATABASE_URL: "mysql://u:hunter2@h/db" }, "TURNHOUSE_DATABASE_URL: not an address of PostgreSQL"],
    [
      { TURNHOUSE_DATABASE_URL: database, TURNHOUSE_NATS_URL: "http://u:hunter2@h" },
      "TURNHOUSE_NATS_URL: not an address of NATS",
    ],
    [{ TURNHOUSE_NATS_URL: "nats://u:hunter2@h" }, "NATS connects nodes that share a log in PostgreSQL"],
    [{ TURNHOUSE_NODE_NAME: "a" }, "it describes a node of a cluster"],
    [{ TURNHOUSE_DATABASE_URL: database, TURNHOUSE_NODE_NAME: "a b" }, '"a b" is not a name'],
  ])("are refused without showing a password: %j", async (env, problem) => {
    const problems = await problemsOf(load({ env }))
    expect(problems).toContain(problem)
    expect(problems).not.toContain("hunter2")
  })
})
