import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"
import type { TestContext } from "vitest"
import { expect, it, onTestFinished } from "vitest"
import { httpServer, startHttpServer } from "../fixtures/http-server.ts"
import { programOf } from "../fixtures/servers.ts"
import type { McpServer } from "../mcp-server.ts"
import { RunningServer } from "../running-server.ts"
import type { CallOptions } from "../server-call.ts"

type Test = Pick<TestContext, "onTestFinished">

function start(server: McpServer, test: Test) {
  const warnings: string[] = []
  const running = new RunningServer(server, {
    release: "1.0.0",
    spawn: () => Promise.reject(new Error("no process is needed")),
    debug: () => {},
    warn: (sentence) => warnings.push(sentence),
  })
  test.onTestFinished(() => running.stop())
  return { running, warnings }
}

const options: CallOptions = {
  signal: new AbortController().signal,
  meta: {},
  asks: {
    sessionId: "1",
    elicit: () => Promise.resolve({ action: "decline" }),
    sample: () => Promise.reject(new Error("no")),
  },
  progress: () => {},
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return typeof address === "object" && address !== null ? address.port : 0
}

it("talks to a server of npm over Streamable HTTP", async (test) => {
  const port = await freePort()
  const program = programOf("@modelcontextprotocol/server-everything")
  const child = spawn(process.execPath, [program, "streamableHttp"], {
    env: { PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  })
  test.onTestFinished(() => void child.kill("SIGKILL"))
  await new Promise<void>((resolve) =>
    child.stderr.on("data", (text: Buffer) => text.includes("listening") && resolve()),
  )
  const { running } = start(httpServer(`http://127.0.0.1:${port}/mcp`), test)
  expect(await running.call("echo", { message: "over HTTP" }, options)).toMatchObject({
    kind: "result",
    result: { content: [{ text: "Echo: over HTTP" }] },
  })
})

it("sends the configured headers with every request", async (test) => {
  const { requests, url } = await startHttpServer(test)
  const { running } = start(httpServer(url, { headers: { authorization: "Bearer abc", "x-team": "shop" } }), test)
  expect(await running.call("look", {}, options)).toMatchObject({ kind: "result" })
  expect(requests.length).toBeGreaterThan(2)
  for (const { headers } of requests) expect(headers).toMatchObject({ authorization: "Bearer abc", "x-team": "shop" })
})

it("says that a login is needed when the server refuses without one", async (test) => {
  const { url } = await startHttpServer(test, (_, response) => response.writeHead(401).end() !== undefined)
  const { running } = start(httpServer(url), test)
  await running.start()
  expect(running.status).toMatchObject({
    state: "needs login",
    lastError: 'MCP server "web" needs a login: turnhouse mcp login web',
  })
})

it("does not follow a redirect to another host", async (test) => {
  const { requests, url: elsewhere } = await startHttpServer(test)
  const location = elsewhere.replace("127.0.0.1", "localhost")
  const { url } = await startHttpServer(
    test,
    (_, response) => response.writeHead(307, { location }).end() !== undefined,
  )
  const { running } = start(httpServer(url), test)
  await running.start()
  expect(running.status.state).toBe("failed")
  expect(requests).toEqual([])
})

it("is reported when nothing listens there", async (test) => {
  const { running, warnings } = start(httpServer(`http://127.0.0.1:${await freePort()}/mcp`), test)
  await running.start()
  expect(running.status.state).toBe("failed")
  expect(warnings[0]).toContain("ECONNREFUSED")
})

it("does not wait for a server that accepts a request and never answers it", async (test) => {
  const { url } = await startHttpServer(test, () => true)
  const { running } = start(httpServer(url, { startTimeoutMs: 1000 }), test)
  await running.start()
  expect(running.status.state).toBe("failed")
})

it("bounds what a server sends", async (test) => {
  const line = Buffer.alloc(1024 * 1024, "x")
  const { url } = await startHttpServer(test, ({ body }, response) => {
    if (!body.includes("tools/call")) return false
    response.writeHead(200, { "content-type": "text/event-stream" })
    const more = () => {
      while (!response.destroyed && response.write(line));
      response.once("drain", more)
    }
    more()
    return true
  })
  const { running } = start(httpServer(url), test)
  const answer = await running.call("look", {}, options)
  expect(answer).toMatchObject({ kind: "failed", reason: expect.stringContaining("a message has more than") })
})

it("fails a call whose connection the server closes before it answers", async (test) => {
  const { url } = await startHttpServer(test, ({ body }, response) => {
    if (!body.includes("tools/call")) return false
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.write(": wait\n\n", () => response.destroy())
    return true
  })
  const { running } = start(httpServer(url), test)
  expect(await running.call("look", {}, options)).toEqual({
    kind: "failed",
    reason: "MCP server 'web' ended before it answered (it closed the connection); what it did is unknown.",
    isOfServer: true,
  })
})

it.each([
  [404, "no longer knows the connection. It is connected again for the next call."],
  [400, "no longer knows the connection. It is connected again for the next call."],
])("connects again after an answer %i, which a server gives that was started again", async (status, reason) => {
  const lost = { calls: 0 }
  const { url, requests } = await startHttpServer({ onTestFinished }, ({ body }, response) => {
    if (!body.includes("tools/call") || lost.calls++ > 0) return false
    response.writeHead(status).end("no such session")
    return true
  })
  const { running, warnings } = start(httpServer(url), { onTestFinished })
  const first = await running.call("look", {}, options)
  expect(first).toMatchObject({ kind: "failed", reason: expect.stringContaining(reason) })
  expect(warnings).toEqual(["MCP server 'web' is not available: it no longer knows the connection."])
  expect(await running.call("look", {}, options)).toMatchObject({ kind: "result" })
  expect(requests.filter(({ body }) => body.includes('"initialize"'))).toHaveLength(2)
})

it("connects again after the server could not be reached", async (test) => {
  const broken = { calls: 0 }
  const { url } = await startHttpServer(test, ({ body }, response) => {
    if (!body.includes("tools/call") || broken.calls++ > 0) return false
    response.destroy()
    return true
  })
  const { running } = start(httpServer(url), test)
  const first = await running.call("look", {}, options)
  expect(first).toMatchObject({ kind: "failed", reason: expect.stringContaining("what it did is unknown") })
  expect(await running.call("look", {}, options)).toMatchObject({ kind: "result" })
})
