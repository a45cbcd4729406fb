// Notices of a server over HTTP, above all that its tools changed, also after the stream for them was lost.
import type { ServerResponse } from "node:http"
import { expect, it } from "vitest"
import { httpServer, startHttpServer } from "../fixtures/http-server.ts"
import { newestServer } from "../fixtures/newest-server.ts"
import { EventStream } from "./event-stream.ts"
import { RunningServer, type RunningServerDeps } from "../running-server.ts"
import type { CallOptions } from "../server-call.ts"

const deps: RunningServerDeps = {
  release: "1.0.0",
  spawn: () => Promise.reject(new Error("no process is needed")),
  debug: () => {},
  warn: () => {},
}
const options: CallOptions = {
  signal: new AbortController().signal,
  meta: {},
  asks: {
    sessionId: "1",
    elicit: () => Promise.resolve({ action: "accept", content: { size: "M" } }),
    sample: () => Promise.reject(new Error("no")),
  },
  progress: () => {},
}

function descriptions(running: RunningServer): readonly string[] {
  return running.tools.map(({ description }) => description)
}

it("opens a lost event stream again, however long the server is gone, and then lists the tools again", async (test) => {
  const streams: ServerResponse[] = []
  const gone = { answers: 3 }
  const listed = { times: 0 }
  const { url } = await startHttpServer(test, ({ method, body }, response) => {
    if (body.includes("tools/list")) listed.times++
    if (method !== "GET") return false
    if (streams.length > 0 && gone.answers-- > 0) return response.writeHead(503).end() !== undefined
    streams.push(response.writeHead(200, { "content-type": "text/event-stream" }))
    return response.write("retry: 1\n\n") || true
  })
  const running = new RunningServer(httpServer(url), deps)
  test.onTestFinished(() => running.stop())
  await running.start()
  await expect.poll(() => streams.length).toBe(1)
  expect(listed.times).toBe(1)
  streams[0]?.destroy()
  await expect.poll(() => streams.length, { timeout: 30_000 }).toBe(2)
  await expect.poll(() => listed.times).toBe(2)
})

it("waits longer and longer for an event stream that the server ends at once, whatever it says about that time", async () => {
  const events = new EventStream(
    () => Promise.resolve(new Response("")),
    () => {},
  )
  const startedAt = performance.now()
  for (let count = 0; count < 4; count++) await events.fetch("http://web.example/mcp", { method: "GET" })
  expect(performance.now() - startedAt).toBeGreaterThan(1700) // 250, 500 and 1000
})

it("opens no stream of its own when the response to a request continues", async () => {
  const statuses = [200, 200, 503]
  let reopened = 0
  const answer = () => Promise.resolve(new Response("", { status: statuses.shift() ?? 200 }))
  const events = new EventStream(answer, () => (reopened += 1))
  const url = "http://web.example/mcp"
  await events.fetch(url, { method: "GET" })
  events.noteResponseEvent("7")
  const continued = { method: "GET", headers: { "last-event-id": "7" } }
  expect((await events.fetch(url, continued)).status).toBe(200)
  expect((await events.fetch(url, continued)).status).toBe(503) // given to the SDK, which counts its attempts
  expect(reopened).toBe(0)
})

it("lists the tools again after a notice from a server with the newest protocol, also after the subscription was lost", async (test) => {
  const server = newestServer()
  const running = new RunningServer(httpServer("http://newest.example/mcp"), { ...deps, fetchFor: () => server.fetch })
  test.onTestFinished(() => running.stop())
  await running.start()
  await expect.poll(server.followers).toBe(1)
  server.change("Looks twice.")
  server.announce()
  await expect.poll(() => descriptions(running)).toContain("Looks twice.")
  server.cut()
  server.change("Looks three times.")
  await expect.poll(() => descriptions(running), { timeout: 30_000 }).toContain("Looks three times.")
})

it("answers a question of a server with the newest protocol", async (test) => {
  const server = newestServer()
  const running = new RunningServer(httpServer("http://newest.example/mcp"), { ...deps, fetchFor: () => server.fetch })
  test.onTestFinished(() => running.stop())
  expect(await running.call("ask", {}, options)).toMatchObject({
    kind: "result",
    result: { content: [{ text: '{"action":"accept","content":{"size":"M"}}' }] },
  })
})

it("sends a call once, with the headers that a server with the newest protocol wants for routing", async (test) => {
  const server = newestServer()
  const running = new RunningServer(httpServer("http://newest.example/mcp"), { ...deps, fetchFor: () => server.fetch })
  test.onTestFinished(() => running.stop())
  const answer = await running.call("route", { region: "north" }, options)
  expect(answer).toMatchObject({ kind: "result", result: { content: [{ text: "in north" }] } })
  expect(server.calls().map((headers) => headers.get("mcp-param-region"))).toEqual(["north"])
})
