import { describe, expect, it } from "vitest"
import { cpuMsOf } from "../testing/cpu-time.ts"
import { MAX_SERVERS, serversIn, type ServerPlace } from "./server-settings.ts"

function place(servers: unknown, more: Partial<ServerPlace> = {}): ServerPlace {
  const given = { source: "/etc/servers.json", folder: "/etc", isOwn: true, timeUnitMs: 1000 }
  return { servers, ...given, env: { HOME: "/home/jo" }, isClosed: () => false, ...more }
}

function serverOf(entry: unknown, more: Partial<ServerPlace> = {}) {
  const { servers, unused } = serversIn([place({ shop: entry }, more)])
  expect(unused).toEqual([])
  return servers[0]
}

function problemOf(entry: unknown, more: Partial<ServerPlace> = {}): string | undefined {
  const { servers, unused } = serversIn([place({ shop: entry }, more)])
  expect(servers).toEqual([])
  return unused[0]?.problem
}

const defaults = {
  name: "shop",
  source: "/etc/servers.json",
  isTrusted: false,
  isShared: false,
  isOfProject: false,
  startTimeoutMs: 30_000,
  callTimeoutMs: 300_000,
}

describe("a server", () => {
  it("with a command speaks on stdio", () => {
    const entry = { command: "npx", args: ["-y", "shop"], env: { MODE: "test" } }
    const expected = { ...defaults, kind: "stdio", ...entry }
    expect(serverOf(entry)).toEqual(expected)
    expect(serverOf({ type: "stdio", ...entry })).toEqual(expected)
    expect(serverOf({ command: "shop" })).toEqual({ ...defaults, kind: "stdio", command: "shop", args: [], env: {} })
  })

  it.each([undefined, "http", "streamable-http"])("with an address speaks HTTP, with type %s", (type) => {
    const entry = { type, url: "https://mcp.example/mcp", headers: { Authorization: "Bearer abc" } }
    const { url, headers } = entry
    expect(serverOf(entry)).toEqual({ ...defaults, kind: "http", url, headers })
  })

  it("has the client of its login, with variables inserted", () => {
    const oauth = { clientId: "mine", clientSecret: "${SECRET}", scopes: ["read"] }
    const env = { SECRET: "hush" }
    expect(serverOf({ url: "https://mcp.example/", oauth }, { env })).toMatchObject({
      oauth: { clientId: "mine", clientSecret: "hush", scopes: ["read"] },
    })
  })

  it.each([
    ["no object", "x", 'its "oauth" must be an object'],
    ["a secret without a client", { clientSecret: "x" }, 'its "oauth" has no "clientId"'],
    ["an empty client", { clientId: "" }, 'its "clientId" must be a text'],
    ["scopes that are no list", { scopes: "x" }, 'its "scopes" must be a list of at most 256 texts'],
  ])("is not used with %s for its login", (_, oauth, problem) => {
    expect(problemOf({ url: "https://mcp.example/", oauth })).toBe(problem)
  })

  it("finds a command with a slash, and its folder, relative to the file", () => {
    expect(serverOf({ command: "./bin/shop", cwd: "data" })).toMatchObject({
      command: "/etc/bin/shop",
      cwd: "/etc/data",
    })
    expect(serverOf({ command: "~/bin/shop" })).toMatchObject({ command: "/home/jo/bin/shop" })
    expect(serverOf({ command: "${HOME}/bin/shop" })).toMatchObject({ command: "/home/jo/bin/shop" })
    expect(serverOf({ command: "/opt/shop" })).toMatchObject({ command: "/opt/shop" })
  })

  it("is trusted and shared only by the user's own configuration", () => {
    const entry = { command: "shop", trust: true, shared: true }
    expect(serverOf(entry)).toMatchObject({ isTrusted: true, isShared: true })
    expect(serverOf(entry, { isOwn: false })).toMatchObject({ isTrusted: false, isShared: false })
    expect(serverOf({ command: "shop", trust: "true", shared: 1 })).toMatchObject({ isTrusted: false, isShared: false })
  })

  it("has timeouts in the unit of its file", () => {
    const entry = { command: "shop", timeout: 5000, startTimeout: 2000 }
    const inMs = { timeUnitMs: 1 }
    expect(serverOf(entry, inMs)).toMatchObject({ callTimeoutMs: 5000, startTimeoutMs: 2000 })
    expect(serverOf({ command: "shop", timeout: 5, startTimeout: 2 })).toMatchObject({
      callTimeoutMs: 5000,
      startTimeoutMs: 2000,
    })
    expect(serverOf(entry)).toMatchObject({ callTimeoutMs: 3_600_000, startTimeoutMs: 2_000_000 })
    for (const timeout of [500, -1, 0, Number.NaN, "5000", null])
      expect(serverOf({ command: "shop", timeout }, inMs)).toMatchObject({ callTimeoutMs: 300_000 })
  })

  it("ignores keys of other programs", () => {
    expect(serverOf({ command: "shop", autoApprove: ["*"], alwaysAllow: ["x"] })).toMatchObject({ command: "shop" })
  })

  it("that is disabled is not used", () => {
    const disabled = { servers: [], unused: [{ name: "shop", source: "/etc/servers.json" }] }
    expect(serversIn([place({ shop: { disabled: true } })])).toEqual(disabled)
    expect(serversIn([place({ shop: { command: "shop" } }, { disabled: new Set(["shop"]) })])).toEqual(disabled)
    expect(serverOf({ command: "shop", disabled: false })).toMatchObject({ command: "shop" })
  })
})

