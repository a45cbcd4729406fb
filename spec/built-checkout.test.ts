// What bin/turnhouse.mjs starts in a checkout: dist/ while it is what the build made of the sources, else src/. And what the
// next build leaves to a process that runs dist/.
import { execFileSync } from "node:child_process"
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it, type TestContext } from "vitest"
import { keepEarlier } from "../scripts/build/keep-earlier.ts"
import { describeFiles } from "../scripts/release/tarball.ts"

const bin = fileURLToPath(new URL("../bin", import.meta.url))

/** A checkout of two programs that print where they are. */
function newCheckout({ onTestFinished }: Pick<TestContext, "onTestFinished">) {
  const folder = mkdtempSync(join(tmpdir(), "turnhouse-checkout-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const program = (name: string) => `export const main = () => (console.log("${name}"), 0)`
  cpSync(bin, join(folder, "bin"), { recursive: true })
  mkdirSync(join(folder, "src/contract/generated"), { recursive: true })
  write("src/cli/main.ts", program("src"))
  write("src/other.ts", "")
  write("dist/command/main.js", program("dist"))
  write("package.json", '{"type":"module"}')
  const files = ["src/cli/main.ts", "src/other.ts"]
  const builtAt = Math.max(...files.map((file) => statSync(join(folder, file)).ctimeMs))
  write("dist/sources.json", JSON.stringify({ builtAt, main: files, logWriter: [] }))
  const started = () => {
    const env = { PATH: "/usr/bin:/bin", HOME: folder, TURNHOUSE_HOME: join(folder, "home") }
    return execFileSync(process.execPath, [join(folder, "bin/turnhouse.mjs")], { env, encoding: "utf8" }).trim()
  }
  /** Repeated while the clock of the file system has not moved. */
  const change = (file: string, how: (path: string) => void) => {
    const path = join(folder, file)
    do how(path)
    while (statSync(path).ctimeMs <= builtAt)
  }
  return { path: (name: string) => join(folder, name), started, change }
}

it("starts dist/ while no source has changed", (test) => {
  expect(newCheckout(test).started()).toBe("dist")
}, 60_000)

it("starts src/ after a source was changed, replaced by an older file, or removed, and without a build", (test) => {
  const changed = newCheckout(test)
  changed.change("src/other.ts", (path) => writeFileSync(path, "// changed"))
  const replaced = newCheckout(test)
  const old = replaced.path("old.ts")
  writeFileSync(old, "// older")
  utimesSync(old, 0, 0)
  replaced.change("src/other.ts", (path) => {
    cpSync(old, path, { preserveTimestamps: true })
  })
  const removed = newCheckout(test)
  unlinkSync(removed.path("src/other.ts"))
  const unbuilt = newCheckout(test)
  rmSync(unbuilt.path("dist"), { recursive: true })
  expect([changed, replaced, removed, unbuilt].map(({ started }) => started())).toEqual(["src", "src", "src", "src"])
}, 60_000)

it("keeps the newest modules of earlier builds, which a running host may still load, and no package has them", ({
  onTestFinished,
}) => {
  const folder = mkdtempSync(join(tmpdir(), "turnhouse-build-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [from, to] = [join(folder, "old"), join(folder, "dist/command")]
  for (const path of [from, to]) mkdirSync(path, { recursive: true })
  const write = (path: string, text: string, secondsAgo = 0) => {
    writeFileSync(path, text)
    utimesSync(path, Date.now() / 1000 - secondsAgo, Date.now() / 1000 - secondsAgo)
  }
  write(join(from, "tool-old.js"), "old", 10)
  write(join(from, "tool-older.js"), "older", 20)
  write(join(from, "tool-oldest.js"), "oldest", 30)
  write(join(from, "main.js"), "old main")
  write(join(to, "main.js"), "main")
  keepEarlier(from, to, "old".length + "older".length)
  const modules = readdirSync(to).filter((name) => name.endsWith(".js"))
  expect(modules.toSorted()).toEqual(["main.js", "tool-old.js", "tool-older.js"])
  expect(readFileSync(join(to, "main.js"), "utf8")).toBe("main")
  write(join(folder, "package.json"), '{"name":"a","version":"1.0.0","files":["dist"]}')
  expect(describeFiles(folder).files.map(({ path }) => path)).toEqual(["dist/command/main.js", "package.json"])
}, 60_000)
