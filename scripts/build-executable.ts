// Makes Turnhouse as one file for this platform: `npm run build:executable`. Needs dist/ (`npm run build`, which the npm
// script runs first), tar and gzip.
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { programFolder as root, version } from "../src/program/program-files.ts"
import { archiveOf, stage } from "./executable/archive.ts"
import { makeExecutable } from "./executable/launcher.ts"

const help = `Make Turnhouse as one executable file.

Usage: npm run build:executable -- [--out FILE]

  --out FILE  Default: build/turnhouse-VERSION-PLATFORM.
`
const machines: Readonly<Record<string, string>> = { "linux-x64": "Linux-x86_64", "linux-arm64": "Linux-aarch64" }

function build(out: string, platform: string, machine: string): void {
  const folder = mkdtempSync(join(tmpdir(), "turnhouse-executable-"))
  try {
    stage({ root, folder, platform })
    const archive = archiveOf(folder)
    const unpackedBytes = Number(execFileSync("du", ["-sb", folder], { encoding: "utf8" }).split("\t")[0])
    const file = makeExecutable({ release: version(), platform, machine, archive, unpackedBytes })
    mkdirSync(dirname(out), { recursive: true })
    writeFileSync(`${out}.new`, file, { mode: 0o755 })
    renameSync(`${out}.new`, out)
    const [packed, unpacked] = [file.length, unpackedBytes].map((bytes) => (bytes / 1e6).toFixed(1))
    console.log(`${out}: ${packed} MB, unpacked ${unpacked} MB`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function main(): number {
  const { values } = parseArgs({ options: { out: { type: "string" }, help: { type: "boolean", short: "h" } } })
  if (values.help === true) {
    console.log(help)
    return 0
  }
  const platform = `${process.platform}-${process.arch}`
  const machine = machines[platform]
  if (machine === undefined) {
    console.error(`build:executable: ${platform} has no bundled Node. Build on ${Object.keys(machines).join(" or ")}.`)
    return 1
  }
  build(resolve(values.out ?? join(root, `build/turnhouse-${version()}-${platform}`)), platform, machine)
  return 0
}

try {
  process.exitCode = main()
} catch (fault) {
  console.error(`build:executable: ${fault instanceof Error ? fault.message : String(fault)}`)
  process.exitCode = 1
}
