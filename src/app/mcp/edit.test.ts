import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { changeServerLogin } from "../../mcp/oauth/login-file.ts"
import { addServer, removeServer, type AddRequest } from "./edit.ts"

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "turnhouse-mcp-edit-"))
})
afterEach(() => rmSync(root, { recursive: true }))

const file = (name = "config.json") => join(root, name)
const text = (name?: string) => readFileSync(file(name), "utf8")

function add(entry: AddRequest["entry"], more: Partial<AddRequest> = {}) {
  return addServer({ home: root, cwd: root, isProject: false, name: "shop", replaces: false, entry, ...more })
}

function remove(name = "shop", isProject = false) {
  return removeServer({ home: root, cwd: root, isProject, name })
}

describe("a server", () => {
  it("is added to the user's file, whose comments stay, and removed again", async () => {
    writeFileSync(file(), '{\n  // mine\n  "model": "a/b"\n}\n')
    expect(await add({ command: "npx", args: ["-y", "shop"] })).toEqual({ file: file(), secrets: [] })
    expect(text()).toContain("// mine")
    expect(JSON.parse(text().replace("// mine", ""))).toEqual({
      model: "a/b",
      mcpServers: { shop: { command: "npx", args: ["-y", "shop"] } },
    })
    expect(await remove()).toEqual({ file: file(), loginUrl: undefined })
    expect(JSON.parse(text().replace("// mine", ""))).toEqual({ model: "a/b", mcpServers: {} })
    expect(await remove()).toBeUndefined()
  })

  it("is added to the file of the project when asked", async () => {
    await add({ url: "https://mcp.example/" }, { isProject: true })
    expect(existsSync(file())).toBe(false)
    expect(text("turnhouse.json")).toContain("https://mcp.example/")
    expect(await remove()).toBeUndefined()
    expect(await remove("shop", true)).toMatchObject({ file: file("turnhouse.json") })
  })

  it("is replaced only when asked", async () => {
    await add({ command: "old" })
    await expect(add({ command: "new" })).rejects.toThrow('has an MCP server "shop" already. Choose another name')
    await add({ command: "new" }, { replaces: true })
    expect(JSON.parse(text())).toEqual({ mcpServers: { shop: { command: "new" } } })
  })

  it.each([
    ["a name that tools cannot have", { name: "my shop" }, { command: "x" }, "its name must be 1 to 48 letters"],
    ["an address without http", {}, { url: "ftp://x/" }, 'its "url" is not an address with http or https'],
    ["a header that cannot be sent", {}, { url: "https://x/", headers: { "a b": "c" } }, "one that cannot be sent"],
    ["an own variable of Turnhouse", {}, { command: "x", env: { TURNHOUSE_HOME: "y" } }, "cannot be set"],
    ["trust from a project", { isProject: true }, { command: "x", trust: true }, "not with --project"],
  ])("is refused with %s, and nothing is written", async (_, more, entry, sentence) => {
    await expect(add(entry, more)).rejects.toThrow(sentence)
    expect(existsSync(file())).toBe(false)
  })

  it("is not added to a file with a mistake", async () => {
    writeFileSync(file(), "{ nonsense")
    await expect(add({ command: "x" })).rejects.toThrow("the file was not changed")
    expect(text()).toBe("{ nonsense")
  })

  it("may use variables that are not set yet", async () => {
    const entry = { url: "${SHOP_URL}", headers: { Authorization: "Bearer ${SHOP_TOKEN}" } }
    expect(await add(entry)).toMatchObject({ secrets: [] })
  })

  it.each([
    [{ command: "x", env: { SHOP_TOKEN: "abcd1234efgh" } }, "env.SHOP_TOKEN"],
    [{ url: "https://x/", headers: { Authorization: "Bearer abcd1234efgh" } }, "headers.Authorization"],
    [{ url: "https://user:abcd1234efgh@x/" }, "url"],
    [{ command: "x", args: ["--api-key=abcd1234efgh"] }, "args"],
    [{ command: "x", args: ["--token", "abcd1234efgh"] }, "args"],
  ])("with a secret as plain text is named: %j", async (entry, place) => {
    expect((await add(entry)).secrets).toEqual([`mcpServers.shop.${place}`])
  })

  it.each([
    [{ command: "x", env: { SHOP_TOKEN: "${SHOP_TOKEN}", MODE: "test" } }],
    [{ command: "x", args: ["--token", "${TOKEN}", "--verbose", "/home"] }],
  ])("without one is not: %j", async (entry) => {
    expect((await add(entry)).secrets).toEqual([])
  })

  it("that is removed is named with its stored login", async () => {
    const url = "https://mcp.example/"
    const client = { clientId: "c", clientMethod: "none", issuer: "https://as.example", savedAt: "" } as const
    const login = { kind: "tokens", url, tokenUrl: "https://as.example/t", access: "a", ...client } as const
    await changeServerLogin(root, url, () => login)
    await add({ url })
    expect(await remove()).toMatchObject({ loginUrl: url })
  })
})
