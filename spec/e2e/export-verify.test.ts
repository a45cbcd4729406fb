// An exported session can be verified without Turnhouse's home, and every kind of tampering is found.
import { createPublicKey, randomBytes } from "node:crypto"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { signingKey } from "../../src/secrets/home-key.ts"
import { isObject } from "../../src/contract/json-object.ts"
import { object } from "./printed.ts"
import { newPlace, sharedPlace } from "./turnhouse.ts"

const place = sharedPlace()
const other = sharedPlace()
let ready: Awaited<ReturnType<typeof prepare>>
beforeAll(async () => void (ready = await prepare()))

async function prepare() {
  const model = place.script([[{ text: "First." }], [{ text: "Second." }]])
  await place.run("run", "one", "--model", model)
  const id = await place.newest()
  const earlier = (await place.run("log", id, "--head")).stdout
  await place.run("run", "two", "--session", id)
  const head = (await place.run("log", id, "--head")).stdout
  const file = place.path("session.ndjson")
  const exported = await place.run("export", id, file)
  return {
    id,
    earlier: hashOf(earlier),
    head: hashOf(head),
    file,
    exported,
    lines: readFileSync(file, "utf8").split("\n"),
  }
}

function hashOf(head: string): string {
  expect(head).toMatch(/^\d+ [0-9a-f]{64}\n$/)
  return head.trim().split(" ")[1] ?? ""
}

function changed(name: string, lines: readonly string[]): string {
  const path = place.path(name)
  writeFileSync(path, lines.join("\n"))
  return path
}

