// `turnhouse attach` to another machine: through a stand-in for ssh that runs the remote command in another home, and at a
// server with a key.
import { chmodSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { eventsOf } from "../e2e/printed.ts"
import type { Running } from "../e2e/running.ts"
import { withoutEscapes } from "../../src/contract/text/text.ts"
import { newPlace, program, type Place } from "../e2e/turnhouse.ts"
import { logWith, madeSession } from "./live.ts"

const CTRL_D = "\u0004"

/** Whatever its style, which is a sequence before each word. */
function shows(terminal: Running, text: string): Promise<true> {
  return terminal.until(`'${text}'`, () => withoutEscapes(terminal.stdout).includes(text) || undefined)
}

/** A client home besides that of the place, which is the other machine. */
function clientEnv(place: Place, remoteLines: readonly string[]) {
  const home = join(place.root, "client-home")
  mkdirSync(home, { mode: 0o700 })
  const ssh = place.write("ssh", ["#!/bin/sh", "for command; do :; done", ...remoteLines, ""].join("\n"))
  chmodSync(ssh, 0o755)
  return { TURNHOUSE_HOME: home, TURNHOUSE_SSH: ssh, TERM: "xterm" }
}

/** Runs the command as sshd would, and notes its process id. */
function onThisMachine(place: Place): readonly string[] {
  const bin = program.slice(0, program.lastIndexOf("/"))
  const variables = `TURNHOUSE_HOME='${place.home}' PATH='${bin}':"$PATH"`
  return [`echo $$ > '${place.path("ssh.pid")}'`, `export ${variables}`, 'exec sh -c "$command"']
}

describe.concurrent("attach through ssh", () => {
  it("shows a session of the other machine, reconnects, and sends each prompt once", async (test) => {
    const place = newPlace(test)
    const id = await madeSession(place, [[{ text: "First answer." }], [{ text: "Second answer." }]])
    const env = clientEnv(place, onThisMachine(place))
    const terminal = place.onTerminal(`${program} attach jane@box:${id}`, { env })
    await shows(terminal, "on jane@box")
    terminal.write("one\r")
    await shows(terminal, "First answer.")
    process.kill(Number(place.read("ssh.pid")), "SIGKILL")
    await shows(terminal, "reconnecting")
    terminal.write("two\r")
    await shows(terminal, "nothing lost")
    await shows(terminal, "Second answer.")
    terminal.write(CTRL_D)
    await shows(terminal, `Come back: turnhouse attach jane@box:${id.slice(0, 13)}`)
    expect((await terminal.ended).code).toBe(0)
    const log = await logWith(place, id, "turn.ended", 2)
    expect(eventsOf(log, "prompt.admitted").map(({ text, by }) => [text, by.door])).toEqual([
      ["one", "terminal"],
      ["two", "terminal"],
    ])
  })

  it("lists the sessions of the other machine without an id", async (test) => {
    const place = newPlace(test)
    const id = await madeSession(place, [[{ text: "Hello." }]])
    await place.run("run", "--session", id, "a title to choose")
    const terminal = place.onTerminal(`${program} attach jane@box`, { env: clientEnv(place, onThisMachine(place)) })
    await shows(terminal, "a title to choose")
    terminal.write("\r")
    expect(await shows(terminal, "Hello.")).toBe(true)
  })

  it.for<readonly [string, readonly string[], string]>([
    [
      "turnhouse is missing there",
      ["PATH=/usr/bin:/bin", 'exec sh -c "$command"'],
      "turnhouse was not found on jane@box",
    ],
    ["ssh refuses", ["echo 'Permission denied (publickey).' >&2", "exit 255"], "Permission denied (publickey)."],
    [
      "ssh fails",
      ["echo 'Could not resolve hostname box' >&2", "exit 255"],
      "jane@box is not reachable: Could not resolve",
    ],
  ])("says why it fails, and exits with 4, where %s", async ([, lines, message], test) => {
    const place = newPlace(test)
    const terminal = place.onTerminal(`${program} attach jane@box`, { env: clientEnv(place, lines) })
    const { code, stdout } = await terminal.ended
    expect(stdout).toContain(message)
    expect(stdout).not.toContain("\u001b[?1049h")
    expect(code).toBe(4)
  })

  it("asks for a terminal", async (test) => {
    const { code, stderr } = await newPlace(test).run("attach", "jane@box")
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("needs a terminal") })
  })
})

describe.concurrent("attach at a server", () => {
  it("shows what a key for watching permits, and follows its end", async (test) => {
    const place = newPlace(test)
    const id = await madeSession(place, [[{ text: "Hello." }]])
    await place.run("run", "--session", id, "hi")
    const server = place.start(["serve", "--port", "0"])
    const url = await server.until("an address", () => /^listening on (http:\S+)$/m.exec(server.stdout)?.[1])
    const { stdout: link } = await place.run("link", "--session", id)
    const address = `${url}/#${link.trim().split("#")[1]}`
    const terminal = place.onTerminal(`${program} attach '${address}'`, { env: { TERM: "xterm" } })
    await shows(terminal, "Hello.")
    await shows(terminal, "read-only")
    terminal.write("may I\r")
    await shows(terminal, "needs the role 'drive'")
    await place.run("link", "--revoke", /lnk_[0-9a-f]+/.exec(link)?.[0] ?? "")
    await shows(terminal, "disconnected")
    terminal.write("\u0003\u0003\u0003")
    expect((await terminal.ended).code).toBe(0)
    const again = await place.onTerminal(`${program} attach '${address}'`).ended
    expect(again).toMatchObject({ code: 2, stdout: expect.stringContaining("wrong, expired or revoked") })
  })

  // no port that the system gives to others
  it.for<readonly [string, number, string]>([
    ["http://127.0.0.1:61999/#key=x", 4, "nothing listens there"],
    ["https://127.0.0.1:61999/#key=x", 4, "nothing listens there"],
    ["http://box.example.org/#key=x", 2, "needs https"],
    ["https://box.example.org/", 2, "has no key"],
  ])("says in one line why %s does not work", async ([address, code, message], test) => {
    const place = newPlace(test)
    const ended = await place.onTerminal(`${program} attach '${address}'`).ended
    expect(ended).toMatchObject({
      code,
      stdout: expect.stringMatching(new RegExp(`^turnhouse: [^\\n]*${message}[^\\n]*\\r?\\n$`)),
    })
  })
})
