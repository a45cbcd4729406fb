// Starts the program: dist/ in an installed package, and in a checkout while it is what the build makes of src/, else src/. Plain
// JavaScript, so that a Node that is too old can still say so, and so that the compile cache is on before the first other
// file is read (turning it on later does not pay).
import { existsSync, readFileSync, statSync } from "node:fs"
import * as module from "node:module" // by name it would not even load on an old Node
import { homedir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const [major, minor] = process.versions.node.split(".").map(Number)
if (process.platform === "win32") fail("Windows is not supported; use WSL.")
if (major < 24 || (major === 24 && minor < 15)) {
  const missing = "the one that npm installs with Turnhouse (Linux with glibc on x64 or arm64) is not there"
  const advice = "Install Node 24.15 or newer, or set TURNHOUSE_NODE to its binary."
  fail(`Node ${process.versions.node} is too old, and ${missing}. ${advice}`)
}

const wanted = process.env.TURNHOUSE_HOME || "~/.turnhouse"
const home = /^~(\/|$)/.test(wanted) ? join(homedir(), wanted.slice(1)) : wanted
const found = statOf(home)
if (found !== undefined && found.uid !== process.getuid()) {
  // Its owner could put code into the cache, extensions into the plugins and grants into the settings of this user.
  const owner = `user id ${found.uid}, you are ${process.getuid()}`
  const advice = "Set TURNHOUSE_HOME to a folder of your own, or run Turnhouse as its owner."
  fail(`The home folder ${home} belongs to another user (${owner}). ${advice}`, 2)
}
if (found !== undefined) module.enableCompileCache(compileCache(join(home, "cache"), process.argv[2]))

const root = new URL("../", import.meta.url)
const sources = new URL("src/", root)
const runsSources = existsSync(new URL("cli/main.ts", sources)) && !isBuilt(process.argv[2])
if (runsSources && !existsSync(new URL("contract/generated/", sources))) {
  fail("the generated checkers are missing. Run 'npm install' in the checkout, or 'npm run generate' after it.")
}
const ours = runsSources ? sources : new URL("dist/", root)
resolveDirectly(ours.href)

const [command, database] = process.argv.slice(2)
if (command === "log-writer" && database !== undefined) {
  const { runLogWriter } = await load("app/host/log-writer.ts", "log-writer.js")
  process.exit(await runLogWriter(database))
}

// The first answer of these commands waits for their first write. Only a parent of `rpc` needs it in a home that is new.
const isWriting = command === "rpc" || (found !== undefined && ["serve", "host"].includes(command))
if (isWriting && !process.argv.some((word) => word === "--help" || word === "-h")) {
  const { startWriterEarly } = await load("app/host/early-writer.ts", "early-writer.js")
  startWriterEarly()
}

const { main } = await load("cli/main.ts", "main.js")
process.exitCode = await main(process.argv.slice(2))

/**
 * These run with flags of V8 (bin/turnhouse, src/app/host/process-limits.ts), which rejects code that was compiled with other
 * ones: in one folder each would reject what the last one has written, and write it all again when it exits.
 */
function compileCache(folder, name) {
  return ["rpc", "host", "serve", "log-writer"].includes(name) ? join(folder, name) : folder
}

/** Whether dist/ of this checkout was made from the files that are there. Most of the time of a start is saved by it. */
function isBuilt(name) {
  const path = new URL("dist/sources.json", root)
  if (statOf(path) === undefined) return false
  const built = JSON.parse(readFileSync(path, "utf8"))
  const folder = fileURLToPath(root)
  // A rename, a copy with an older date and a checkout of another commit all change this time.
  const isOlder = (file) => (statOf(folder + file)?.ctimeMs ?? Infinity) <= built.builtAt
  return (name === "log-writer" ? built.logWriter : built.main).every(isOlder)
}

function load(source, built) {
  return import(new URL(runsSources ? source : `command/${built}`, ours).href)
}

/** Our own files name each other exactly, so there is nothing to look for: that halves the time it takes to load them. */
function resolveDirectly(folder) {
  module.registerHooks({
    resolve(specifier, context, next) {
      const isOurs = specifier.startsWith(".") && context.parentURL?.startsWith(folder)
      if (!isOurs) return next(specifier, context)
      const format = specifier.endsWith(".ts") ? "module-typescript" : "module"
      return { url: new URL(specifier, context.parentURL).href, format, shortCircuit: true }
    },
  })
}

function statOf(path) {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined // missing or not reachable: the command says so when it needs it
  }
}

function fail(message, exitCode = 1) {
  console.error(`turnhouse: ${message}`)
  process.exit(exitCode)
}
