// Plain JavaScript, so that a Node that is too old can still say so, and so that the compile cache is on before the
// first TypeScript file is read (turning it on later does not pay).
import { existsSync } from "node:fs"
import * as module from "node:module" // by name it would not even load on an old Node
import { homedir } from "node:os"
import { join } from "node:path"

const [major, minor] = process.versions.node.split(".").map(Number)
if (process.platform === "win32") fail("Windows is not supported; use WSL.")
if (major < 24 || (major === 24 && minor < 15)) {
  fail(`Node ${process.versions.node} is too old: 24.15 or newer is needed. 'npm install' brings one along on Linux.`)
}

const home = process.env.TURNHOUSE_HOME || join(homedir(), ".turnhouse")
if (existsSync(home)) module.enableCompileCache(join(home, "cache"))

// Our own files name each other exactly, so there is nothing to look for: that halves the time it takes to load them.
const ours = new URL("../src/", import.meta.url).href
module.registerHooks({
  resolve(specifier, context, next) {
    const isOurs = specifier.startsWith(".") && context.parentURL?.startsWith(ours)
    if (!isOurs) return next(specifier, context)
    const format = specifier.endsWith(".ts") ? "module-typescript" : "module"
    return { url: new URL(specifier, context.parentURL).href, format, shortCircuit: true }
  },
})

const [command, database] = process.argv.slice(2)
if (command === "log-writer" && database !== undefined) {
  const { runLogWriter } = await import("../src/cli/log-writer.ts")
  process.exit(await runLogWriter(database))
}

// A parent waits for the first frame of this command, and that for its first write.
if (command === "rpc" && !process.argv.some((word) => word === "--help" || word === "-h")) {
  const { startWriterEarly } = await import("../src/cli/early-writer.ts")
  startWriterEarly()
}

const { main } = await import("../src/cli/main.ts")
process.exitCode = await main(process.argv.slice(2))

function fail(message) {
  console.error(`turnhouse: ${message}`)
  process.exit(1)
}
