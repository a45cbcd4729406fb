import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { gzipSync } from "node:zlib"
import { afterEach, describe, expect, it } from "vitest"
import { isPublicAddress } from "./address-guard.ts"
import { addressLines, isAddressList } from "../ingest/find-sources.ts"
import { fetchPage, type FetchOptions } from "./fetch-page.ts"

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function serving(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<number> {
  const server = createServer(handle)
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready))
  closing.push(() => {
    server.closeAllConnections()
    return new Promise((closed) => server.close(closed))
  })
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

/** As if every name were that of a machine of the public internet, which happens to be this one. */
const here: FetchOptions = { resolve: async () => ["127.0.0.1"], isAllowed: () => true }

describe("addresses", () => {
  it.each([
    "127.0.0.1",
    "127.8.9.1",
    "0.0.0.0",
    "10.1.2.3",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd12:3456::1",
    "ff02::1",
    "2001:db8::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::10.0.0.1",
    "2002:7f00:1::",
    "2002:c0a8:101::1",
    "not an address",
  ])("that are not public are recognised: %s", (address) => expect(isPublicAddress(address)).toBe(false))

  it.each(["1.1.1.1", "172.32.0.1", "93.184.216.34", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"])(
    "that are public may be fetched from: %s",
    (address) => expect(isPublicAddress(address)).toBe(true),
  )
})

describe("fetching a page", () => {
  it("is refused for non-public addresses, without a request", async () => {
    let asked = 0
    const port = await serving((_, response) => {
      asked += 1
      response.end("inside")
    })
    for (const host of ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0x7f.1", "2130706433", "0"])
      await expect(fetchPage(`http://${host}:${port}/`)).rejects.toThrow(/not a public address|ENOTFOUND|no address/)
    expect(asked).toBe(0)
  })

  it("is refused for a name with one non-public address", async () => {
    const resolve = async () => ["93.184.216.34", "10.0.0.1"]
    await expect(fetchPage("http://two.example/", { resolve })).rejects.toThrow("two.example is not a public address")
  })

  it("connects to the checked address, even if the name resolves differently later", async () => {
    const port = await serving((request, response) => response.end(`for ${request.headers.host}`))
    const answers = [["127.0.0.1"], ["10.0.0.1"]]
    const resolve = async () => answers.shift() ?? []
    const page = await fetchPage(`http://changing.example:${port}/`, { resolve, isAllowed: (ip) => ip === "127.0.0.1" })
    expect(page.body.toString()).toBe(`for changing.example:${port}`)
    expect(answers).toHaveLength(1)
  })

  it("follows redirects and checks each of them", async () => {
    const port = await serving((request, response) => {
      if (request.url === "/end") return void response.setHeader("content-type", "text/plain").end("arrived")
      const to = request.url === "/in" ? "http://inside.example/" : "/end"
      response.writeHead(302, { location: to }).end()
    })
    const resolve = async (host: string) => [host === "inside.example" ? "10.0.0.1" : "127.0.0.1"]
    const options = { resolve, isAllowed: (ip: string) => ip === "127.0.0.1" }
    expect((await fetchPage(`http://a.example:${port}/`, options)).body.toString()).toBe("arrived")
    await expect(fetchPage(`http://a.example:${port}/in`, options)).rejects.toThrow("inside.example is not a public")
  })

  it("follows a limited number of redirects, and never to a file", async () => {
    const port = await serving((request, response) => {
      response.writeHead(301, { location: request.url === "/file" ? "file:///etc/passwd" : "/again" }).end()
    })
    await expect(fetchPage(`http://a.example:${port}/`, here)).rejects.toThrow("redirects more than 5 times")
    await expect(fetchPage(`http://a.example:${port}/file`, here)).rejects.toThrow("only http and https")
  })

  it("stops at its limits: size, size after decompression, and time", async () => {
    const port = await serving((request, response) => {
      if (request.url === "/slow") return
      if (request.url === "/packed")
        return void response.setHeader("content-encoding", "gzip").end(gzipSync(Buffer.alloc(5_000_000)))
      response.end(Buffer.alloc(5_000_000))
    })
    const small = { ...here, maxBytes: 100_000 }
    for (const path of ["/", "/packed"])
      await expect(fetchPage(`http://a.example:${port}${path}`, small)).rejects.toThrow("larger than 100000 bytes")
    const brief = { ...here, milliseconds: 300 }
    await expect(fetchPage(`http://a.example:${port}/slow`, brief)).rejects.toThrow("too long to answer")
  })

  it("never returns a page that was cut off by the timeout", async () => {
    const port = await serving((_, response) => {
      response.useChunkedEncodingByDefault = false
      response.setHeader("connection", "close").write("only the beginning")
    })
    const brief = { ...here, milliseconds: 200 }
    await expect(fetchPage(`http://a.example:${port}/`, brief)).rejects.toThrow("too long to answer")
  })

  it("fails when a server switches the protocol", async () => {
    const port = await serving((_, response) => {
      response.socket?.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n")
    })
    await expect(fetchPage(`http://a.example:${port}/`, here)).rejects.toThrow("the server answers 101")
  })

  it("reports the server's status, and reads a compressed page", async () => {
    const port = await serving((request, response) => {
      if (request.url === "/gone") return void response.writeHead(404).end()
      response.writeHead(200, { "content-encoding": "gzip", "content-type": "text/html; charset=utf-8" })
      response.end(gzipSync("<p>Hello</p>"))
    })
    await expect(fetchPage(`http://a.example:${port}/gone`, here)).rejects.toThrow("the server answers 404")
    const page = await fetchPage(`http://a.example:${port}/`, here)
    expect([page.mediaType, page.body.toString()]).toEqual(["text/html; charset=utf-8", "<p>Hello</p>"])
  })

  it("is refused for addresses with a password, another scheme, or no scheme", async () => {
    const port = await serving((_, response) => response.end("inside"))
    for (const [address, why] of [
      [`http://a:b@example.com:${port}/`, "with a password"],
      [`http://a@example.com:${port}/`, "with a password"],
      ["ftp://example.com/", "only http and https"],
      ["javascript:1", "only http and https"],
      ["nonsense", "it is not a valid address"],
    ] as const)
      await expect(fetchPage(address, here)).rejects.toThrow(why)
  })
})

describe("a list of addresses", () => {
  it("is recognised by its name, or by containing only addresses", () => {
    expect(isAddressList("a.urls", "")).toBe(true)
    expect(isAddressList("a.txt", "# mine\nhttps://a.example/\n\nhttp://b.example/x\n")).toBe(true)
    expect(isAddressList("a.txt", "See https://a.example/\n")).toBe(false)
    expect(isAddressList("a.txt", "")).toBe(false)
    expect(isAddressList("a.md", "https://a.example/\n")).toBe(false)
    expect(addressLines("# mine\r\n https://a.example/ \r\n\r\n")).toEqual(["https://a.example/"])
  })
})
