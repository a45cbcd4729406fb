// `turnhouse attach` through the real ssh and sshd of this machine, on a port of its own.
import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync } from "node:fs"
import { createServer } from "node:net"
import { userInfo } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { withoutEscapes } from "../../src/contract/text/text.ts"
import { newPlace, openInput, program, type Place } from "../e2e/turnhouse.ts"
import { needPackage } from "../need-package.ts"
import { madeSession } from "./live.ts"

const sshd = process.env["SSHD"] ?? "/usr/sbin/sshd"

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === "string") throw new Error("no port")
  return address.port
}

/** Starts sshd, and returns a program that calls ssh with the keys of the test. */
async function startSshd(place: Place): Promise<{ readonly ssh: string; readonly port: number }> {
  needPackage(sshd, "openssh-server")
  if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true, mode: 0o755 }) // made by the service otherwise
  const port = await freePort()
  for (const name of ["host_key", "user_key"])
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", place.path(name)])
  const bin = program.slice(0, program.lastIndexOf("/"))
  const config = [
    `HostKey ${place.path("host_key")}`,
    `AuthorizedKeysFile ${place.path("user_key.pub")}`,
    `SetEnv TURNHOUSE_HOME=${place.home} PATH=${bin}:/usr/bin:/bin`,
    `PidFile ${place.path("sshd.pid")}`,
    "StrictModes no",
    "UsePAM no",
  ]
  const file = place.write("sshd_config", `${config.join("\n")}\n`)
  const server = place.startOther(sshd, ["-D", "-e", "-f", file, "-p", String(port), "-o", "ListenAddress=127.0.0.1"], {
    input: openInput,
  })
  await server.says("listening on")
  const known = place.write("known_hosts", `[127.0.0.1]:${port} ${readFileSync(place.path("host_key.pub"), "utf8")}`)
  const options = `-F none -o UserKnownHostsFile=${known} -i ${place.path("user_key")} -o IdentitiesOnly=yes`
  const ssh = place.write("ssh", `#!/bin/sh\nexec ssh ${options} "$@"\n`)
  chmodSync(ssh, 0o755)
  return { ssh, port }
}

it("attaches through sshd, and reconnects when the connection is cut", async (test) => {
  const place = newPlace(test)
  const id = await madeSession(place, [[{ text: "First answer." }], [{ text: "Second answer." }]])
  const { ssh, port } = await startSshd(place)
  const home = join(place.root, "client-home")
  mkdirSync(home, { mode: 0o700 })
  const env = { TURNHOUSE_HOME: home, TURNHOUSE_SSH: ssh, TERM: "xterm" }
  const address = `ssh://${userInfo().username}@127.0.0.1:${port}/${id}`
  const terminal = place.onTerminal(`${program} attach ${address}`, { env })
  const shows = (text: string) =>
    terminal.until(`'${text}'`, () => withoutEscapes(terminal.stdout).includes(text) || undefined)
  await shows(`on ${userInfo().username}@127.0.0.1`)
  terminal.write("one\r")
  await shows("First answer.")
  const children = execFileSync("pgrep", ["-P", place.read("sshd.pid").trim()], { encoding: "utf8" })
  for (const pid of children.trim().split("\n")) process.kill(Number(pid), "SIGKILL")
  await shows("nothing lost")
  terminal.write("two\r")
  await shows("Second answer.")
  terminal.write("\u0004")
  expect((await terminal.ended).code).toBe(0)
})
