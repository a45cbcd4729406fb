import { gzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import type { JsonValue } from "../../contract/values.ts"
import { pdfFile } from "../../knowledge/fixtures/made-files.ts"
import { createRedactor } from "../../secrets/redactor.ts"
import { pngFile } from "../fixtures/images.ts"
import type { ToolContext, ToolResult } from "../tool.ts"
import { context } from "./fixtures/call-context.ts"
import { webServer, type Handle, type WebServer } from "./fixtures/web-server.ts"
import { webFetchTool } from "./web-fetch.ts"
import type { WebFetchOptions } from "./fetch-for-model.ts"

/** Names end in .example and are those of this machine; .inside.example is a private network. */
const resolve = async (host: string) => [host.endsWith(".inside.example") ? "10.0.0.1" : "127.0.0.1"]

interface Fetching {
  readonly server: WebServer
  readonly fetch: (
    path: string,
    more?: Readonly<Record<string, JsonValue>>,
    change?: Partial<ToolContext>,
  ) => Promise<ToolResult>
}

async function serving(handle: Handle, options: Partial<WebFetchOptions> = {}): Promise<Fetching> {
  const server = await webServer(handle)
  const tool = webFetchTool({ allowPrivate: ["a.example"], ...options, fetch: { resolve, ...options.fetch } })
  return {
    server,
    fetch: async (path, more = {}, change = {}) => {
      const url = path.startsWith("/") ? `http://a.example:${server.port}${path}` : path
      return (await tool.prepare({ url, ...more }, { ...context, ...change })).run()
    },
  }
}

const page = (body: string | Buffer, type = "text/html; charset=utf-8"): Handle => {
  return (_, response) => void response.setHeader("content-type", type).end(body)
}

describe("web_fetch", () => {
  it("returns a page as Markdown with its title, marked as untrusted text of that page", async () => {
    const html = `<title>Guide</title><h1>Install</h1><p>See <a href="/docs">the docs</a>.</p><pre>npm i x</pre>`
    const { fetch, server } = await serving(page(html))
    const result = await fetch("/guide")
    const address = `http://a.example:${server.port}`
    expect(result).toMatchObject({ outcome: "done", untrustedSource: `web page ${address}/guide` })
    expect(result.output).toBe(
      `Page: ${address}/guide\nTitle: Guide\n\n# Install\n\nSee [the docs](${address}/docs).\n\n\`\`\`\nnpm i x\n\`\`\``,
    )
  })

  it.for([
    ["JSON", page('{"a":1}', "application/json"), '{"a":1}'],
    ["a text in Latin-1", page(Buffer.from("Rückgabe", "latin1"), "text/plain; charset=iso-8859-1"), "Rückgabe"],
    ["a text in an unknown charset", page("Rückgabe", "text/plain; charset=nonsense"), "Rückgabe"],
    ["a text in UTF-16", page(Buffer.from("\ufeffRückgabe", "utf16le"), "text/plain"), "Rückgabe"],
    ["source of a page", page("<p>x</p>", "text/plain"), "<p>x</p>"],
    ["HTML without a media type", page("<!doctype html><p>x</p>", ""), "x"],
    ["a PDF file", page(pdfFile("Refunds"), "application/pdf"), "Refunds"],
    ["an empty page", page("", "text/plain"), "[The page is empty.]"],
    ["a page of scripts", page("<script>x()</script><noscript>y</noscript>"), "It may need JavaScript"],
  ] as const)("shows %s", async ([, handle, text]) => {
    const { fetch } = await serving(handle)
    const { outcome, output } = await fetch("/")
    expect(outcome).toBe("done")
    expect(output).toContain(text)
  })

  it("returns an image as an image", async () => {
    const { fetch } = await serving(page(pngFile(3, 2), "image/png"))
    const { output, images } = await fetch("/logo")
    expect(output).toContain("image/png, 3 × 2 pixels")
    expect(images).toEqual([{ name: "page", mediaType: "image/png", data: pngFile(3, 2).toString("base64") }])
  })

  it("describes binary data instead of showing it", async () => {
    const { fetch } = await serving(page(Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 1, 2]), "application/zip"))
    expect(await fetch("/")).toMatchObject({ outcome: "failed", output: expect.stringContaining("is a ZIP archive") })
  })

  it("returns a long page in parts that make up the whole, with one request", async () => {
    const lines = Array.from({ length: 3000 }, (_, line) => `line ${line} 🙂`).join("\n")
    const { fetch, server } = await serving(page(lines, "text/plain"))
    let text = ""
    for (let offset = 0; ;) {
      const { output } = await fetch("/long", { offset, limit: 5000 })
      const [, shown = "", to = "", rest = ""] =
        /^Page: .*\n\n([^]*)\n\[Characters \d+ to (\d+) of \d+\. (.*)\]$/.exec(output) ?? []
      text += `${shown}\n`
      if (rest === "This is the end.") break
      expect(rest).toBe(`Continue with offset ${to}.`)
      offset = Number(to)
    }
    expect(text).toBe(`${lines}\n`)
    expect(server.requests).toHaveLength(1)
  })

  it("cuts a text without lines between characters, and names an offset past its end", async () => {
    const { fetch } = await serving(page("🙂".repeat(200), "text/plain"))
    const { output } = await fetch("/", { limit: 101 })
    expect(output).toContain(`\n${"🙂".repeat(50)}\n[Characters 0 to 100 of 400. Continue with offset 100.]`)
    expect(await fetch("/", { offset: 400 })).toMatchObject({
      outcome: "failed",
      output: expect.stringContaining("has 400 characters; offset 400 is past its end"),
    })
  })

  it("shows the beginning of a page with an error status, as a failed call with untrusted text", async () => {
    const { fetch } = await serving((_, response) => void response.writeHead(404).end(`gone ${"x".repeat(10_000)}`))
    const { outcome, output, untrustedSource } = await fetch("/")
    expect([outcome, untrustedSource?.startsWith("web page ")]).toEqual(["failed", true])
    expect(output).toContain("The server answered with status 404.\n\ngone xxx")
    expect(output.length).toBeLessThan(4300)
  })

  it("follows redirects on the same host, and reports one to another host", async () => {
    const { fetch, server } = await serving((request, response) => {
      if (request.url === "/end") return void response.setHeader("content-type", "text/plain").end("arrived")
      const to = request.url === "/away" ? "https://b.example/x?y=1" : "/end"
      response.writeHead(302, { location: to }).end()
    })
    expect((await fetch("/start")).output).toContain("/end\n\narrived")
    const away = await fetch("/away")
    expect(away).toMatchObject({ outcome: "done", untrustedSource: `web page http://a.example:${server.port}/away` })
    expect(away.output).toContain("redirects to another host (302)")
    expect(away.output).toContain("web_fetch with its address: https://b.example/x?y=1")
  })

  it.for([
    ["a redirect to another port", "http://a.example:1/", "redirects to another host"],
    ["a redirect to the metadata service", "http://169.254.169.254/latest/", "redirects to another host"],
    ["a redirect loop", "/", "redirects more than 5 times"],
    ["a redirect to a file", "file:///etc/passwd", "only http and https"],
    ["a redirect with a password", "http://a:b@a.example/", "with a password"],
  ])("does not follow %s", async ([, location = "", reason]) => {
    const { fetch, server } = await serving((_, response) => void response.writeHead(302, { location }).end())
    expect((await fetch("/")).output).toContain(reason)
    expect(server.requests.length).toBeLessThanOrEqual(6)
  })

  it("fails at its limit of size: an endless body, a decompression bomb", async () => {
    const bomb = gzipSync(Buffer.alloc(5_000_000))
    const { fetch } = await serving(
      (request, response) => {
        if (request.url === "/bomb") return void response.setHeader("content-encoding", "gzip").end(bomb)
        const more = () =>
          void (response.write(Buffer.alloc(16_384)) ? setImmediate(more) : response.once("drain", more))
        more()
      },
      { fetch: { maxBytes: 100_000 } },
    )
    for (const path of ["/endless", "/bomb"])
      expect((await fetch(path)).output).toContain("could not be fetched: it is larger than 100000 bytes.")
  })

  it("fails at its limit of time: a body that trickles, a server that is silent", async () => {
    const { fetch } = await serving(
      (request, response) => void (request.url === "/trickle" && response.write("a few bytes")),
      { fetch: { milliseconds: 300 } },
    )
    for (const path of ["/trickle", "/silent"])
      expect((await fetch(path)).output).toContain("could not be fetched: it takes too long to answer.")
  })

  it("fails with a sentence if the connection breaks or there is none", async () => {
    const { fetch } = await serving((request, response) => {
      if (request.url === "/broken") response.writeHead(200, { "content-length": "100" }).write("half")
      response.socket?.destroySoon()
    })
    expect((await fetch("/broken")).output).toContain("could not be fetched: aborted.")
    const refused = await fetch("http://a.example:1/")
    expect(refused.output).toContain("could not be fetched: the connection was refused (ECONNREFUSED).")
  })

  it("ends with its call", async () => {
    const arrived = Promise.withResolvers<void>()
    const { fetch } = await serving(() => arrived.resolve())
    const stop = new AbortController()
    const result = fetch("/", {}, { signal: stop.signal })
    await arrived.promise
    stop.abort()
    expect(await result).toEqual({ outcome: "failed", output: "The call was cancelled." })
  })

  it("sends no secret in an address, and hides those in a page before it is cut", async () => {
    const secret = "sk-live-Zm9vYmFyYmF6cXV4"
    const scrubber = createRedactor({ secrets: [{ name: "KEY", value: secret }], key: new Uint8Array(32) })
    const { fetch, server } = await serving(page(`${"x".repeat(90)}${secret}`, "text/plain"))
    for (const path of [`/?k=${secret}`, `/?k=${encodeURIComponent(Buffer.from(secret).toString("base64"))}`])
      expect((await fetch(path, {}, { scrubber })).output).toContain("the address contains a secret")
    expect(server.requests).toEqual([])
    const { output } = await fetch("/", { limit: 100 }, { scrubber })
    expect(output).not.toContain("sk-live")
    expect(output).toContain("‹redacted")
  })
})

