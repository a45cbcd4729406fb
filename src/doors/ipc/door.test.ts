import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { once } from "node:events"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import {
  emptyFolder,
  ipcWorld,
  newSession,
  openDoor,
  TestViewer,
  type IpcWorld,
} from "../../testing/doors/ipc-world.ts"
import { stubPort, StubSession } from "../../testing/doors/stub-port.ts"
import { IpcDoorFault } from "./door.ts"

/** The reply to a first line before the connection closes. */
async function refusedWith({ raw }: IpcWorld, line: string): Promise<unknown[]> {
  const viewer = raw()
  viewer.write(`${line}\n`)
  expect(await viewer.closed).toBeUndefined()
  return viewer.received.map(({ error }) => error)
}

const handshake = (change: object) => JSON.stringify({ ...newSession, ...change })

describe("the handshake", () => {
  it("of a new viewer is answered with the token, then the session's state", async () => {
    const { viewer, token, session } = await ipcWorld()
    const { received } = await viewer()
    expect(received[0]).toEqual({ accepted: true, session_id: session.id, session_token: token(), error: null })
    expect(token()).toMatch(/^[0-9a-f]{64}$/)
    expect(received.slice(1).map(({ type }) => type)).toEqual(["conversation_sync", "task_update", "seal_status"])
  })

  it("of a version 1 viewer is accepted", async () => {
    const { viewer, token } = await ipcWorld()
    const { received } = await viewer({ version: 1, is_reattach: false, session_id: null })
    expect(received[0]).toMatchObject({ accepted: true, session_token: token() })
  })

  it("of another version is refused with both version numbers", async () => {
    const opened = await ipcWorld()
    for (const version of [0, 3, 4_294_967_295])
      expect(await refusedWith(opened, handshake({ version }))).toEqual([
        `Protocol version mismatch: expected 2, got ${version}`,
      ])
  })

  it("to reattach with the token is accepted with any name of the session, or none", async () => {
    const opened = await ipcWorld()
    const back = { version: 2, is_reattach: true, session_token: opened.token() }
    const { received } = await opened.viewer({ ...back, session_id: opened.session.id })
    expect(received[0]).toEqual({ accepted: true, session_id: opened.session.id, session_token: null, error: null })
    await opened.viewer({ ...back, session_id: null })
    expect(await refusedWith(opened, JSON.stringify({ ...back, session_id: "another" }))).toEqual(["Session mismatch"])
  })

  it("to reattach without the right token is refused", async () => {
    const opened = await ipcWorld()
    const back = (session_token: string | null) => handshake({ is_reattach: true, session_token })
    for (const none of [back(null), back(""), '{"version":2,"is_reattach":true}'])
      expect(await refusedWith(opened, none)).toEqual(["Session token required for reattachment"])
    for (const wrong of ["0".repeat(64), "x", "y".repeat(30_000), "z".repeat(1024 * 1024), `${opened.token()}\n`])
      expect(await refusedWith(opened, back(wrong))).toEqual(["Invalid session token"])
  })

  it("that is invalid is closed without an answer, and the next viewer is accepted", async () => {
    const opened = await ipcWorld()
    const nonsense = [
      '{"version":2.0,"is_reattach":false}',
      '{"version":"2","is_reattach":false}',
      '{"version":-1,"is_reattach":false}',
      '{"is_reattach":false}',
      '{"version":2,"version":2,"is_reattach":false}',
      '{"type":"exit"}',
      "[2,false,null,null]",
      "nonsense",
    ]
    for (const line of nonsense) expect(await refusedWith(opened, line)).toEqual([])
    expect(opened.session.state.life).toBe("open")
    await opened.viewer()
  })

  it("times out", async () => {
    const { raw, viewer } = await ipcWorld([], { door: { limits: { handshakeMs: 20 } } })
    const other = await viewer()
    const silent = raw()
    expect(await silent.closed).toBeUndefined()
    expect(silent.received).toEqual([])
    other.say({ type: "cancel" })
    await other.ack("cancel")
  })

  it("is limited to 64 KiB", async () => {
    const { raw, viewer } = await ipcWorld()
    const flood = raw()
    const piece = Buffer.alloc(1024 * 1024, "x")
    for (let sent = 0; sent < 100; sent++) flood.write(piece)
    await flood.closed
    expect(flood.received).toEqual([])
    await viewer()
  })

  it("may be missing from a thousand connections at once", async () => {
    const { raw, viewer } = await ipcWorld()
    for (let round = 0; round < 20; round++) {
      const knocking = Array.from({ length: 50 }, () => raw())
      await Promise.all(knocking.map(({ socket }) => once(socket, "connect")))
      for (const { socket } of knocking) socket.destroy()
    }
    expect((await viewer()).received[0]).toMatchObject({ accepted: true })
  })

  it("of a second viewer without a token is refused when only the first needs none", async () => {
    const opened = await ipcWorld([], { door: { newSessionOnce: true } })
    await opened.viewer()
    expect(await refusedWith(opened, handshake({}))).toHaveLength(1)
    await opened.viewer({ version: 2, is_reattach: true, session_id: null, session_token: opened.token() })
  })

  it("writes a deleted token file again", async () => {
    const opened = await ipcWorld()
    const before = opened.token()
    unlinkSync(join(opened.folder, `${opened.session.id}.token`))
    await opened.viewer()
    expect(opened.token()).toBe(before)
  })

  it("is answered also when the folder was deleted", async () => {
    const opened = await ipcWorld()
    const { openSocket } = await import("../../transports/socket-address.ts")
    const viewer = new TestViewer(await openSocket(opened.path))
    rmSync(opened.folder, { recursive: true })
    viewer.say(newSession)
    await viewer.of("seal_status")
    expect(opened.warnings).toHaveLength(1)
    await opened.door.close()
    await viewer.closed
  })
})

