import { execFileSync } from "node:child_process"
import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import type { JsonValue } from "../contract/values.ts"
import { encodeResponse } from "../protocols/json-rpc.ts"
import { Extension } from "./process/extension.ts"
import { extensionDeps, recorded, specOf, temporaryFolder } from "./fixtures/plugins.ts"
import { ExtensionMemory } from "./memory.ts"
import { serveCall, type CallServices } from "./serve-calls.ts"

const all = ["memory.read", "memory.write", "config.write", "config.subscribe"]

function deskOf() {
  const folder = temporaryFolder()
  let now = 1000
  const services: CallServices = {
    memory: new ExtensionMemory(join(folder, "memory")),
    configFolder: join(folder, "plugins"),
    now: () => now++,
    scrub: (text) => text.replaceAll("hunter2", "…"),
  }
  const ask = (method: string, params: JsonValue, permissions = all) => {
    const spec = specOf({}, { permissions, hooks: [], config: [{ key: "colour", default: "blue" }] }, "ext")
    return serveCall(spec, { kind: "call", id: 1, method, params }, services)
  }
  return { folder, services, ask }
}

const note = (content: string, tags: string[] = []) => ({ namespace: "ext", content, tags })

describe("the memory of an extension", () => {
  it("requires the permission and the extension's own namespace (case 48)", async () => {
    const { ask } = deskOf()
    expect(await ask("memory.append", note("a"))).toEqual({ kind: "result", value: { ok: true, timestamp_ms: 1000 } })
    expect(await ask("memory.append", note("a"), ["memory.read"])).toMatchObject({ kind: "error", code: -32_602 })
    expect(await ask("memory.append", { ...note("a"), namespace: "other" })).toMatchObject({ code: -32_602 })
    expect(await ask("memory.append", note("x".repeat(17 * 1024)))).toMatchObject({ kind: "error", code: -32_000 })
    expect(await ask("memory.append", { namespace: "ext" })).toMatchObject({ kind: "error", code: -32_602 })
    expect(await ask("memory.query", { namespace: "ext" }, ["memory.write"])).toMatchObject({ code: -32_602 })
  })

  it("does not block on a pipe in place of its file, and neither do settings", async () => {
    const { folder, ask } = deskOf()
    for (const file of [join(folder, "memory", "ext.jsonl"), join(folder, "plugins", "ext", "config")]) {
      mkdirSync(dirname(file), { recursive: true })
      execFileSync("mkfifo", [file])
    }
    expect(await ask("memory.append", note("a"))).toMatchObject({ kind: "error", code: -32_000 })
    expect(await ask("memory.query", { namespace: "ext" })).toEqual({ kind: "result", value: { records: [] } })
    expect(await ask("config.get", { key: "colour" })).toEqual({ kind: "result", value: { value: null } })
    expect(await ask("config.set", { key: "colour", value: "red" })).toMatchObject({ kind: "error", code: -32_000 })
  })

  it("returns matching records, newest first", async () => {
    const { ask } = deskOf()
    for (const content of ["Apples", "pears", "apple pie"])
      await ask("memory.append", note(content, [`fruit:${content}`]))
    const found = async (query: Record<string, JsonValue>) => {
      const answer = await ask("memory.query", { namespace: "ext", ...query })
      return JSON.stringify(answer).match(/(?<="content":")[^"]+/g) ?? []
    }
    expect(await found({})).toEqual(["apple pie", "pears", "Apples"])
    expect(await found({ content_contains: "APPLE" })).toEqual(["apple pie", "Apples"])
    expect(await found({ tag_prefix: "fruit:p" })).toEqual(["pears"])
    expect(await found({ since_ms: 1001, until_ms: 1001 })).toEqual(["pears"])
    expect(await found({ limit: 1 })).toEqual(["apple pie"])
  })

  it("returns at most the newest records that fit into one frame", async () => {
    const { folder, services, ask } = deskOf()
    const record = { namespace: "ext", content: "é".repeat(8000), tags: [], meta: null }
    const lines = Array.from({ length: 100 }, (_, at) => JSON.stringify({ ...record, timestamp_ms: at }))
    await ask("memory.append", note("first"))
    appendFileSync(join(folder, "memory", "ext.jsonl"), `${lines.join("\n")}\n`)
    const found = services.memory.query({ namespace: "ext", limit: 1_000_000 })
    expect(found.at(0)).toMatchObject({ timestamp_ms: 99 })
    expect(found.length).toBeGreaterThan(50)
    expect(encodeResponse(1, { kind: "result", value: { records: found } }).length).toBeLessThan(4 * 1024 * 1024)
  })

  it("is readable by its owner only, has no secrets, and survives a truncated line", async () => {
    const { folder, ask } = deskOf()
    await ask("memory.append", note("the password is hunter2"))
    const file = join(folder, "memory", "ext.jsonl")
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, "utf8")).not.toContain("hunter2")
    appendFileSync(file, '{"namespace":"ext","cont\n')
    await ask("memory.append", note("later"))
    expect(await ask("memory.query", { namespace: "ext" })).toMatchObject({
      value: { records: [{ content: "later" }, { content: "the password is …" }] },
    })
  })

  it("can be used during the handshake (case 48)", async () => {
    const { services } = deskOf()
    const record = join(temporaryFolder(), "record")
    const calls = [{ id: "a", method: "memory.append", params: note("hello") }]
    const spec = specOf({ calls, record }, { permissions: all, hooks: [] }, "ext")
    const extension = new Extension(spec, extensionDeps({ serve: (call) => serveCall(spec, call, services) }))
    await extension.start()
    await expect
      .poll(() => recorded(record), { timeout: 20_000 })
      .toContainEqual(expect.objectContaining({ id: "a", result: { ok: true, timestamp_ms: 1000 } }))
    await extension.stop()
  })
})

