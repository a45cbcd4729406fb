import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { request as httpRequest, type IncomingMessage } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { buffer } from "node:stream/consumers"
import { gunzipSync, gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openTestServer } from "./fixtures/test-server.ts"
import type { HttpServer } from "./http-server.ts"
import { staticFiles, type StaticFilesOptions } from "./static-files.ts"

const root = mkdtempSync(join(tmpdir(), "turnhouse-static-"))
const folder = join(root, "site")
const files: Readonly<Record<string, string>> = {
  "index.html": "<h1>Start</h1>",
  "guide/index.html": "<h1>Guide</h1>",
  "guide/a page.html": "<h1>Page</h1>",
  "assets/site-a1B2c_d4.css": "body { color: black }".repeat(100),
  "assets/manifest.json": "{}",
  "app.js": "export {}",
  "app.js.gz": "replaced below",
  "picture.svg": "<svg/>",
  "unknown.ending": "bytes",
  ".hidden/index.html": "hidden",
}
let server: HttpServer

beforeAll(async () => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  writeFileSync(join(folder, "app.js.gz"), gzipSync("export {} // made by the build"))
  writeFileSync(join(root, "secret.txt"), "secret")
  symlinkSync(join(root, "secret.txt"), join(folder, "link.txt"))
  symlinkSync(root, join(folder, "linked"))
  server = await openTestServer({ routes: { "/docs": docs(), "/docs/": docs(), "/": docs({ prefix: "/" }) } })
})
afterAll(async () => {
  await server.close()
  rmSync(root, { recursive: true })
})

function docs(options: Partial<StaticFilesOptions> = {}) {
  return staticFiles({ folder, prefix: "/docs/", absent: "Not built.", ...options })
}

/** `fetch` would normalise the path and add headers. */
async function get(path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") {
  const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof read>>>()
  const request = httpRequest({ host: "127.0.0.1", port: server.port, path, headers, method }, (response) => {
    read(response).then(resolve, reject)
  })
  request.on("error", reject).end()
  return promise
}

async function read(response: IncomingMessage) {
  const body = await buffer(response)
  return { status: response.statusCode, headers: response.headers, body, text: body.toString() }
}

describe("a file", () => {
  it.each([
    ["/docs/", "<h1>Start</h1>", "text/html; charset=utf-8"],
    ["/docs/index.html?query=1", "<h1>Start</h1>", "text/html; charset=utf-8"],
    ["/docs/guide/", "<h1>Guide</h1>", "text/html; charset=utf-8"],
    ["/docs/guide/a%20page.html", "<h1>Page</h1>", "text/html; charset=utf-8"],
    ["/docs/picture.svg", "<svg/>", "image/svg+xml; charset=utf-8"],
    ["/docs/unknown.ending", "bytes", "application/octet-stream"],
    ["/", "<h1>Start</h1>", "text/html; charset=utf-8"],
  ])("is served at %s", async (path, text, type) => {
    const { status, headers, text: got } = await get(path)
    expect([status, got, headers["content-type"]]).toEqual([200, text, type])
    expect(headers["content-length"]).toBe(String(text.length))
  })

  it("comes with headers that allow only the server's own scripts, and no frame", async () => {
    const { headers } = await get("/docs/")
    expect(headers["content-security-policy"]).toBe(
      "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
    )
    expect([headers["referrer-policy"], headers["x-content-type-options"]]).toEqual(["no-referrer", "nosniff"])
  })

  it("gets other directives and headers where the route has them", async () => {
    const route = docs({ policy: { "frame-ancestors": "*", "img-src": "'self' data:" }, headers: { "x-extra": "1" } })
    const { headers = {} } = await route(plainRequest("/docs/"))
    expect(headers["content-security-policy"]).toMatch(/frame-ancestors \*; object-src 'none'; img-src 'self' data:$/)
    expect(headers["x-extra"]).toBe("1")
  })

  it("has no content in the reply to HEAD, and the same length", async () => {
    const { status, headers, body } = await get("/docs/", {}, "HEAD")
    expect([status, headers["content-length"], body.length]).toEqual([200, "14", 0])
  })

  it("is refused to other methods", async () => {
    expect((await get("/docs/", {}, "POST")).status).toBe(405)
  })
})

describe("caching", () => {
  it("keeps a file of assets/ with a hash in its name forever, and checks others each time", async () => {
    const control = async (path: string) => (await get(path)).headers["cache-control"]
    expect(await control("/docs/assets/site-a1B2c_d4.css")).toBe("public, max-age=31536000, immutable")
    expect(await control("/docs/assets/manifest.json")).toBe("no-cache")
    expect(await control("/docs/app.js")).toBe("no-cache")
  })

  it("answers 304 without content while the file is the same", async () => {
    const etag = String((await get("/docs/")).headers.etag)
    for (const condition of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const { status, body } = await get("/docs/", { "if-none-match": condition })
      expect([status, body.length]).toEqual([304, 0])
    }
    expect((await get("/docs/", { "if-none-match": '"other"' })).status).toBe(200)
  })
})

