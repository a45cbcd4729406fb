import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { JsonValue } from "../contract/values.ts"
import { discover, type ExtensionSpec } from "./discovery/discover.ts"
import { discoveryIn, manifestOf, temporaryFolder, writePlugin } from "./fixtures/plugins.ts"
import type { Health } from "./process/extension.ts"
import { missingGuard, type HostedExtension } from "./hosted-extension.ts"
import { SharedExtensions } from "./shared-extensions.ts"

/** A plugin whose files can change, and the extensions that were started and stopped from it. */
function world() {
  const root = temporaryFolder()
  const stopped: HostedExtension[] = []
  const shared = new SharedExtensions()
  const start = (health: Health = "running") => {
    const missing = missingGuard("a", "")
    const hosted: HostedExtension = {
      ...missing,
      status: { ...missing.status, health },
      stop: () => Promise.resolve(void stopped.push(hosted)),
    }
    return hosted
  }
  const program = (text: string) => writeFileSync(join(root, "a", "main.mjs"), text)
  const manifest = (more: Record<string, JsonValue> = {}) =>
    void writePlugin(root, "a", manifestOf({}, { args: ["main.mjs"], ...more }))
  manifest()
  program("// first")
  const take = (isGuard = false, health?: Health) => shared.take(specIn(root), isGuard, () => start(health))
  return { shared, stopped, manifest, program, take }
}

function specIn(root: string): ExtensionSpec {
  const [spec] = discover(discoveryIn([root])).extensions
  if (spec === undefined) throw new Error("the plugin of the test has a fault")
  return spec
}

describe("a shared extension", () => {
  it("is one process for all users, and stays for later ones", async () => {
    const { shared, stopped, take } = world()
    const first = take()
    expect(take()).toBe(first)
    await shared.release(first)
    await shared.release(first)
    expect(take()).toBe(first)
    expect(stopped).toEqual([])
  })

  it("is started again when it has failed for good", async () => {
    const { shared, stopped, take } = world()
    const failed = take(false, "failed")
    const next = take()
    expect(next).not.toBe(failed)
    expect(take()).toBe(next)
    await shared.release(failed)
    expect(stopped).toEqual([failed])
  })

  it("has a separate process as a guard", () => {
    const { take } = world()
    expect(take(true)).not.toBe(take(false))
  })

  it.each<[string, (files: ReturnType<typeof world>) => void]>([
    ["program", ({ program }) => program("// the second is longer")],
    ["manifest", ({ manifest }) => manifest({ hooks: [{ hook: "after_tool_call" }] })],
  ])("is started again when its %s has changed; the old process ends with its last user", async (_, change) => {
    const files = world()
    const { shared, stopped, take } = files
    const [old] = [take(), take()]
    change(files)
    const fresh = take()
    expect(fresh).not.toBe(old)
    expect(take()).toBe(fresh)
    await shared.release(old)
    expect(stopped).toEqual([])
    await shared.release(old)
    expect(stopped).toEqual([old])
  })

  it("without users ends at once when its files have changed", () => {
    const { shared, stopped, program, take } = world()
    const old = take()
    void shared.release(old)
    program("// the second is longer")
    take()
    expect(stopped).toEqual([old])
  })

  it("ends with the host, also an outdated one", async () => {
    const { shared, stopped, program, take } = world()
    const old = take()
    program("// the second is longer")
    const fresh = take()
    await shared.stop()
    expect(new Set(stopped)).toEqual(new Set([old, fresh]))
  })
})
