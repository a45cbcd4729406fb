import { describe, expect, it } from "vitest"
import { setImmediate as nextRound } from "node:timers/promises"
import type { HostPort } from "../../contract/host-port.ts"
import { sealingKey } from "../../protocols/ipc/handshake.ts"
import { gate } from "../../testing/gate.ts"
import { next } from "../../testing/test-host.ts"
import { ipcWorld, newSession, openDoor, type TestViewer } from "../../testing/doors/ipc-world.ts"
import type { ReceivedFrame } from "../../testing/doors/line-client.ts"
import { open, seal, SealedSplitter } from "../../transports/framing/sealed-frames.ts"

const maxBytes = 16 * 1024 * 1024
const cancel = '{"type":"cancel"}'

/** Sends lines and then a message that is acknowledged; returns the frames in between. */
async function answersTo(
  viewer: TestViewer,
  ...lines: readonly (string | Uint8Array)[]
): Promise<readonly ReceivedFrame[]> {
  const before = viewer.received.length
  for (const line of lines) {
    viewer.write(line)
    viewer.write("\n")
  }
  viewer.say({ type: "set_tool_mode", mode: "Core" })
  await viewer.until(() => viewer.received.slice(before).some(({ command }) => command === "set_tool_mode"))
  return viewer.received.slice(before).filter(({ type }) => type === "error" || type === "toast" || type === "ack")
}

/** Enough rounds of the event loop to read everything that is sent. */
async function nextRounds(): Promise<void> {
  for (let round = 0; round < 1000; round++) await nextRound()
}

