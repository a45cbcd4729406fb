import { describe, expect, it } from "vitest"
import { parseRemoteAddress } from "./remote-address.ts"

describe("an address of another machine", () => {
  it.each([
    ["jane@box", { target: "jane@box", port: undefined, session: undefined }],
    ["jane@box:01a1e0d0", { target: "jane@box", session: "01a1e0d0" }],
    ["jane@box.example.org:my session", { target: "jane@box.example.org", session: "my session" }],
    ["jane@[2001:db8::1]:x", { target: "jane@2001:db8::1", session: "x" }],
    ["ssh://box", { target: "box", port: undefined, session: undefined }],
    ["ssh://jane@box:2222/01a1e0d0", { target: "jane@box", port: 2222, session: "01a1e0d0" }],
  ])("through ssh: %s", (text, expected) => {
    expect(parseRemoteAddress(text)).toMatchObject({ kind: "ssh", ...expected })
  })

  it.each([
    ["https://box/#key=lnk_1.a.b", "wss://box/house"],
    ["https://box/#lnk_1.a.b", "wss://box/house"],
    ["https://box:8443/agents/#key=lnk_1.a.b", "wss://box:8443/agents/house"],
    ["wss://box/house#key=lnk_1.a.b", "wss://box/house"],
    ["http://127.0.0.1:8787/#key=lnk_1.a.b", "ws://127.0.0.1:8787/house"],
  ])("at a server: %s", (text, url) => {
    const address = parseRemoteAddress(text)
    expect(address).toMatchObject({ kind: "server", key: "lnk_1.a.b" })
    expect(address?.kind === "server" && address.url.href).toBe(url)
  })

  it.each(["01a1e0d0", "my-name", "agent.sock", "./dir/agent.sock", "", "@box", "jane@"])(
    "is none for the session %j of this machine",
    (text) => {
      expect(parseRemoteAddress(text)).toBeUndefined()
    },
  )

  it.each([
    ["-oProxyCommand=x@box", "is not a machine"],
    ["jane@-oProxyCommand", "is not a machine"],
    ["ssh://-oProxyCommand=x/", "is not a"],
    ["http://box.example.org/#key=x", "needs https"],
    ["https://box/", "has no key"],
  ])("is refused: %s", (text, message) => {
    expect(() => parseRemoteAddress(text)).toThrow(message)
  })
})
