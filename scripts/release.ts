// Releases the package: `npm run release -- --dry-run` does everything except publishing.
import { spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { programFolder as root } from "../src/program/program-files.ts"
import { checkClean, checkTag, checkVersion, ReleaseFault } from "./release/repository.ts"
import { describeTarball, makeTarball } from "./release/tarball.ts"

const help = `Check, build, test and publish the package.

Usage: npm run release -- [--dry-run] [--skip-tests]

  --dry-run     Do everything except publishing.
  --skip-tests  With --dry-run: do not test the tarball.
  -h, --help    Show this help.

Without --dry-run the commit must have the tag of its version (v0.1.0), and a clean tree.
`

interface Options {
  readonly isDryRun: boolean
  readonly skipsTests: boolean
}

function release({ isDryRun, skipsTests }: Options): void {
  if (!isDryRun) step("tag", () => checkTag(root))
  step("tree", () => checkClean(root))
  step("version", () => checkVersion(root))
  const folder = join(root, "build/release")
  rmSync(folder, { recursive: true, force: true })
  const tarball = step(
    "build and pack",
    () => makeTarball(root, folder),
    ({ file }) => file,
  )
  const { file } = tarball
  step("exports (publint)", () => runTool("publint", "run", file, "--strict"))
  step("types (attw)", () => runTool("attw", file, "--profile", "esm-only", "--no-emoji", "--no-color"))
  if (!skipsTests) step("tests of the tarball", () => runTool("vitest", "run", "spec/package"))
  console.log(`\n${describeTarball(tarball)}`)
  if (isDryRun) return console.log("\nDry run: nothing was published.")
  const { status } = spawnSync("npm", ["publish", file], { cwd: root, stdio: "inherit" })
  if (status !== 0) throw new ReleaseFault(`npm publish ended with exit code ${status}`)
}

/** Prints what is done before it is done: some steps take minutes. */
function step<Result>(title: string, run: () => Result, describe: (result: Result) => string = String): Result {
  process.stdout.write(title.padEnd(22))
  try {
    const result = run()
    console.log(describe(result))
    return result
  } catch (fault) {
    console.log("failed")
    throw fault
  }
}

function runTool(name: string, ...args: readonly string[]): string {
  const started = performance.now()
  const { status, stdout, stderr } = spawnSync(join(root, "node_modules/.bin", name), args, {
    cwd: root,
    encoding: "utf8",
  })
  if (status !== 0) throw new ReleaseFault(`${name} ended with exit code ${status}:\n${stdout}${stderr}`)
  return `passed in ${Math.round((performance.now() - started) / 1000)} s`
}

function main(): number {
  const { values } = parseArgs({
    options: {
      "dry-run": { type: "boolean", default: false },
      "skip-tests": { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  })
  if (values.help) {
    console.log(help)
    return 0
  }
  if (values["skip-tests"] && !values["dry-run"]) throw new ReleaseFault("--skip-tests is for --dry-run only")
  release({ isDryRun: values["dry-run"], skipsTests: values["skip-tests"] })
  return 0
}

try {
  process.exitCode = main()
} catch (fault) {
  console.error(`release: ${fault instanceof Error ? fault.message : String(fault)}`)
  process.exitCode = 1
}
