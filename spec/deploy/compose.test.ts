// The compose file and the files that its services read, as docker-compose, nats-server and the program read them. No
// container is started: the tests do not need an engine.
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { connect } from "@nats-io/transport-node"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { parse } from "yaml"
import { valueAt } from "../../src/config/plain.ts"
import { isObject } from "../../src/contract/json-object.ts"
import { startNats } from "../../src/testing/servers/nats-server.ts"
import { needPackage } from "../need-package.ts"

const source = join(import.meta.dirname, "../../deploy/compose")
const folder = mkdtempSync(join(tmpdir(), "turnhouse-compose-"))
const text = readFileSync(join(source, "compose.yaml"), "utf8")
const example = readFileSync(join(source, ".env.example"), "utf8")
/** Begins like a number on purpose: see nats.conf. */
const password = "12e45abc"

beforeAll(() => needPackage("docker-compose", "docker-compose"), 300_000)
afterAll(() => rmSync(folder, { recursive: true }))

/** `docker-compose config` of this text, with only these variables. */
function compose(yaml: string, variables: string) {
  writeFileSync(join(folder, "compose.yaml"), yaml)
  writeFileSync(join(folder, "variables"), variables)
  const args = ["-f", "compose.yaml", "--env-file", "variables", "config"]
  const env = { PATH: process.env["PATH"], HOME: folder }
  const { status, stdout, stderr } = spawnSync("docker-compose", args, { cwd: folder, env, encoding: "utf8" })
  return { status, stdout, stderr }
}

const filledIn = example.replace(/^([A-Z_]+)=$/gm, `$1=${password}`)

function services(): Readonly<Record<string, unknown>> {
  const found: unknown = valueAt(parse(compose(text, filledIn).stdout), ["services"])
  if (!isObject(found)) throw new Error("docker-compose shows no services")
  return found
}

describe("the compose file", () => {
  it("is accepted by docker-compose with the variables of .env.example, and needs no others", () => {
    expect(compose(text, filledIn)).toMatchObject({ status: 0, stderr: "" })
    const used = new Set([...text.matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name))
    const offered = new Set([...example.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name))
    expect(used).toEqual(offered)
  })

  it("is refused with a misspelt setting, or without a password", () => {
    const misspelt = compose(text.replace("stop_grace_period: 45s", "stop_grace_priod: 45s"), filledIn)
    expect(misspelt).toMatchObject({ status: 1, stderr: expect.stringContaining("stop_grace_priod") })
    expect(compose(text, example)).toMatchObject({ status: 1, stderr: expect.stringContaining("set it in .env") })
  })

  it("has pinned images, and three nodes with homes of their own that get time to hand over", () => {
    const images = Object.values(services()).map((service) => String(valueAt(service, ["image"])))
    for (const image of images.filter((name) => name !== "turnhouse")) expect(image).toMatch(/:\d+\.\d+/)
    const nodes = Object.values(services()).filter((service) => valueAt(service, ["image"]) === "turnhouse")
    expect(nodes).toHaveLength(3)
    expect(new Set(nodes.map((node) => valueAt(node, ["volumes", "0"]))).size).toBe(3)
    for (const node of nodes) {
      expect(node).toMatchObject({ stop_grace_period: "45s", read_only: true, cap_drop: ["ALL"] })
      expect(valueAt(node, ["environment", "TURNHOUSE_CLUSTER_SECRET"])).toBe(password)
      expect(valueAt(node, ["depends_on", "postgres", "condition"])).toBe("service_healthy")
    }
  })

  it("mounts only files that exist", () => {
    const files = [...text.matchAll(/"\.\/([^:"]+):/g)].map(([, name = ""]) => name)
    expect(files.length).toBeGreaterThan(4)
    for (const file of files) expect(readFileSync(join(source, file), "utf8")).not.toBe("")
  })
})

it("gives NATS a password that may begin with digits, and NATS refuses clients without it", async () => {
  vi.stubEnv("NATS_PASSWORD", String(valueAt(services()["nats"], ["environment", "NATS_PASSWORD"])))
  const ofTheImage = /^(port|http):.*$/gm // ports of the container; the test has its own
  const file = join(folder, "nats.conf")
  writeFileSync(file, readFileSync(join(source, "nats.conf"), "utf8").replace(ofTheImage, ""))
  const server = await startNats(["-c", file])
  vi.unstubAllEnvs()
  try {
    const client = await connect({ servers: server.url, user: "turnhouse", pass: password })
    await client.close()
    await expect(connect({ servers: server.url, reconnect: false })).rejects.toThrow(/authorization/i)
  } finally {
    await server.stop()
  }
})
