// What the files in deploy/ name exists: settings, variables, commands and folders. The configurations start a server.
import { copyFileSync, existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { newPlace } from "../e2e/turnhouse.ts"
import { environment, instructions, listOf } from "./dockerfile.ts"

const root = join(import.meta.dirname, "../..")
const deploy = join(root, "deploy")
const files = readdirSync(deploy, { recursive: true, encoding: "utf8" }).filter(
  (name) => /\.[a-z]+$/.test(name) && !name.endsWith(".ts"),
) // a program is no configuration
const textOf = (file: string) => readFileSync(join(deploy, file), "utf8")
const page = (name: string) => readFileSync(join(root, `docs/${name}.md`), "utf8")

const configs = ["compose/config.json", "systemd/cluster/config.json"]

it.for(configs)("%s starts a server on all addresses, which needs no more to be ready", async (file, test) => {
  const place = newPlace(test)
  copyFileSync(join(deploy, file), join(place.home, "config.json"))
  const running = place.start(["serve", "--host", "0.0.0.0", "--port", "0"])
  const port = await running.until("an address", () => /^listening on \S+:(\d+)$/m.exec(running.stdout)?.[1])
  await expect.poll(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200)
  running.signal("SIGTERM")
  expect((await running.ended).code).toBe(0)
})

describe("the files in deploy/", () => {
  it("name only environment variables that are documented", () => {
    const documented = new Set(`${page("configuration")}${page("cluster")}`.match(/\bTURNHOUSE_[A-Z_]+/g))
    const named = files.flatMap((file) => textOf(file).match(/\bTURNHOUSE_[A-Z_]+/g) ?? [])
    const byServices = "TURNHOUSE_PORT" // a comment in nodes.yaml says why it must not be set
    expect(new Set(named.filter((name) => name !== byServices && !documented.has(name)))).toEqual(new Set())
    expect(named).toContain("TURNHOUSE_DATABASE_URL")
  })

  it("have no secret that a node would accept", () => {
    const values = files.flatMap((file) => textOf(file).match(/(?<=^ *TURNHOUSE_CLUSTER_SECRET(?:=|: )).*$/gm) ?? [])
    expect(values.toSorted()).toEqual(["", "${TURNHOUSE_CLUSTER_SECRET:?set it in .env}", "REPLACE", "REPLACE"])
  })

  it("start nodes with the command, options and port of the program", () => {
    const starting = ["compose/compose.yaml", "kubernetes/nodes.yaml", "systemd/cluster/10-cluster.conf"]
    for (const file of starting)
      expect(textOf(file)).toMatch(/serve"?,? "?--host"?,? "?0\.0\.0\.0"?,? "?--port"?,? "?8787/)
    expect(listOf(instructions("CMD")[0])).toEqual(["serve"])
    expect(instructions("EXPOSE")).toEqual(["8787"])
  })

  it("ask addresses that the server has", () => {
    const asked = files.flatMap((file) => textOf(file).match(/\/(?:healthz|readyz|metrics|health|ready)\b/g) ?? [])
    const documented = page("deployment").match(/\/(?:healthz|readyz|metrics)\b/g)
    expect(new Set(asked)).toEqual(new Set(documented))
  })

  it("keep the home where the image has it", () => {
    const home = String(environment()["TURNHOUSE_HOME"])
    expect(textOf("compose/compose.yaml").match(/node\d:(\/[\w/]+)/g)).toEqual(
      [1, 2, 3].map((number) => `node${number}:${home}`),
    )
    expect(textOf("kubernetes/nodes.yaml")).toContain(`mountPath: ${home}`)
  })

  it("are named in a page or a README, where each path leads to a file", () => {
    const pages = [page("cluster"), page("deployment"), textOf("README.md"), textOf("kubernetes/README.md")].join("\n")
    const paths = pages.match(/(?<=[\s(`])deploy\/[\w./-]*\w/g) ?? []
    expect(paths.length).toBeGreaterThan(5)
    for (const path of paths) expect({ path, exists: existsSync(join(root, path)) }).toEqual({ path, exists: true })
  })
})