describe("a server that cannot be used has a problem:", () => {
  it.each([
    [null, "it is not an object"],
    ["npx shop", "it is not an object"],
    [["npx"], "it is not an object"],
    [{}, 'it has neither "command" nor "url"'],
    [{ command: "shop", url: "http://a/" }, 'it has "command" and "url"; remove one'],
    [
      { type: "sse", url: "http://a/sse" },
      'the transport "sse" is not supported; use the address for Streamable HTTP and "type": "http"',
    ],
    [{ type: "ws", url: "ws://a/" }, 'its "type" must be "stdio" or "http"'],
    [{ type: {}, command: "shop" }, 'its "type" must be "stdio" or "http"'],
    [{ type: "http", command: "shop" }, 'its "type" needs "url"'],
    [{ type: "stdio", url: "http://a/" }, 'its "type" needs "command"'],
    [{ command: "" }, 'its "command" must be a text'],
    [{ command: ["npx", "shop"] }, 'its "command" must be a text'],
    [{ command: "a\0b" }, 'its "command" must be a text'],
    [{ command: "shop", cwd: 7 }, 'its "cwd" must be a text'],
    [{ command: "shop", args: "-y" }, 'its "args" must be a list of at most 256 texts'],
    [{ command: "shop", args: Array<string>(257).fill("x") }, 'its "args" must be a list of at most 256 texts'],
    [{ command: "shop", args: [1] }, 'its "args" must be a list of texts'],
    [{ command: "shop", env: ["A=b"] }, 'its "env" must be an object with at most 256 texts'],
    [{ command: "shop", env: { A: 1 } }, 'its "env" must have texts as values'],
    [{ command: "shop", env: { "A=B": "c" } }, '"env" has a variable that cannot be set: "A=B"'],
    [{ command: "shop", env: { TURNHOUSE_MARK: "c" } }, '"env" has a variable that cannot be set: "TURNHOUSE_MARK"'],
    [{ url: "example.com/mcp" }, 'its "url" is not an address with http or https'],
    [{ url: "file:///etc/passwd" }, 'its "url" is not an address with http or https'],
    [{ url: "http://a/", headers: { "x y": "z" } }, '"headers" has one that cannot be sent: "x y"'],
    [{ url: "http://a/", headers: { x: "a\r\nb: c" } }, '"headers" has one that cannot be sent: "x"'],
    [{ command: "shop", args: ["x".repeat(300_000)] }, "its values have more than 262144 characters"],
  ])("%j", (entry, problem) => {
    expect(problemOf(entry)).toBe(problem)
  })

  it("its name is not one", () => {
    const names = ["", "a b", "a.b", "a\u001b[31m", "ä", "../x", "a__b", "x".repeat(65)]
    const entries = Object.fromEntries(names.map((name) => [name, { command: "shop" }]))
    const { servers, unused } = serversIn([place(entries)])
    expect(servers).toEqual([])
    expect(unused.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
    for (const { problem } of unused)
      expect(problem).toBe("its name must be 1 to 48 letters, digits, '_' and '-', without '__'")
  })

  it.each([
    ["a_", "its name must not end with '_'"],
    ["x".repeat(49), "its name must be 1 to 48 letters, digits, '_' and '-', without '__'"],
  ])("its name gives tools a name with two meanings: %s", (name, problem) => {
    expect(serversIn([place({ [name]: { command: "shop" } })]).unused).toMatchObject([{ problem }])
  })

  it("there are too many", () => {
    const entries = Array.from({ length: 1000 }, (_, at) => [`s${at}`, { command: "shop" }])
    const { servers, unused } = serversIn([place(Object.fromEntries(entries))])
    expect(servers).toHaveLength(MAX_SERVERS)
    expect(unused).toHaveLength(1000 - MAX_SERVERS)
    expect(unused[0]?.problem).toBe(`a session has at most ${MAX_SERVERS} servers`)
  })
})

describe("several places", () => {
  it("are looked up in their order, and definitions are not combined", () => {
    const near = place({ a: { command: "near" }, b: {}, c: { disabled: true } }, { source: "near" })
    const far = place(Object.fromEntries("abcd".split("").map((name) => [name, { command: "far", env: { A: "b" } }])), {
      source: "far",
    })
    const { servers, unused } = serversIn([near, far])
    expect(servers).toMatchObject([
      { name: "a", command: "near", env: {}, source: "near" },
      { name: "d", command: "far", source: "far" },
    ])
    expect(unused).toEqual([
      { name: "b", source: "near", problem: 'it has neither "command" nor "url"' },
      { name: "c", source: "near" },
    ])
  })

  it.each([undefined, null, [], "x", 7])("may have no servers: %j", (servers) => {
    expect(serversIn([place(servers)])).toEqual({ servers: [], unused: [] })
  })

  it("give servers by name", () => {
    const { servers } = serversIn([place({ b: { command: "b" }, a: { command: "a" } })])
    expect(servers.map(({ name }) => name)).toEqual(["a", "b"])
  })
})

describe("a variable", () => {
  const env = { KEY: "k-7", EMPTY: "", LOOP: "${LOOP}", A: "${B}", B: "${A}" }

  it("is inserted into every value", () => {
    const stdio = {
      command: "${KEY}",
      args: ["--key=${KEY}", "${KEY}${KEY}"],
      env: { TOKEN: "${KEY}" },
      cwd: "/${KEY}",
    }
    expect(serverOf(stdio, { env })).toMatchObject({
      command: "k-7",
      args: ["--key=k-7", "k-7k-7"],
      env: { TOKEN: "k-7" },
      cwd: "/k-7",
    })
    const http = { url: "https://${KEY}.example/", headers: { Authorization: "Bearer ${KEY}" } }
    expect(serverOf(http, { env })).toMatchObject({
      url: "https://k-7.example/",
      headers: { Authorization: "Bearer k-7" },
    })
  })

  it.each([
    ["${KEY:-other}", "k-7"],
    ["${MISSING:-other}", "other"],
    ["${MISSING:-}", ""],
    ["${EMPTY:-other}", "other"],
    ["${EMPTY}", ""],
    ["${LOOP}", "${LOOP}"],
    ["${A}", "${B}"],
    ["$KEY", "$KEY"],
    ["${}", "${}"],
    ["${not a name}", "${not a name}"],
    ["${KEY", "${KEY"],
    ["${MISSING:-${KEY}}", "${MISSING:-k-7}"],
  ])("%j becomes %j", (text, expanded) => {
    expect(serverOf({ command: "shop", args: [text] }, { env })).toMatchObject({ args: [expanded] })
  })

  it("that is missing is a problem of its server alone", () => {
    const { servers, unused } = serversIn([place({ a: { command: "${MISSING}" }, b: { command: "b" } })])
    expect(servers).toMatchObject([{ name: "b" }])
    expect(unused[0]?.problem).toBe("the variable MISSING is not set; set it, or write ${MISSING:-default}")
  })

  it("that is closed to the file is not read", () => {
    const isClosed = (name: string) => name === "KEY"
    expect(problemOf({ command: "shop", args: ["${KEY:-x}"] }, { env, isClosed })).toBe(
      "it may not read the variable KEY",
    )
  })

  it("cannot make values endless, nor reading them slow", async () => {
    const large = { LARGE: "x".repeat(10_000) }
    expect(problemOf({ command: "shop", args: ["${LARGE}".repeat(1000)] }, { env: large })).toContain("more than")
    const nested = { command: "shop", args: ["${A:-".repeat(50_000)] }
    expect(await cpuMsOf(() => serversIn([place({ shop: nested })]))).toBeLessThan(2000)
  })
})