describe("compression", () => {
  const path = "/docs/assets/site-a1B2c_d4.css"

  it.each(["gzip", "deflate, GZIP;q=0.5", "*"])("is used for a client that accepts %s", async (accepted) => {
    const { headers, body } = await get(path, { "accept-encoding": accepted })
    expect([headers["content-encoding"], headers.vary]).toEqual(["gzip", "accept-encoding"])
    expect(headers["content-length"]).toBe(String(body.length))
    expect(gunzipSync(body).toString()).toBe(files["assets/site-a1B2c_d4.css"])
  })

  it.each(["", "br", "gzip;q=0", "gzip; q=0.00"])("is not used for a client that accepts '%s'", async (accepted) => {
    expect((await get(path, { "accept-encoding": accepted })).headers).not.toHaveProperty("content-encoding")
  })

  it("has its own ETag", async () => {
    const [plain, packed] = [await get(path), await get(path, { "accept-encoding": "gzip" })]
    expect(plain.headers.etag).not.toBe(packed.headers.etag)
  })

  it("takes the compressed file that the build has put beside it", async () => {
    const { body } = await get("/docs/app.js", { "accept-encoding": "gzip" })
    expect(gunzipSync(body).toString()).toBe("export {} // made by the build")
  })

  it("leaves pictures and unknown files as they are", async () => {
    const { headers } = await get("/docs/unknown.ending", { "accept-encoding": "gzip" })
    expect(headers).not.toHaveProperty("content-encoding")
  })
})

describe("a path", () => {
  it.each([
    ["/docs", "/docs/"],
    ["/docs/guide", "/docs/guide/"],
    ["/docs/guide?q=1", "/docs/guide/"],
  ])("of a folder leads to its page: %s", async (path, location) => {
    const { status, headers } = await get(path)
    expect([status, headers.location]).toEqual([308, location])
  })

  it.each([
    "/docs/../secret.txt",
    "/docs/%2e%2e/secret.txt",
    "/docs/%2E%2E%2Fsecret.txt",
    "/docs/..%5csecret.txt",
    "/docs/..\\secret.txt",
    "/docs/guide/../../secret.txt",
    "/docs/guide/%2e%2e/index.html",
    "/docs/./index.html",
    "/docs//index.html",
    "/docs/guide//",
    "/docs/index.html%00.css",
    "/docs/%00",
    "/docs/%",
    "/docs/%ff",
    "/docs/%252e%252e/secret.txt",
    "/docs/link.txt",
    "/docs/linked/secret.txt",
    "/docs/assets/",
    "/docs/assets",
    `/docs/${"a".repeat(5000)}`,
    "/docs/.hidden/",
    "/docs/.hidden/index.html",
    "/docs/constructor",
    "/docs/__proto__",
  ])("reaches no other file and no list: %s", async (path) => {
    const { status, text } = await get(path)
    expect([status, text]).toEqual([404, "Not found.\n"])
  })

  it("never leads to another server", async () => {
    const route = docs({ prefix: "/" })
    for (const path of ["//example.com", "//example.com/", "/\\example.com", "/%2fexample.com", "//guide"]) {
      const { status, headers = {} } = await route(plainRequest(path))
      expect([path, status, headers["location"]]).toEqual([path, 404, undefined])
    }
  })

  it("that is unknown gets the page for unknown paths, if the folder has one", async () => {
    writeSite("with-page", { "index.html": "start", "404.html": "<h1>Unknown</h1>" })
    const route = docs({ folder: join(root, "with-page") })
    const { status, body, headers = {} } = await route(plainRequest("/docs/x", { "if-none-match": "*" }))
    expect([status, String(body && Buffer.from(body)), headers["referrer-policy"]]).toEqual([
      404,
      "<h1>Unknown</h1>",
      "no-referrer",
    ])
  })
})

describe("a folder", () => {
  it("that does not exist is explained, and served once it does", async () => {
    const route = docs({ folder: join(root, "late") })
    expect(await route(plainRequest("/docs/"))).toEqual({ status: 404, text: "Not built." })
    writeSite("late", { "index.html": "built" })
    expect(await textOf(route)).toBe("built")
  })

  it("that a build replaces is read again", async () => {
    writeSite("built", { "index.html": "first" })
    writeSite("built.new", { "index.html": "second" })
    const route = docs({ folder: join(root, "built") })
    expect(await textOf(route)).toBe("first")
    rmSync(join(root, "built"), { recursive: true })
    expect(await textOf(route)).toBe("first") // for the moment between removing and renaming
    renameSync(join(root, "built.new"), join(root, "built"))
    expect(await textOf(route)).toBe("second")
  })
})

function writeSite(name: string, contents: Readonly<Record<string, string>>): void {
  mkdirSync(join(root, name))
  for (const [file, text] of Object.entries(contents)) writeFileSync(join(root, name, file), text)
}

async function textOf(route: ReturnType<typeof docs>): Promise<string> {
  const { body = new Uint8Array() } = await route(plainRequest("/docs/"))
  return Buffer.from(body).toString()
}

function plainRequest(path: string, headers: Readonly<Record<string, string>> = {}) {
  return { method: "GET", path, query: new URLSearchParams(), headers, address: "127.0.0.1" }
}
