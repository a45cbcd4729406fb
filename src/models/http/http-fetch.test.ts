// The client for requests to providers against real servers on loopback, and against the platform's `fetch`.
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { PassThrough } from "node:stream"
import { createServer as createSocketServer, type AddressInfo, type Server } from "node:net"
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { ReadableSource } from "./byte-source.ts"
import { HttpAnswer } from "./http-answer.ts"
import { httpFetch } from "./http-fetch.ts"

async function listening(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close())
  const address: AddressInfo | string | null = server.address()
  if (address === null || typeof address === "string") throw new Error("no port")
  return `http://127.0.0.1:${address.port}`
}

type Answering = (request: IncomingMessage, response: ServerResponse) => unknown

async function serving(answer: Answering): Promise<string> {
  const server = createServer((request, response) => void answer(request, response))
  onTestFinished(() => server.closeAllConnections())
  return listening(server)
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ""
  for await (const piece of request.setEncoding("utf8")) body += String(piece)
  return body
}

/** Opened with the request of a client. */
async function opened(init: RequestInit = {}) {
  const came = Promise.withResolvers<ServerResponse>()
  const url = await serving((_request, response) => came.resolve(response))
  const answer = httpFetch(url, init)
  answer.catch(() => {}) // some tests refuse it before they look
  return { answer, response: await came.promise }
}

function sourceOf(answer: Response) {
  if (!(answer instanceof HttpAnswer)) throw new Error("not an answer of this client")
  return answer.source()
}

const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString()