describe("an address", () => {
  const tool = webFetchTool({ allowPrivate: [] })

  it.for([
    ["example.org/a", "it is not a valid address. Did you mean https://example.org/a?"],
    ["", "url"],
    ["ftp://example.org/", "only http and https are fetched"],
    ["file:///etc/passwd", "only http and https are fetched"],
    ["https://user:pass@example.org/", "addresses with a password are not fetched"],
    ["https://token@example.org/", "addresses with a password are not fetched"],
    ["http://", "it is not a valid address"],
    ["http://exa mple.org/", "it is not a valid address"],
  ])("is refused before anyone is asked: %j", ([url = "", reason]) => {
    expect(tool.problem({ url })).toContain(reason)
  })

  it.for(["http://127.0.0.1/", "http://localhost/", "http://[::1]/", "http://2130706433/", "http://169.254.169.254/"])(
    "that is not public is not fetched: %s",
    async (url) => {
      const { output } = await (await tool.prepare({ url }, context)).run()
      expect(output).toMatch(/is not a public address; web\.allowPrivate/)
    },
  )

  it.for([
    ["a.example", "http://a.example:PORT/", true],
    ["a.example:PORT", "http://a.example:PORT/", true],
    ["a.example:1", "http://a.example:PORT/", false],
    ["*.example", "http://x.y.example:PORT/", true],
    ["A.Example", "http://a.example.:PORT/", true],
    ["127.0.0.1", "http://127.0.0.1:PORT/", true],
    ["127.0.0.0/8", "http://127.0.0.1:PORT/", true],
    ["10.0.0.0/8", "http://127.0.0.1:PORT/", false],
    ["127.0.0.0/8", "http://a.example:PORT/", false], // a foreign name that resolves there
    ["::1/128", "http://127.0.0.1:PORT/", false],
  ] as const)("of a private host is fetched if %s covers %s: %s", async ([entry, address, isFetched]) => {
    const server = await webServer(page("inside", "text/plain"))
    const withPort = (text: string) => text.replace("PORT", String(server.port))
    const listed = webFetchTool({ allowPrivate: [withPort(entry)], fetch: { resolve } })
    const { outcome } = await (await listed.prepare({ url: withPort(address) }, context)).run()
    expect([outcome, server.requests.length]).toEqual(isFetched ? ["done", 1] : ["failed", 0])
  })
})
