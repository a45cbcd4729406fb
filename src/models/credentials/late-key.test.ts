import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { ask, hello, textOf } from "../../../spec/provider-server/connect.ts"
import { startProviderServer } from "../../../spec/provider-server/server.ts"
import { createModelSource } from "../registry.ts"
import { Cached } from "./cached.ts"
import { commandOutput, lineOf } from "./command-output.ts"

/** A command that prints the content of a file, and counts how often it ran. */
function keyFile(value: string) {
  const place = mkdtempSync(join(tmpdir(), "turnhouse-keys-"))
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  writeFileSync(join(place, "key"), value)
  return {
    command: ["sh", "-c", 'echo ran >> "$0/runs"; cat "$0/key"', place],
    write: (other: string) => writeFileSync(join(place, "key"), other),
    runs: () => readFileSync(join(place, "runs"), "utf8").trim().split("\n").length,
  }
}

async function connected(type: "openai-compatible" | "anthropic" | "google", keys: string[], command: string[]) {
  const server = await startProviderServer({ replies: [{ ...hello, times: "always" }], keys })
  onTestFinished(() => server.close())
  const secrets: string[] = []
  const baseURL = `${server.url}${type === "google" ? "/v1beta" : "/v1"}`
  const config = { providers: { mine: { type, baseURL, apiKey: { command } } } }
  const source = createModelSource({ config, env: {}, onSecret: (_, value) => secrets.push(value) })
  return { server, secrets, choice: { ...(await source.resolve("mine/any")), server } }
}

describe("a key from a command", () => {
  it.each(["openai-compatible", "anthropic", "google"] as const)(
    "is sent with the format %s, read once",
    async (type) => {
      const key = keyFile("key-one-1234567890\n")
      const { choice, secrets } = await connected(type, ["key-one-1234567890"], key.command)
      for (let call = 0; call < 2; call++) expect(textOf(await ask(choice))).toBe("Hello from the other side.")
      expect(key.runs()).toBe(1)
      expect(secrets).toEqual(["key-one-1234567890"])
    },
  )

  it("is read again when the provider refuses it", async () => {
    const key = keyFile("key-old-1234567890")
    const keys = ["key-old-1234567890"]
    const { choice, secrets } = await connected("openai-compatible", keys, key.command)
    await ask(choice)
    keys[0] = "key-new-1234567890"
    key.write("key-new-1234567890")
    expect(textOf(await ask(choice))).toBe("Hello from the other side.")
    expect(secrets).toEqual(["key-old-1234567890", "key-new-1234567890"])
  })

  it("that stays refused is reported with its source", async () => {
    const { choice, server } = await connected("openai-compatible", ["other"], keyFile("key-old-1234567890").command)
    const { fault } = await ask(choice)
    expect(String(fault)).toContain("refused the key (401): check providers.mine.apiKey in the configuration.")
    expect(server.requests).toHaveLength(1)
  })

  it.each([
    [["sh", "-c", "echo locked >&2; exit 3"], "apiKey: sh failed (3): locked"],
    [["no-such-program-here"], "apiKey: no-such-program-here is not installed or not in PATH."],
    [["true"], "apiKey: the command printed nothing."],
    [["echo", "two words"], "apiKey: the command printed more than one word."],
  ])("fails the call with the reason: %j", async (command, message) => {
    const read = commandOutput(command, "apiKey").then((output) => lineOf(output, "apiKey"))
    await expect(read).rejects.toThrow(message)
  })

  it("is limited in time and size", async () => {
    await expect(commandOutput(["sleep", "60"], "apiKey", 50)).rejects.toThrow("did not end within 0.05 s.")
    await expect(commandOutput(["head", "-c", "100000", "/dev/zero"], "apiKey")).rejects.toThrow("more than 64 KiB")
  })
})

describe("a cached credential", () => {
  it("is read again a minute before it expires", async () => {
    let now = 0
    let count = 0
    const cached = new Cached(
      async () => ({ value: ++count, expiresAt: now + 100_000 }),
      () => now,
    )
    expect([await cached.get(), await cached.get()]).toEqual([1, 1])
    now = 40_001
    expect(await cached.get()).toBe(2)
  })

  it("is read once for callers that come together, and again after a failure", async () => {
    let count = 0
    const cached = new Cached(async () => {
      count += 1
      if (count === 1) throw new Error("locked")
      return { value: count }
    })
    const both = await Promise.allSettled([cached.get(), cached.get()])
    expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"])
    expect(await cached.get()).toBe(2)
  })
})