describe("a request", () => {
  it("is sent with its method, headers and body, and answered as by the platform", async () => {
    const url = await serving(async (request, response) => {
      const { method, headers, url: path } = request
      const { "content-type": type, authorization, "content-length": length, accept } = headers
      const seen = { method, path, type, authorization, length, accept, body: await bodyOf(request) }
      response.writeHead(
        201,
        [
          ["x-one", "1"],
          ["X-Two", "a"],
          ["x-two", "b"],
          ["set-cookie", "c=1"],
          ["set-cookie", "d=2"],
        ].flat(),
      )
      response.end(JSON.stringify(seen))
    })
    const init = {
      method: "POST",
      headers: { "Content-Type": "application/json", authorization: "Bearer k" },
      body: '{"ä":1}',
    }
    const [theirs, ours] = await Promise.all([fetch(`${url}/v1?q=1`, init), httpFetch(`${url}/v1?q=1`, init)])
    expect(ours).toBeInstanceOf(HttpAnswer)
    expect([ours.status, ours.statusText, ours.ok, ours.url]).toEqual([201, "Created", true, `${url}/v1?q=1`])
    const others = (name: string) => !["date", "connection", "keep-alive", "transfer-encoding"].includes(name)
    const named = (answer: Response) => [...answer.headers].filter(([name]) => others(name))
    expect(named(ours)).toEqual(named(theirs))
    expect(ours.headers.getSetCookie()).toEqual(["c=1", "d=2"])
    expect(ours.headers.get("X-TWO")).toBe("a, b")
    expect(await ours.json()).toEqual(await theirs.json())
  })

  it("uses the connection of the one before", async () => {
    const ports = new Set<number | undefined>()
    const url = await serving((request, response) => {
      ports.add(request.socket.remotePort)
      response.end("x")
    })
    for (let n = 0; n < 3; n++) expect(await (await httpFetch(url)).text()).toBe("x")
    expect(ports.size).toBe(1)
  })

  it("follows a redirect, as the platform does", async () => {
    const url = await serving(async (request, response) => {
      if (request.url === "/new") response.end(`${request.method} ${await bodyOf(request)}`)
      else response.writeHead(307, { location: "/new" }).end()
    })
    const answer = await httpFetch(`${url}/old`, { method: "POST", body: "b" })
    expect(await answer.text()).toBe("POST b")
    expect((await httpFetch(`${url}/old`, { redirect: "manual" })).status).toBe(307)
    await expect(httpFetch(`${url}/old`, { redirect: "error" })).rejects.toThrow(TypeError)
  })

  it("goes to a fetch that has replaced the platform's", async () => {
    const replacement = vi.fn<typeof fetch>(async () => new Response("mine"))
    vi.stubGlobal("fetch", replacement)
    onTestFinished(() => void vi.unstubAllGlobals())
    expect(await (await httpFetch("http://127.0.0.1:9/")).text()).toBe("mine")
    expect(replacement).toHaveBeenCalledOnce()
  })

  it("with a body that is not text is sent by the platform", async () => {
    const url = await serving(async (request, response) => response.end(await bodyOf(request)))
    const answer = await httpFetch(url, { method: "POST", body: new URLSearchParams({ a: "1" }) })
    expect(await answer.text()).toBe("a=1")
  })

  it("that cannot be sent fails as with the platform", async () => {
    const server = createSocketServer()
    const url = await listening(server)
    await new Promise((resolve) => server.close(resolve))
    const theirs: unknown = await fetch(url).catch((fault: unknown) => fault)
    const ours: unknown = await httpFetch(url).catch((fault: unknown) => fault)
    expect(ours).toMatchObject({ message: "fetch failed", cause: { code: "ECONNREFUSED" } })
    expect(ours).toBeInstanceOf(TypeError)
    expect(String(ours)).toBe(String(theirs))
  })

  it("whose server closes the connection without an answer fails", async () => {
    const url = await listening(createSocketServer((socket) => socket.destroy()))
    await expect(httpFetch(url)).rejects.toMatchObject({ message: "fetch failed", cause: { code: "ECONNRESET" } })
  })

  it("is not sent after its signal was aborted, and ends with it", async () => {
    const reason = new Error("enough")
    const url = await serving((_request, response) => response.end("x"))
    await expect(httpFetch(url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const controller = new AbortController()
    const { answer, response } = await opened({ signal: controller.signal })
    const closed = once(response, "close")
    controller.abort(reason)
    await expect(answer).rejects.toBe(reason)
    await closed
  })
})

describe("an answer", () => {
  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ] as const)("that is compressed with %s is decoded", async (encoding, compress) => {
    const url = await serving((_request, response) =>
      response.writeHead(200, { "content-encoding": encoding }).end(compress("text ".repeat(1000))),
    )
    expect(await (await httpFetch(url)).text()).toBe("text ".repeat(1000))
  })

  it("gives bytes as they arrive", async () => {
    const { answer, response } = await opened()
    response.write("a")
    const source = sourceOf(await answer)
    const first = await source.read()
    expect(first.done || text(first.value)).toBe("a")
    const next = source.read()
    response.write("b")
    response.end("c")
    let rest = ""
    for (let read = await next; !read.done; read = await source.read()) rest += text(read.value)
    expect(rest).toBe("bc")
    expect(await source.read()).toEqual({ done: true })
  })

  it("gives what has arrived together at once", async () => {
    const stream = new PassThrough()
    const source = new ReadableSource(stream)
    const ended = once(stream, "end")
    for (const piece of ["a", "b", "c"]) stream.write(piece)
    stream.end()
    await ended
    const read = await source.read()
    expect(read.done || text(read.value)).toBe("abc")
    expect(await source.read()).toEqual({ done: true })
  })

  it("keeps little of a body that nobody reads", async () => {
    const stream = new PassThrough()
    const source = new ReadableSource(stream)
    const paused = once(stream, "pause")
    const piece = Buffer.alloc(64 * 1024)
    for (let n = 0; n < 8; n++) stream.write(piece)
    stream.end()
    await paused
    expect(stream.readableFlowing).toBe(false)
    let read = 0
    for (let next = await source.read(); !next.done; next = await source.read()) read += next.value.length
    expect(read).toBe(8 * piece.length)
  })

  it("that is aborted fails with the reason, and closes the connection", async () => {
    const controller = new AbortController()
    const { answer, response } = await opened({ signal: controller.signal })
    response.write("a")
    const source = sourceOf(await answer)
    await source.read()
    const closed = once(response, "close")
    const reason = new Error("enough")
    controller.abort(reason)
    await expect(source.read()).rejects.toBe(reason)
    await closed
  })

  it("whose connection breaks fails, also where nobody reads it at that moment", async () => {
    const { answer, response } = await opened()
    response.write("a")
    const received = await answer
    const source = sourceOf(received)
    await source.read()
    response.destroy()
    await expect(source.read()).rejects.toMatchObject({ code: "ECONNRESET" })
    const unread = await opened()
    unread.response.write("a")
    const late = await unread.answer
    unread.response.destroy()
    await once(unread.response, "close")
    await expect(late.text()).rejects.toThrow("aborted")
  })

  it("that is cancelled closes the connection", async () => {
    const { answer, response } = await opened()
    response.write("a")
    const source = sourceOf(await answer)
    const closed = once(response, "close")
    await source.cancel(undefined)
    await closed
    expect(await source.read()).toEqual({ done: true })
  })

  it("is a response for everybody else", async () => {
    const url = await serving((_request, response) => response.end("abc"))
    const answer = await httpFetch(url)
    const copy = answer.clone()
    expect(Buffer.from(await answer.arrayBuffer()).toString()).toBe("abc")
    expect(await copy.text()).toBe("abc")
    const reader = (await httpFetch(url)).body?.getReader()
    expect(text((await reader?.read())?.value)).toBe("abc")
    expect((await reader?.read())?.done).toBe(true)
  })
})

it("sends nothing to an address that is none", async () => {
  await expect(httpFetch("not an address")).rejects.toThrow("Invalid URL")
  await expect(httpFetch("ftp://127.0.0.1/")).rejects.toThrow("fetch failed")
})
