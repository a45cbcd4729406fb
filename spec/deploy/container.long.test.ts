// The steps of the Dockerfile without Docker: the package is installed as there, and runs as there, with bubblewrap in the
// place of the container: user 10001, a read-only root, a writable home. The base images and tini are not part of this.
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Running } from "../e2e/running.ts"
import { needPackage } from "../need-package.ts"
import { environment, instructions, listOf } from "./dockerfile.ts"

const root = join(import.meta.dirname, "../..")
const folder = mkdtempSync(join(tmpdir(), "turnhouse-container-"))
const [prefix, home, users] = [join(folder, "opt"), join(folder, "home"), join(folder, "passwd")]

beforeAll(() => {
  needPackage("bwrap", "bubblewrap")
  execFileSync("npm", ["pack", "--pack-destination", folder], { cwd: root, stdio: "ignore" })
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"))
  const step = instructions("RUN").find((line) => line.startsWith("npm install")) ?? ""
  const command = step.replace("/opt/turnhouse", prefix).replace("./turnhouse.tgz", join(folder, String(tarball)))
  execFileSync("sh", ["-c", command], { cwd: folder, stdio: "ignore" })
  execFileSync("cp", [join(root, "deploy/health-check.mjs"), prefix])
  mkdirSync(home, { mode: 0o700 })
  writeFileSync(users, `turnhouse:x:10001:10001::/var/lib/turnhouse:/usr/sbin/nologin\n`) // by useradd there
}, 600_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What Docker is asked for in docs/deployment.md. */
const container = [
  "--die-with-parent --unshare-pid --unshare-user --uid 10001 --clearenv",
  `--ro-bind / / --ro-bind ${users} /etc/passwd --dev /dev --proc /proc --tmpfs /tmp`,
  `--tmpfs /opt --ro-bind ${prefix} /opt/turnhouse --remount-ro /opt`,
  `--tmpfs /var/lib --bind ${home} /var/lib/turnhouse --remount-ro /var/lib --chdir /var/lib/turnhouse`,
  ...Object.entries(environment()).map(([name, value]) => `--setenv ${name} ${value}`),
].flatMap((line) => line.split(" "))

function run(...command: readonly string[]) {
  const { status, stdout, stderr } = spawnSync("bwrap", [...container, ...command], { encoding: "utf8" })
  return { status, stdout, stderr }
}

describe("the container", () => {
  const [program = ""] = listOf(instructions("ENTRYPOINT")[0]).slice(2)

  it("cannot write to its root, as a user without privileges", () => {
    expect(run("sh", "-c", "id -u; touch /etc/x /opt/turnhouse/x")).toMatchObject({ status: 1, stdout: "10001\n" })
  })

  it("runs a turn with tool calls, on the Node of the package", () => {
    expect(run("sh", "-c", "command -v node")).toMatchObject({ stdout: expect.stringMatching(/^\/opt\/turnhouse\//) })
    expect(run(program, "run", "what files are here")).toMatchObject({ status: 0 })
  })

  it("serves, is reported as healthy while it runs, and ends on SIGTERM", async () => {
    const healthCheck = listOf(instructions("HEALTHCHECK")[0])
    expect(run(...healthCheck).status).not.toBe(0)
    const serving = new Running(
      spawn("bwrap", [...container, program, ...listOf(instructions("CMD")[0]), "--port", "0"]),
    )
    await serving.prints("listening on ")
    expect(run(...healthCheck)).toEqual({ status: 0, stdout: "", stderr: "" })
    serving.signal("SIGTERM")
    await serving.ended
    expect(run(...healthCheck).status).not.toBe(0)
  })
})