describe("the settings of an extension", () => {
  it("can be read and, with the permission, changed", async () => {
    const { folder, ask } = deskOf()
    expect(await ask("config.get", { key: "colour" })).toEqual({ kind: "result", value: { value: null } })
    expect(await ask("config.set", { key: "colour", value: "red" }, ["memory.read"])).toMatchObject({ code: -32_602 })
    expect(await ask("config.set", { key: "colour", value: "red" })).toMatchObject({ value: { ok: true } })
    expect(await ask("config.set", { key: "size", value: 7 })).toMatchObject({ value: { ok: true } })
    expect(await ask("config.get", { key: "colour" })).toEqual({ kind: "result", value: { value: "red" } })
    expect(readFileSync(join(folder, "plugins", "ext", "config"), "utf8")).toBe("colour = red\nsize = 7\n")
  })

  it("are stored in a file whose other lines stay unchanged", async () => {
    const { folder, ask } = deskOf()
    const file = join(folder, "plugins", "ext", "config")
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, "# mine\nsize = 1\n\nshape=round")
    expect(await ask("config.set", { key: "size", value: "2" })).toMatchObject({ kind: "result" })
    expect(await ask("config.set", { key: "colour", value: "red" })).toMatchObject({ kind: "result" })
    expect(readFileSync(file, "utf8")).toBe("# mine\nsize = 2\n\nshape=round\ncolour = red\n")
    expect(readdirSync(dirname(file))).toEqual(["config"])
  })

  it("may be in the file of another host; the extension's own file comes first", async () => {
    const { folder, services, ask } = deskOf()
    const elsewhere = join(folder, "elsewhere")
    mkdirSync(join(elsewhere, "ext"), { recursive: true })
    writeFileSync(join(elsewhere, "ext", "config"), "size = 1\ncolour = blue\n")
    await ask("config.set", { key: "colour", value: "red" })
    const spec = specOf({}, {}, "ext")
    const get = (key: string) =>
      serveCall(
        spec,
        { kind: "call", id: 1, method: "config.get", params: { key } },
        { ...services, otherConfigFolders: [elsewhere] },
      )
    expect(await get("size")).toEqual({ kind: "result", value: { value: "1" } })
    expect(await get("colour")).toEqual({ kind: "result", value: { value: "red" } })
  })

  it.for([{}, { key: 7 }, { key: "a.b" }, { key: "../other" }, null])("are not found by %j", async (params) => {
    const { ask } = deskOf()
    expect(await ask("config.get", params)).toMatchObject({ kind: "error", code: -32_602 })
  })

  it.for([{ key: "a b" }, { key: "a=b" }, { key: "a", value: "x\ny" }, { key: "" }])(
    "cannot be broken by %o",
    async ({ key, value = "x" }) => {
      const { ask } = deskOf()
      expect(await ask("config.set", { key, value })).toMatchObject({ kind: "error", code: -32_602 })
    },
  )

  it("can be subscribed to; unknown methods are an error (case 49)", async () => {
    const { ask } = deskOf()
    expect(await ask("config.subscribe", {})).toEqual({ kind: "result", value: { ok: true } })
    expect(await ask("no.such", {})).toMatchObject({ kind: "error", code: -32_601 })
  })
})