describe("lines of a viewer", () => {
  it("are assembled from single bytes while a turn streams", async () => {
    const halfway = gate()
    const { viewer: enter } = await ipcWorld([[{ text: "one " }, { gate: halfway }, { text: "two ".repeat(50) }]])
    const viewer = await enter()
    viewer.socket.setNoDelay(true)
    viewer.say({ type: "user_input", content: "go" })
    await halfway.arrived
    halfway.open()
    for (const byte of Buffer.from(`${cancel}\n`)) {
      viewer.write(Uint8Array.of(byte))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await viewer.ack("cancel")
    expect(viewer.all("error")).toEqual([])
  })

  it("may arrive together, end with CRLF, or end with the connection", async () => {
    const { raw, session } = await ipcWorld()
    const viewer = raw()
    const added = next(session, "task.added")
    const ended = next(session, "tools.selected")
    viewer.socket.end(
      `${JSON.stringify(newSession)}\r\n${cancel}\r\n{"type":"slash_command","command":"task:add","args":["a"]}\n` +
        `{"type":"set_tool_mode","mode":"None"}`,
    )
    await added
    await ended
    await viewer.closed
    expect(viewer.all("ack").map(({ command }) => command)).toEqual(["cancel", "set_tool_mode"])
  })

  it("that are invalid get one error each, blank ones none", async () => {
    const { viewer: enter } = await ipcWorld()
    const viewer = await enter()
    const bad = ["{}", "null", "[]", '"cancel"', '{"type":"cancel"', '{"type":"cancel",}', `\ufeff${cancel}`]
    const answers = await answersTo(viewer, "", "  ", "\r", ...bad)
    expect(answers.map(({ type }) => type)).toEqual([...bad.map(() => "error"), "ack"])
    for (const { fatal } of answers.slice(0, -1)) expect(fatal).toBe(false)
  })

  it("are decoded as strictly as by the protocol's own peers", async () => {
    const { viewer: enter } = await ipcWorld()
    const typesOf = async (line: string | Uint8Array) => (await answersTo(await enter(), line)).map(({ type }) => type)
    const isGood = ["ack", "ack"]
    const isBad = ["error", "ack"]
    expect(await typesOf('{"type":"cancel","junk":1}')).toEqual(isGood)
    expect(await typesOf('{"type":"Cancel"}')).toEqual(isBad)
    expect(await typesOf('{"type":"cancel","type":"cancel"}')).toEqual(isBad)
    expect(await typesOf('{"type":"queue_message","content":"a","content":"b"}')).toEqual(isBad)
    expect(await typesOf('{"type":"set_tool_mode","mode":"core"}')).toEqual(isBad)
    expect(await typesOf(Buffer.from([0x7b, 0xff, 0x7d]))).toEqual(isBad)
    expect(await typesOf('{"type":"queue_message","content":"\\ud800"}')).toEqual(isBad)
  })

  it("that are invalid get an error that names the field", async () => {
    const { viewer: enter } = await ipcWorld()
    const [answer] = await answersTo(await enter(), '{"type":"detach","exit_when_done":1}')
    expect(answer?.["message"]).toContain("exit_when_done")
  })

  it("that are invalid close the connection when there are more than ten", async () => {
    const { viewer: enter } = await ipcWorld()
    const viewer = await enter()
    for (let line = 0; line < 10; line++) viewer.write("nonsense\n")
    viewer.write(`${cancel}\n`)
    await viewer.ack("cancel")
    expect(viewer.all("error")).toHaveLength(10)
    viewer.write(`nonsense\n${cancel}\n`)
    await viewer.closed
    expect(viewer.all("ack")).toHaveLength(1)
  })

  it("of 16 MiB with their newline are read; one byte more closes this connection only", async () => {
    const { viewer: enter } = await ipcWorld()
    const [viewer, other] = [await enter(), await enter()]
    const line = (bytes: number) => Buffer.from(`${cancel}${" ".repeat(bytes - cancel.length - 1)}\n`)
    viewer.write(line(maxBytes))
    await viewer.ack("cancel")
    viewer.write(line(maxBytes + 1))
    const error = { type: "error", message: `Message exceeds maximum size of ${maxBytes} bytes`, fatal: false }
    expect(await viewer.of("error")).toEqual(error)
    await viewer.closed
    other.say({ type: "disconnect" })
    await other.ack("disconnect")
  })

  it("of one viewer in thousands leave time for other viewers", async () => {
    const { viewer: enter } = await ipcWorld()
    const [greedy, other] = [await enter(), await enter()]
    greedy.write('{"type":"sync_request"}\n'.repeat(2000))
    greedy.say({ type: "set_tool_mode", mode: "Core" })
    other.say({ type: "cancel" })
    await other.ack("set_tool_mode")
    expect(other.all("ack").map(({ command }) => command)).toEqual(["cancel", "set_tool_mode"])
  })

  it("are read no faster than they are handled", async () => {
    const [staging, world] = [gate(), await ipcWorld()]
    const port: HostPort = {
      open: (...asked) => world.port.open(...asked),
      create: (...asked) => world.port.create(...asked),
      query: async (query) => {
        if (query.type === "stage-files") await staging.pass()
        return world.port.query(query)
      },
      perform: (command) => world.port.perform(command),
    }
    const { viewer: enter } = await openDoor(port, world.session.id, { limits: { inboxLength: 64 * 1024 } })
    const viewer = await enter()
    viewer.say({ type: "user_input", content: "look", context_files: ["a"] })
    await staging.arrived
    const line = `${cancel}${" ".repeat(40 * 1024)}\n`
    const isWritten = new Promise((resolve) => viewer.socket.write(line.repeat(200), resolve))
    const first = await Promise.race([isWritten.then(() => "written"), nextRounds().then(() => "waiting")])
    expect(first).toBe("waiting")
    staging.open()
    await isWritten
    await viewer.until(() => viewer.all("ack").filter(({ command }) => command === "cancel").length === 200)
  })

  it("without an end do not accumulate", async () => {
    const { viewer: enter } = await ipcWorld()
    const viewer = await enter()
    const piece = Buffer.alloc(1024 * 1024, "x")
    const before = process.memoryUsage().arrayBuffers
    for (let sent = 0; sent < 24; sent++) {
      viewer.write(piece)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await viewer.of("error")
    await viewer.closed
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024)
  })
})

describe("a viewer that disconnects", () => {
  it("right after its last message has it handled, however much it left unread", async () => {
    const { raw, session, door } = await ipcWorld([[{ text: "x".repeat(5 * 1024 * 1024) }]])
    const ended = next(session, "turn.ended")
    await session.send(
      { type: "prompt", promptId: "prm_1", text: "much", ifBusy: "wait" },
      { principal: "a", door: "b" },
    )
    await ended
    const viewer = raw()
    viewer.say(newSession)
    await viewer.until(() => viewer.received.length > 0)
    viewer.socket.pause()
    viewer.say({ type: "exit" })
    viewer.socket.destroySoon()
    await door.closed
    expect(session.state.life).toBe("ended")
  })

  it("in mid-turn does not affect the others", async () => {
    const halfway = gate()
    const { viewer: enter } = await ipcWorld([[{ text: "one " }, { gate: halfway }, { text: "two" }]])
    const [first, second] = [await enter(), await enter()]
    first.say({ type: "user_input", content: "go" })
    await halfway.arrived
    first.socket.destroy()
    halfway.open()
    await second.of("stream_end")
    expect(second.text()).toBe("one two")
  })

  it("ends the watch of the session when it was the last", async () => {
    const { viewer: enter, session } = await ipcWorld()
    const viewers = [await enter(), await enter()]
    expect(session.watching).toHaveLength(1)
    for (const viewer of viewers) {
      viewer.say({ type: "disconnect" })
      await viewer.closed
    }
    await expect.poll(() => session.watching).toEqual([])
    await enter()
    expect(session.watching).toHaveLength(1)
  })
})

describe("sealed frames", () => {
  async function sealed() {
    const opened = await ipcWorld()
    const viewer = await opened.viewer()
    const key = sealingKey(opened.token())
    const heard: string[] = []
    const splitter = new SealedSplitter(maxBytes, (frame) => {
      if (frame.kind === "frame") heard.push(String(open(key, frame.bytes)))
    })
    viewer.socket.removeAllListeners("data")
    viewer.socket.on("data", (chunk: Buffer) => splitter.push(chunk))
    return { enter: opened.viewer, viewer, key, heard }
  }

  it("are answered sealed, while other viewers get lines", async () => {
    const { enter, viewer, key, heard } = await sealed()
    const other = await enter()
    viewer.write(seal(key, Buffer.from(cancel)))
    await other.ack("cancel")
    await viewer.until(() => heard.length > 0)
    expect(heard).toEqual(['{"type":"ack","command":"cancel"}'])
  })

  it("that were tampered with close the connection", async () => {
    const { viewer, key, heard } = await sealed()
    const frame = seal(key, Buffer.from(cancel))
    frame.writeUInt8((frame.at(-1) ?? 0) ^ 1, frame.length - 1)
    viewer.write(frame)
    await viewer.closed
    expect(heard).toEqual([])
  })

  it("with a length beyond the limit close the connection", async () => {
    const { viewer, heard } = await sealed()
    viewer.write(Uint8Array.of(0x01, 0xff, 0xff, 0xff))
    await viewer.closed
    expect(heard).toEqual([])
  })

  it("right after the handshake get even the first frames sealed", async () => {
    const opened = await ipcWorld()
    const key = sealingKey(opened.token())
    const viewer = opened.raw()
    const heard: Buffer[] = []
    viewer.socket.removeAllListeners("data")
    viewer.socket.on("data", (chunk: Buffer) => heard.push(chunk))
    viewer.write(Buffer.concat([Buffer.from(`${JSON.stringify(newSession)}\n`), seal(key, Buffer.from(cancel))]))
    const texts: string[] = []
    await viewer.until(() => {
      const bytes = Buffer.concat(heard)
      texts.length = 0
      const splitter = new SealedSplitter(maxBytes, (frame) => {
        if (frame.kind === "frame") texts.push(String(open(key, frame.bytes)))
      })
      splitter.push(bytes.subarray(bytes.indexOf("\n") + 1))
      return texts.length === 4
    })
    expect(texts.map((text) => JSON.parse(text).type)).toEqual([
      "conversation_sync",
      "task_update",
      "seal_status",
      "ack",
    ])
  })
})
