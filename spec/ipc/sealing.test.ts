// Conformance case 30: viewers that seal their frames.
import { describe, expect, it } from "vitest"
import { memoryOf } from "../rpc/process-figures.ts"
import { SharedAgent, type Test } from "./agents.ts"
import { checkedMessage } from "./checked-frame.ts"
import { connected, type RawSocket } from "./raw-socket.ts"
import { bytesOf, reattach } from "./raw-viewer.ts"
import { unsealedFrames, keyOf, sealed } from "./sealed.ts"

// One after another: acknowledgements reach every viewer of the shared agent.
describe("30: sealed frames", () => {
  const shared = new SharedAgent()
  const syncRequest = JSON.stringify({ type: "sync_request" })

  class SealedViewer {
    readonly key = keyOf(shared.agent.token)
    received = Buffer.alloc(0)
    #socket: RawSocket | undefined

    get socket(): RawSocket {
      if (this.#socket === undefined) throw new Error("not connected")
      return this.#socket
    }

    get unsealed() {
      return unsealedFrames(this.key, this.received)
    }

    async open(test: Test, ...more: readonly Uint8Array[]): Promise<this> {
      this.#socket = await connected(shared.agent.socket, (chunk) => {
        this.received = Buffer.concat([this.received, chunk])
      })
      test.onTestFinished(() => this.socket.destroy())
      await this.socket.send(Buffer.concat([bytesOf(reattach(shared.agent.token)), ...more]))
      return this
    }

    /** Sealed frames of this type. */
    async until(type: string): Promise<string> {
      const isIt = (text: string) => text.startsWith(`{"type":"${type}"`)
      return this.socket.until(
        () => `no sealed ${type}: ${JSON.stringify(this.unsealed)}`,
        () => this.unsealed.frames.find(isIt),
      )
    }

    async joined(): Promise<void> {
      await this.socket.until(
        () => "not joined",
        () => this.unsealed.lines.find((line) => line.includes("seal_status")),
      )
    }
  }

  it("the key and the frame of the published example come out the same", () => {
    const key = keyOf("0123456789abcdef".repeat(4))
    expect(key.toString("hex")).toBe("41ffe43a0701fdbb75d5f27bdfa99a445399004508f5492873f22b8897168f9e")
    const nonce = Uint8Array.from({ length: 12 }, (_, index) => index)
    expect(sealed(key, '{"type":"cancel"}', nonce).toString("hex")).toBe(
      "0000002d000102030405060708090a0bb68fa823201fffc687e408ecc94bbc563b32026606b355a27a7943978f60187687",
    )
  })

  it("a sealed frame after the handshake is answered sealed", async (test) => {
    const viewer = await new SealedViewer().open(test)
    await viewer.joined()
    await viewer.socket.send(sealed(viewer.key, syncRequest))
    await viewer.until("task_update")
    for (const text of viewer.unsealed.frames) expect(checkedMessage(Buffer.from(text)).kind).toBe("fine")
    expect(viewer.unsealed.lines).toHaveLength(4)
  })

  it("one that is sent together with the handshake has even the first frames sealed", async (test) => {
    const viewer = await new SealedViewer().open(test, sealed(keyOf(shared.agent.token), syncRequest))
    await viewer.until("task_update")
    expect(viewer.unsealed.lines).toHaveLength(1)
  })

  it("in pieces of one byte it is the same frame", async (test) => {
    const viewer = await new SealedViewer().open(test)
    await viewer.joined()
    for (const byte of sealed(viewer.key, syncRequest)) await viewer.socket.send(Uint8Array.of(byte))
    await viewer.until("task_update")
    expect(viewer.unsealed.frames).toHaveLength(2)
  })

  it("a broadcast reaches one viewer sealed and the other plain", async (test) => {
    const viewer = await new SealedViewer().open(test)
    const plain = await shared.viewer(test)
    await viewer.joined()
    await viewer.socket.send(sealed(viewer.key, JSON.stringify({ type: "cancel" })))
    expect(await viewer.until("ack")).toBe('{"type":"ack","command":"cancel"}')
    await plain.ack("cancel")
  })

  it("a flipped bit closes the connection", async (test) => {
    const viewer = await new SealedViewer().open(test)
    await viewer.joined()
    const frame = sealed(viewer.key, JSON.stringify({ type: "set_tool_mode", mode: "None" }))
    frame[20] = (frame[20] ?? 0) ^ 1
    await viewer.socket.send(frame)
    await viewer.socket.closed
    expect(viewer.unsealed.frames).toEqual([])
    expect(await (await shared.viewer(test)).sync()).toMatchObject({ tool_mode: "Smart" })
  })

  it.for(["ffffffff", "01000001"])("a length of 0x%s is closed, nothing is allocated", async (length, test) => {
    const viewer = await new SealedViewer().open(test)
    await viewer.joined()
    await viewer.socket.send(sealed(viewer.key, syncRequest))
    await viewer.until("task_update")
    const before = memoryOf(shared.agent.pid)
    await viewer.socket.send(Buffer.from(length, "hex"))
    await viewer.socket.closed
    expect(memoryOf(shared.agent.pid) - before).toBeLessThan(16 * 1024)
  })

  it("0xff as a first byte is not a length, and as text not UTF-8", async (test) => {
    const viewer = await shared.viewer(test)
    await viewer.send(Uint8Array.of(0xff, 0xff, 0xff, 0xff, 10))
    expect(await viewer.next("error")).toMatchObject({ fatal: false })
  })
})