describe.concurrent("an exported session", () => {
  it("is the stored lines with a header and a seal, for its owner alone", async () => {
    const { id, exported, lines, file, head } = ready
    expect(exported).toMatchObject({ code: 0, stdout: "" })
    expect(exported.stderr).toBe(`wrote ${lines.length - 3} events to ${file}\n`)
    expect(object(lines[0] ?? "")).toEqual({ turnhouse: "export", version: 1, sessionId: id })
    expect(lines.slice(1, -2).join("\n")).toBe((await place.log(id)).trimEnd())
    expect(object(lines.at(-2) ?? "")["seal"]).toMatchObject({ seq: lines.length - 3, hash: head })
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it("is the same on stdout, and a file that is there is left alone", async () => {
    const { id, file, lines } = ready
    expect((await place.run("export", id)).stdout).toBe(lines.join("\n"))
    const again = await place.run("export", id, file)
    expect(again.code).toBe(1)
    expect(again.stderr).toContain("already exists")
    expect(readFileSync(file, "utf8")).toBe(lines.join("\n"))
  })

  it("verifies anywhere, and says what was checked", async () => {
    const { id, file, head } = ready
    const { code, stdout, stderr } = await other.run("verify", file)
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toContain(`session ${id}`)
    expect(stdout).toContain(head)
    expect(stdout).toMatch(/signature by key [\w-]{43}\n/)
    expect(stdout).toContain("not compared")
  })

  it("verifies against a head noted earlier and the right key", async () => {
    const { file, earlier, head, lines } = ready
    const seal = object(lines.at(-2) ?? "")["seal"]
    const key = isObject(seal) ? String(seal["publicKey"]) : ""
    for (const hash of [earlier, head]) {
      const verified = await other.run("verify", file, "--head", hash, `--key=${key}`)
      expect(verified.code).toBe(0)
      expect(verified.stdout).toContain("nothing was cut off")
    }
    const asJson = await other.run("verify", file, "--json", "--head", earlier)
    expect(object(asJson.stdout)).toMatchObject({ intact: true, seal })
  })
})

describe.concurrent("a key that begins with a dash", () => {
  it("can be given to verify as it is printed", async (test) => {
    const dashed = newPlace(test)
    writeFileSync(join(dashed.home, "secret.key"), keyWithDash(), { mode: 0o600 })
    await dashed.run("run", "one", "--model", dashed.script([[{ text: "Yes." }]]))
    const file = dashed.path("session.ndjson")
    await dashed.run("export", await dashed.newest(), file)
    const [, key = ""] = /signature by key (\S+)/.exec((await dashed.run("verify", file)).stdout) ?? []
    expect(key.startsWith("-")).toBe(true)
    expect(await dashed.run("verify", file, "--key", key)).toMatchObject({ code: 0, stderr: "" })
  })
})

describe.concurrent("an exported session with unusual characters", () => {
  it("verifies too: only a line feed ends a line", async (test) => {
    const odd = newPlace(test)
    const text = "a\u2028b\u2029c\u0085d\re\u0000f\u{feff}g\ud83d\ude00h"
    await odd.run("run", text.replace("\u0000", ""), "--model", odd.script([[{ text }]]))
    const file = odd.path("odd.ndjson")
    expect((await odd.run("export", await odd.newest(), file)).code).toBe(0)
    expect(await odd.run("verify", file)).toMatchObject({ code: 0, stderr: "" })
  })
})

type Tampering = (lines: readonly string[]) => readonly string[]

describe.concurrent("verify reports", () => {
  it.each<[string, Tampering, string]>([
    ["a changed byte", (lines) => lines.with(3, (lines[3] ?? "").replace(/"at":(\d)/, '"at":9')), "sealed hash"],
    ["a changed word", (lines) => lines.map((line) => line.replace("First.", "Worst.")), "sealed hash"],
    ["a removed line", (lines) => lines.toSpliced(4, 1), "event 4 is expected here"],
    ["a line twice", (lines) => lines.toSpliced(4, 0, lines[4] ?? ""), "event 5 is expected here"],
    ["swapped lines", (lines) => lines.with(2, lines[3] ?? "").with(3, lines[2] ?? ""), "event 2 is expected here"],
    ["a cut seal", (lines) => lines.slice(0, -2), "ends before its seal"],
    ["a cut end", (lines) => lines.toSpliced(-3, 1), "sealed hash"],
    [
      "another session's header",
      (lines) => lines.with(0, (lines[0] ?? "").replace(/.{5}"}$/, '00000"}')),
      "sealed hash",
    ],
    ["a forged signature", (lines) => lines.map(forgeSignature), "signature is wrong"],
    ["a line that is no JSON", (lines) => lines.with(2, "{"), "line 3: it is not JSON"],
    ["lines after the seal", (lines) => [...lines.slice(0, -1), lines[2] ?? "", ""], "after the seal"],
  ])("%s", async (name, tamper, complaint) => {
    const { lines } = ready
    const path = changed(`${name.replaceAll(/\W/g, "-")}.ndjson`, tamper(lines))
    const { code, stdout, stderr } = await other.run("verify", path)
    expect(stderr).toContain("cannot be trusted")
    expect(stderr).toContain(complaint)
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
  })

  it("a head that is not in it, and another key", async () => {
    const { file } = ready
    const wrongHead = await other.run("verify", file, "--head", "0".repeat(64))
    expect(wrongHead.code).toBe(1)
    expect(wrongHead.stderr).toContain("cut off or replaced")
    const wrongKey = await other.run("verify", file, "--key", "A".repeat(43))
    expect(wrongKey.code).toBe(1)
    expect(wrongKey.stderr).toContain(`not by ${"A".repeat(43)}`)
    const asJson = await other.run("verify", file, "--json", "--head", "0".repeat(64))
    expect(asJson.code).toBe(1)
    expect(object(asJson.stdout)).toMatchObject({ intact: false })
  })

  it("a file that is not an export, is empty or does not exist", async () => {
    for (const path of [changed("prose.txt", ["Dear reader,"]), changed("empty", []), place.path("missing")]) {
      const { code, stderr } = await other.run("verify", path)
      expect(code).toBe(1)
      expect(stderr).toMatch(/^turnhouse: .+\n$/)
    }
  })
})

describe.concurrent("verify without a file", () => {
  it("walks every session of the home", async () => {
    const verified = await place.run("verify")
    expect(verified).toMatchObject({ code: 0, stderr: "" })
    expect(verified.stdout).toContain("intact")
    expect(object((await place.run("verify", "--json")).stdout)).toMatchObject({ damage: [], findings: [] })
  })
})

function forgeSignature(line: string): string {
  return line.replace(/"signature":"(.)/, (_, first: string) => `"signature":"${first === "A" ? "B" : "A"}`)
}

/** A home key whose public half begins with a dash, as one in 64 does. */
function keyWithDash(): Uint8Array {
  for (;;) {
    const homeKey = randomBytes(32)
    if (createPublicKey(signingKey(homeKey)).export({ format: "jwk" }).x?.startsWith("-")) return homeKey
  }
}
