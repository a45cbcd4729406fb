import { describe, expect, it } from "vitest"
import { parseServers } from "./servers.ts"

describe("the address of NATS", () => {
  it("may name several servers, with one user for all of them", () => {
    expect(parseServers("nats://us%40er:p%2Cw@a:4223, b,tls://[::1]:5000")).toEqual([
      { host: "a", port: 4223, address: "a:4223", isTls: false, credentials: { user: "us@er", pass: "p,w" } },
      { host: "b", port: 4222, address: "b:4222", isTls: false, credentials: { user: "us@er", pass: "p,w" } },
      { host: "::1", port: 5000, address: "[::1]:5000", isTls: true, credentials: { user: "us@er", pass: "p,w" } },
    ])
  })

  it("may have a token, or a user for each server", () => {
    const [first, second] = parseServers("nats://secret@a,nats://u:p@b")
    expect([first?.credentials, second?.credentials]).toEqual([{ token: "secret" }, { user: "u", pass: "p" }])
  })

  it.each(["", "nats://", "http://a:4222", "nats://user:secret@a:port", "nats://a,,b"])(
    "is refused when it is invalid, without showing it: %s",
    (url) => {
      expect(() => parseServers(url)).toThrow(
        "the address of NATS is invalid. Write nats://HOST:PORT or tls://HOST:PORT, several with commas.",
      )
    },
  )
})
