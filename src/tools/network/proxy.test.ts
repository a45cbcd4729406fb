import { once } from "node:events"
import { createServer as createHttpServer, type IncomingMessage } from "node:http"
import { connect, createServer, type Server, type Socket } from "node:net"
import { text } from "node:stream/consumers"
import { afterEach, expect, it } from "vitest"
import { destinationText, type Destination } from "../../contract/rules/network-rules.ts"
import { listening } from "./fixtures/listening.ts"
import { MAX_CONNECTIONS, MAX_HEADER_BYTES, openProxy, type Judgement, type ProxyOptions } from "./proxy.ts"

const cleanUps: (() => void)[] = []
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp()
})

const allowed = { kind: "allowed", mayBePrivate: true } as const

async function proxyWith(change: Partial<ProxyOptions> = {}) {
  const judged: string[] = []
  const proxy = openProxy({
    judge: async (destination) => {
      judged.push(destinationText(destination))
      return allowed
    },
    refusePrivate: (_destination, address) => `private: ${address}`,
    ...change,
  })
  const listener = createServer()
  const port = await listening(listener)
  proxy.serve(listener)
  cleanUps.push(proxy.close, () => listener.close())
  return { proxy, port, judged }
}

function client(port: number): Socket {
  const socket = connect(port, "127.0.0.1")
  socket.on("error", () => {}) // a proxy may close at any time
  cleanUps.push(() => socket.destroy())
  return socket
}

async function exchange(port: number, sent: string): Promise<string> {
  const socket = client(port)
  socket.write(sent)
  return text(socket)
}

async function echoServer(): Promise<number> {
  const server: Server = createServer((socket) => socket.pipe(socket))
  cleanUps.push(() => server.close())
  return listening(server)
}

async function webServer(answer: (request: IncomingMessage) => string): Promise<number> {
  const server = createHttpServer((request, response) => response.end(answer(request)))
  cleanUps.push(() => server.close())
  return listening(server)
}

it("opens a tunnel and passes on what was sent before it was open", async () => {
  const { port, judged } = await proxyWith()
  const target = await echoServer()
  const socket = client(port)
  socket.write(`CONNECT 127.0.0.1:${target} HTTP/1.1\r\nHost: x\r\n\r\nearly `)
  await once(socket, "data")
  socket.end("late")
  expect(await text(socket)).toContain("early late")
  expect(judged).toEqual([`127.0.0.1:${target}`])
})

it("delivers everything to a slow reader, also after both sides have sent their end", async () => {
  const { port } = await proxyWith()
  const size = 8 * 1024 * 1024
  const target = createServer({ allowHalfOpen: true }, (socket) => void socket.resume().end(Buffer.alloc(size, "x")))
  cleanUps.push(() => target.close())
  const socket = client(port)
  socket.write(`CONNECT 127.0.0.1:${await listening(target)} HTTP/1.1\r\nHost: x\r\n\r\n`)
  await once(socket, "readable")
  socket.end()
  let received = 0
  for await (const chunk of socket) {
    received += String(chunk).split("x").length - 1
    await new Promise(setImmediate)
  }
  expect(received).toBe(size)
})

it("forwards a plain request with the host of its address, and without headers of the connection", async () => {
  const { port } = await proxyWith()
  const target = await webServer(({ headers, url }) => JSON.stringify({ url, ...headers }))
  const reply = await exchange(
    port,
    `GET http://127.0.0.1:${target}/p?q=1 HTTP/1.1\r\nHost: other.example\r\nProxy-Authorization: x\r\nX-Mine: 1\r\nX-Hop: 1\r\nConnection: x-hop, close\r\n\r\n`,
  )
  expect(reply).toContain(`"url":"/p?q=1"`)
  expect(reply).toContain(`"host":"127.0.0.1:${target}"`)
  expect(reply).toContain(`"x-mine":"1"`)
  expect(reply).not.toMatch(/x-hop|proxy-authorization|other\.example/)
})

it("forwards each request of a connection to its own host", async () => {
  const { port, judged } = await proxyWith()
  const [one, two] = [await webServer(() => "first host"), await webServer(() => "second host")]
  const reply = await exchange(
    port,
    [one, two, one].map((target) => `GET http://127.0.0.1:${target}/ HTTP/1.1\r\nHost: x\r\n\r\n`).join("") +
      "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
  )
  expect(reply.match(/(?:first|second) host/g)).toEqual(["first host", "second host", "first host"])
  expect(judged).toEqual([one, two, one].map((target) => `127.0.0.1:${target}`))
})