describe("the files of a door", () => {
  it("are readable by their owner only, whatever the umask", async () => {
    const umask = process.umask(0)
    onTestFinished(() => void process.umask(umask))
    const place = join(emptyFolder(), "sessions")
    const { session } = await ipcWorld([], { door: { folder: place } })
    const mode = (path: string) => statSync(path).mode & 0o777
    expect(mode(place)).toBe(0o700)
    const names = readdirSync(place)
    expect(names.toSorted()).toEqual([".meta.json", ".sock", ".token"].map((end) => `${session.id}${end}`))
    for (const name of names) expect(mode(join(place, name))).toBe(0o600)
  })

  it("are removed when the door closes, and every viewer is disconnected", async () => {
    const opened = await ipcWorld()
    const viewer = await opened.viewer()
    const silent = opened.raw()
    await once(silent.socket, "connect")
    await opened.door.close("Terminated")
    expect(await viewer.of("exiting")).toEqual({ type: "exiting", reason: "Terminated" })
    await viewer.closed
    await silent.closed
    expect(readdirSync(opened.folder)).toEqual([])
    await opened.door.closed
    expect(opened.session.watching).toEqual([])
  })

  it("describe the session and follow its changes", async () => {
    const opened = await ipcWorld([[{ text: "yes" }]], { session: { cwd: "/tmp", model: "m1" } })
    const metadata = () => JSON.parse(readFileSync(join(opened.folder, `${opened.session.id}.meta.json`), "utf8"))
    expect(metadata()).toMatchObject({
      session_id: opened.session.id,
      parent_agent_id: null,
      model: "m1",
      working_directory: "/tmp",
      is_busy: false,
      pid: process.pid,
    })
    const viewer = await opened.viewer()
    viewer.say({ type: "slash_command", command: "model", args: ["m2"] })
    await viewer.of("slash_command_result")
    expect(metadata()).toMatchObject({ model: "m2" })
    opened.door.metadata({ is_busy: true })
    await expect.poll(metadata).toMatchObject({ is_busy: true })
  })

  it("replace the files of a dead agent", async () => {
    const place = emptyFolder()
    const first = await ipcWorld()
    const path = join(place, `${first.session.id}.sock`)
    writeFileSync(path, "") // no process listens on a file
    const opened = await openDoor(first.port, first.session.id, { folder: place })
    expect((await opened.viewer()).received[0]).toMatchObject({ session_token: opened.token() })
  })

  it("never replace those of a live agent", async () => {
    const opened = await ipcWorld()
    const before = opened.token()
    const second = openDoor(opened.port, opened.session.id, { folder: opened.folder })
    await expect(second).rejects.toThrow(IpcDoorFault)
    expect(opened.token()).toBe(before)
    await opened.viewer()
  })

  it("are not removed when another process has replaced them", async () => {
    const opened = await ipcWorld()
    rmSync(opened.path)
    const thief = createServer().listen(opened.path)
    await once(thief, "listening")
    onTestFinished(() => void thief.close())
    await opened.door.close()
    expect(existsSync(opened.path)).toBe(true)
  })

  it("leave no partial file when writing fails, and are written as soon as it works", async () => {
    const { door, folder, session, warnings } = await ipcWorld()
    const place = join(folder, `${session.id}.meta.json`)
    rmSync(place)
    mkdirSync(place)
    door.metadata({ model: "next" })
    expect(warnings).toHaveLength(1)
    expect(readdirSync(folder).filter((name) => name.startsWith("."))).toEqual([])
    rmSync(place, { recursive: true })
    door.metadata({ model: "next" })
    expect(JSON.parse(readFileSync(place, "utf8"))).toMatchObject({ model: "next" })
    await door.close()
    expect(readdirSync(folder)).toEqual([])
  })

  it("are not written for an id that is not a file name", async () => {
    const place = join(emptyFolder(), "sessions")
    for (const id of ["a/b", "..", "a..b", "a\0b", "x".repeat(300), "shell.pty", ""])
      await expect(openDoor(stubPort(new StubSession()), id, { folder: place })).rejects.toThrow(IpcDoorFault)
    expect(existsSync(place)).toBe(false)
  })

  it.runIf(process.platform === "linux")("may be in a folder whose path is longer than a socket address", async () => {
    const place = join(emptyFolder(), "a-long-name-of-a-folder".repeat(5))
    mkdirSync(place)
    const opened = await ipcWorld([], { door: { folder: place } })
    expect(opened.path.length).toBeGreaterThan(107)
    const { openSocket } = await import("../../transports/socket-address.ts")
    const viewer = new TestViewer(await openSocket(opened.path))
    viewer.say(newSession)
    await viewer.of("seal_status")
  })
})
