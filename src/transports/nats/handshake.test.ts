import { describe, expect, it } from "vitest"
import { createReply, createRequest, linkSecrets, readReply, readRequest, type HostSecret } from "./handshake.ts"

const secret: HostSecret = { key: Buffer.alloc(32, 1), cluster: "a", hostId: "h" }
const others: HostSecret[] = [
  { ...secret, key: Buffer.alloc(32, 2) },
  { ...secret, cluster: "b" },
  { ...secret, hostId: "i" },
]

describe("the handshake of a link", () => {
  it("gives both sides the same nonces, and each link and direction its own key and subject", () => {
    const request = createRequest(secret)
    const reply = createReply(secret, request.nonce)
    expect(readRequest(secret, request.message)).toEqual(Uint8Array.from(request.nonce))
    expect(readReply(secret, request.nonce, reply.message)).toEqual(Uint8Array.from(reply.nonce))
    const first = linkSecrets(secret, request.nonce, reply.nonce)
    const second = linkSecrets(secret, request.nonce, createReply(secret, request.nonce).nonce)
    const directions = [first.toHost, first.toClient, second.toHost, second.toClient]
    expect(linkSecrets(secret, request.nonce, reply.nonce)).toEqual(first)
    expect(new Set(directions.map(({ key }) => Buffer.from(key).toString("hex"))).size).toBe(4)
    expect(new Set(directions.map(({ subject }) => subject)).size).toBe(4)
    expect(first.toHost.subject).toMatch(/^turnhouse\.a\.link\.[0-9a-f]{32}$/)
  })

  it("refuses requests and replies for another key, cluster or host", () => {
    const request = createRequest(secret)
    for (const other of others) {
      expect(readRequest(other, request.message)).toBeUndefined()
      expect(readReply(secret, request.nonce, createReply(other, request.nonce).message)).toBeUndefined()
    }
  })

  it("refuses a reply to another request, a request as a reply, and damaged messages", () => {
    const request = createRequest(secret)
    const reply = createReply(secret, createRequest(secret).nonce)
    expect(readReply(secret, request.nonce, reply.message)).toBeUndefined()
    expect(readReply(secret, request.nonce, request.message)).toBeUndefined()
    for (let at = 0; at < request.message.length; at++) {
      const damaged = Buffer.from(request.message)
      damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at)
      expect(readRequest(secret, damaged)).toBeUndefined()
    }
    expect(readRequest(secret, request.message.subarray(1))).toBeUndefined()
  })
})