it.for([
  ["no HTTP at all", "\u0000\u0001garbage\r\n\r\n", "400 Bad Request"],
  ["CONNECT without a port", "CONNECT example.com HTTP/1.1\r\nHost: x\r\n\r\n", "400 Bad Request"],
  ["CONNECT to an address with a path", "CONNECT example.com:443/x HTTP/1.1\r\nHost: x\r\n\r\n", "400 Bad Request"],
  ["a request to the proxy itself", "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "400 Bad Request"],
  ["another scheme", "GET ftp://a/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "400 Bad Request"],
  ["a huge header", `CONNECT a:1 HTTP/1.1\r\nX: ${"x".repeat(2 * MAX_HEADER_BYTES)}\r\n\r\n`, "431 "],
  ["a huge address", `CONNECT ${"a".repeat(2 * MAX_HEADER_BYTES)}:1 HTTP/1.1\r\n\r\n`, "431 "],
] as const)("answers %s with an error and judges nothing", async ([, sent, status]) => {
  const { port, judged } = await proxyWith()
  expect(await exchange(port, sent)).toMatch(new RegExp(`^HTTP/1.1 ${status}`))
  expect(judged).toEqual([])
})

it("closes a client that does not finish its request", async () => {
  const { port } = await proxyWith({ headerTimeoutMs: 50 })
  expect(await exchange(port, "CONNECT exam")).toContain("408 Request Timeout")
})

it("serves a bounded number of connections at a time", async () => {
  const { port } = await proxyWith()
  const target = await echoServer()
  const tunnels = Array.from({ length: MAX_CONNECTIONS }, async () => {
    const socket = client(port)
    socket.write(`CONNECT 127.0.0.1:${target} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await once(socket, "data")
    return socket
  })
  const [first] = await Promise.all(tunnels)
  expect(await exchange(port, `CONNECT 127.0.0.1:${target} HTTP/1.1\r\nHost: x\r\n\r\n`).catch(() => "")).toBe("")
  const echoed = once(first ?? client(port), "data")
  first?.write("still served")
  expect(String(await echoed)).toBe("still served")
})

it.for([
  ["CONNECT name.example:443 HTTP/1.1\r\nHost: x\r\n\r\n"],
  ["GET http://name.example/ HTTP/1.1\r\nHost: x\r\n\r\n"],
])("never resolves the name of a refused host: %s", async ([sent = ""]) => {
  const resolved: string[] = []
  const { port } = await proxyWith({
    judge: async () => ({ kind: "refused", reason: "not today" }),
    resolve: async (host) => (resolved.push(host), []),
  })
  const reply = await exchange(port, sent)
  expect(reply).toMatch(/^HTTP\/1.1 403 Forbidden/)
  expect(reply).toContain("not today")
  expect(resolved).toEqual([])
})

it("refuses a name with one private address among public ones", async () => {
  const { port } = await proxyWith({
    judge: async () => ({ kind: "allowed", mayBePrivate: false }),
    resolve: async () => ["93.184.216.34", "10.0.0.1"],
  })
  expect(await exchange(port, "CONNECT name.example:443 HTTP/1.1\r\nHost: x\r\n\r\n")).toContain("private: 10.0.0.1")
})

it("resolves a name once and connects to that address", async () => {
  const target = await echoServer()
  let times = 0
  const { port } = await proxyWith({ resolve: async () => (times++ === 0 ? ["127.0.0.1"] : ["192.0.2.1"]) })
  const socket = client(port)
  socket.write(`CONNECT name.example:${target} HTTP/1.1\r\nHost: x\r\n\r\n`)
  expect(String(await once(socket, "data"))).toContain("200 Connection established")
  expect(times).toBe(1)
})

it("answers 502 for a host that cannot be reached", async () => {
  const closedPort = await echoServer()
  cleanUps.pop()?.()
  const { port } = await proxyWith()
  expect(await exchange(port, `CONNECT 127.0.0.1:${closedPort} HTTP/1.1\r\nHost: x\r\n\r\n`)).toContain("ECONNREFUSED")
  const failing = await proxyWith({ resolve: () => Promise.reject(new Error("no such name")) })
  const reply = await exchange(failing.port, "GET http://name.example/ HTTP/1.1\r\nHost: x\r\n\r\n")
  expect(reply).toMatch(/^HTTP\/1.1 502 /)
  expect(reply).toContain("no such name")
})

it("notices that a client leaves while its connection is judged", async () => {
  const asked = Promise.withResolvers<AbortSignal>()
  const judgement = Promise.withResolvers<Judgement>()
  const judge = (_destination: Destination, signal: AbortSignal) => (asked.resolve(signal), judgement.promise)
  const { port } = await proxyWith({ judge })
  const socket = client(port)
  socket.write("CONNECT name.example:443 HTTP/1.1\r\nHost: x\r\n\r\n")
  const signal = await asked.promise
  const left = once(signal, "abort")
  socket.destroy()
  await left
  expect(signal.aborted).toBe(true)
  judgement.resolve(allowed)
})

it("ends open tunnels when it is closed", async () => {
  const { port, proxy } = await proxyWith()
  const socket = client(port)
  socket.write(`CONNECT 127.0.0.1:${await echoServer()} HTTP/1.1\r\nHost: x\r\n\r\n`)
  await once(socket, "data")
  const closed = once(socket, "close")
  proxy.close()
  await closed
  expect(socket.destroyed).toBe(true)
})
