// The units as systemd reads them. They are not started: the tests do not need a machine that systemd has booted.
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beforeAll, describe, expect, it, type TestContext } from "vitest"
import { needPackage } from "../need-package.ts"

const units = join(import.meta.dirname, "../../deploy/systemd")
const managers = ["system", "user"] as const

beforeAll(() => needPackage("systemd-analyze", "systemd"))

const onEveryMachine = (text: string) => text.replace(/^ExecStart=[^\s]+/m, "ExecStart=/bin/sh")
const cluster = readFileSync(join(units, "cluster/10-cluster.conf"), "utf8")

interface Analyzed {
  readonly manager: string
  /** Added to the unit. */
  readonly dropIn?: string
}

/** A copy whose program exists on every machine; what else systemd has to say is about the unit. */
function analyze(test: TestContext, { manager, dropIn }: Analyzed, ...args: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "turnhouse-unit-"))
  test.onTestFinished(() => rmSync(folder, { recursive: true }))
  const unit = join(folder, "turnhouse.service")
  const text = readFileSync(join(units, manager, "turnhouse.service"), "utf8")
  writeFileSync(unit, onEveryMachine(text))
  if (dropIn !== undefined) {
    mkdirSync(`${unit}.d`)
    writeFileSync(join(`${unit}.d`, "10-cluster.conf"), onEveryMachine(dropIn))
  }
  const runtime = join(folder, "runtime")
  mkdirSync(runtime)
  const env = { ...process.env, XDG_RUNTIME_DIR: runtime, SYSTEMD_LOG_LEVEL: "warning" }
  const { status, stdout, stderr } = spawnSync("systemd-analyze", [...args, `--${manager}`, unit], {
    env,
    encoding: "utf8",
  })
  return { status, stdout, stderr }
}

describe.for(managers)("the unit of a %s", (manager) => {
  it("has only settings that systemd knows", (test) => {
    expect(analyze(test, { manager }, "verify", "--man=no")).toEqual({ status: 0, stdout: "", stderr: "" })
  })

  it("starts the server, signals only that process, and waits longer than its grace period", () => {
    const text = readFileSync(join(units, manager, "turnhouse.service"), "utf8")
    expect(text).toMatch(/^ExecStart=\S+\/turnhouse serve$/m)
    expect(text).toMatch(/^KillMode=mixed$/m)
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1])).toBeGreaterThan(30)
  })
})

it("the unit of the system is rated as safe, with what bubblewrap needs", (test) => {
  const { stdout } = analyze(test, { manager: "system" }, "security", "--offline=true", "--no-pager")
  expect(Number(/exposure level for turnhouse.service: ([\d.]+)/.exec(stdout)?.[1])).toBeLessThan(4)
  const text = readFileSync(join(units, "system/turnhouse.service"), "utf8")
  for (const needed of [
    "RestrictNamespaces=no",
    "ProtectKernelTunables=no",
    "ProtectProc=default",
    "@mount",
    "AF_NETLINK",
  ])
    expect(text).toContain(needed)
})

describe("the drop-in of a cluster node", () => {
  const verify = (test: TestContext, dropIn: string) =>
    analyze(test, { manager: "system", dropIn }, "verify", "--man=no")

  it("has only settings that systemd knows", (test) => {
    expect(verify(test, cluster)).toEqual({ status: 0, stdout: "", stderr: "" })
    expect(verify(test, cluster.replace("EnvironmentFile", "EnvironmentFiel")).stderr).toContain("EnvironmentFiel")
  })

  it("replaces the command, requires its environment and never stops trying to start", () => {
    expect(cluster).toMatch(/^ExecStart=\nExecStart=\S+\/turnhouse serve --host 0\.0\.0\.0 --port 8787$/m)
    expect(cluster).toMatch(/^EnvironmentFile=\/etc\/turnhouse\/cluster$/m)
    expect(cluster).toMatch(/^StartLimitIntervalSec=0$/m)
  })
})
