// A browser of the owner: a code from `turnhouse link` is exchanged for a cookie, which opens the native API for pages of
// the server only.
import { describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { served } from "./served.ts"

const server = served({})

interface Page {
  readonly origin?: string
  readonly cookie?: string
}

function post(path: string, body: string, { origin = server().url, cookie = "" }: Page = {}): Promise<Response> {
  return fetch(server().url + path, { method: "POST", body, headers: { origin, cookie } })
}

async function code(): Promise<string> {
  const { stdout } = await server().place.run("link")
  return stdout.trim().replace(/^.*#sign-in=/, "")
}

async function signedIn(): Promise<string> {
  const response = await post("/sign-in", JSON.stringify({ code: await code() }))
  expect(response.status).toBe(204)
  return response.headers.get("set-cookie") ?? ""
}

/** The first frame that the host sends to a client without a key of its own. */
function greeting({ origin = server().url, cookie = "" }: Page): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${server().url.replace("http", "ws")}/house`, { origin, headers: { cookie } })
    socket.once("open", () => socket.send('{"type":"hello","version":1,"door":"console"}'))
    socket.once("message", (data: Buffer) => {
      resolve(JSON.parse(data.toString()))
      socket.close()
    })
    socket.once("error", reject)
  })
}

const hello = { type: "hello", principal: expect.any(String) }
const refused = { type: "refused", refusal: { code: "key.bad" } }

describe("a browser", () => {
  it("signs in with a code, once, and then has all roles without a key", async () => {
    const once = await code()
    const [first, second] = [
      await post("/sign-in", JSON.stringify({ code: once })),
      await post("/sign-in", JSON.stringify({ code: once })),
    ]
    expect([first.status, second.status]).toEqual([204, 410])
    expect(await second.json()).toEqual({ what: expect.stringContaining("turnhouse link") })
    const cookie = first.headers.get("set-cookie") ?? ""
    expect(cookie).toMatch(/^turnhouse-[0-9a-f]{8}=lnk_[^;]+; HttpOnly; SameSite=Strict; Path=\/; Max-Age=2592000$/)
    const welcome = await greeting({ cookie })
    expect(welcome).toMatchObject(hello)
    expect(welcome).not.toHaveProperty("roles")
  })

  it("is refused without a cookie, and with one of another home", async () => {
    const cookie = await signedIn()
    expect(await greeting({})).toMatchObject(refused)
    expect(await greeting({ cookie: cookie.replace(/^turnhouse-\w+/, "turnhouse-00000000") })).toMatchObject(refused)
    expect(await greeting({ cookie: cookie.replace("lnk_", "lnk_0") })).toMatchObject(refused)
  })

  it("gets nothing for its cookie from a page of another port, which browsers send along", async () => {
    const cookie = await signedIn()
    expect(await greeting({ cookie, origin: "http://127.0.0.1:3000" })).toMatchObject(refused)
    expect((await post("/sign-out", "", { cookie, origin: "http://127.0.0.1:3000" })).status).toBe(403)
    expect(await greeting({ cookie })).toMatchObject(hello)
  })

  it("is listed, and signed out by the page or by the command line", async () => {
    const cookie = await signedIn()
    const [id = ""] = /lnk_[0-9a-f]{18}/.exec(cookie) ?? []
    expect((await server().place.run("link", "--ls")).stdout).toMatch(new RegExp(`${id} +owner`))
    const signOut = await post("/sign-out", "", { cookie })
    expect([signOut.status, signOut.headers.get("set-cookie")]).toEqual([204, expect.stringContaining("Max-Age=0")])
    expect(await greeting({ cookie })).toMatchObject(refused)
    const other = await signedIn()
    const [otherId = ""] = /lnk_[0-9a-f]{18}/.exec(other) ?? []
    expect(await server().place.run("link", "--revoke", otherId)).toMatchObject({ code: 0 })
    expect(await greeting({ cookie: other })).toMatchObject(refused)
  })
})

describe("a request to sign in", () => {
  it.each([
    ["no JSON", 400],
    ["{}", 400],
    ['{"code":7}', 400],
    ['{"code":"unknown"}', 410],
    [JSON.stringify({ code: "x".repeat(5000) }), 413],
  ])("with the body %.20s has status %i", async (body, status) => {
    expect((await post("/sign-in", body)).status).toBe(status)
  })

  it("is refused from pages of other origins, and with other methods", async () => {
    const once = await code()
    for (const origin of ["https://evil.example", "null", "http://localhost:1"])
      expect((await post("/sign-in", JSON.stringify({ code: once }), { origin })).status).toBe(403)
    expect((await fetch(`${server().url}/sign-in`)).status).toBe(405)
    expect((await post("/sign-in", JSON.stringify({ code: once }))).status).toBe(204)
  })
})
