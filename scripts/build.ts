// Makes dist/, which the package ships instead of src/: `npm run build`. A checkout runs it too while no source has changed since.
// With `--if-changed` it does nothing if that is so, and leaves out the types, which take longer than the rest.
import { cpSync, existsSync, globSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { bundle, type Contents } from "./build/bundle.ts"
import { writeDeclarations } from "./build/declarations.ts"
import { keepEarlier } from "./build/keep-earlier.ts"
import { thirdPartyLicences } from "./build/licences.ts"
import { bundles, root } from "./build/programs.ts"
import { siteSources, writeSite } from "./docs/site.ts"
import { buildWeb } from "./build/web.ts"
import { writeWidgetTypes } from "./build/widget-types.ts"

const dist = join(root, "dist")

/** Written by each `npm install`. */
const installed = "node_modules/.package-lock.json"

/** By so much the times of files may be older than the clock. */
const CLOCK_MS = 20

const isOptional = process.argv.includes("--if-changed")
if (!isOptional || isChanged()) await buildAlone()

/** A second build waits for the first one, then finds its result. */
async function buildAlone(): Promise<void> {
  using lock = new DatabaseSync(join(root, "dist.lock"), { timeout: 600_000 })
  lock.exec("BEGIN EXCLUSIVE")
  if (!isOptional || isChanged()) await build()
}

async function build(): Promise<void> {
  const begun = Date.now()
  const folder = join(root, `dist.${process.pid}`)
  const parts = bundles()
  const programs = Object.assign({}, ...parts.map((part) => part.programs))
  try {
    const contents: Record<string, readonly string[]> = {}
    for (const part of parts) Object.assign(contents, await bundle(part, folder))
    const modules = [...Object.values(contents).flat(), ...(await buildWeb(folder))]
    cpSync(join(root, "spec/schemas"), join(folder, "schemas"), { recursive: true })
    cpSync(join(root, "examples/shop"), join(folder, "shop"), { recursive: true })
    await writeSite(root, join(folder, "web/docs"))
    if (!isOptional) writeDeclarations(folder, programs)
    if (!isOptional) writeWidgetTypes(folder)
    writeFileSync(join(folder, "third-party-licences.txt"), thirdPartyLicences(modules))
    writeFileSync(join(folder, "sources.json"), JSON.stringify(sourcesOf(contents, begun)))
    keepEarlier(join(dist, "command"), join(folder, "command"))
    replaceFolder(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** By rename, so that a program that starts meanwhile never imports half of a build. */
function replaceFolder(folder: string): void {
  const old = `${folder}.old`
  if (existsSync(dist)) renameSync(dist, old)
  renameSync(folder, dist)
  rmSync(old, { recursive: true, force: true })
}

/** What bin/turnhouse.mjs compares, in a checkout. */
interface Sources {
  readonly builtAt: number
  /** Relative to the root. Processes that a program starts from dist/ are part of it. */
  readonly main: readonly string[]
  readonly logWriter: readonly string[]
}

function sourcesOf(contents: Contents, begun: number): Sources {
  const { "command/log-writer": logWriter = [] } = contents
  return { builtAt: begun - CLOCK_MS, main: ownFiles(Object.values(contents).flat()), logWriter: ownFiles(logWriter) }
}

/** What npm installed is one file. Some modules of packages are replaced by our own. */
function ownFiles(modules: readonly string[]): readonly string[] {
  const own = modules.map((path) => relative(root, path)).filter((path) => /^(src|scripts)\//.test(path))
  return [...new Set(own), installed]
}

function isChanged(): boolean {
  const builtAt = lastBuild()
  if (builtAt === undefined) return true
  const own = [
    "src/**/*.{ts,js}",
    "spec/schemas/*.json",
    "web/**/*.*",
    "examples/shop/**/*.*",
    "scripts/build.ts",
    "scripts/{build,docs}/**/*",
    "package.json",
    "tsconfig.json",
    installed,
  ]
  const sources = globSync([...own, ...siteSources], { cwd: root })
  return sources.some((file) => statSync(join(root, file)).ctimeMs > builtAt)
}

function lastBuild(): number | undefined {
  const path = join(dist, "sources.json")
  if (!existsSync(path)) return undefined
  const { builtAt }: Sources = JSON.parse(readFileSync(path, "utf8"))
  return builtAt
}
