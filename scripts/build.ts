// Makes dist/, which the package ships instead of src/: `npm run build`. The checkout runs src/ and needs dist/ only for
// programs that import `turnhouse/NAME` and for the pages that `serve` shows. With `--if-changed` it does nothing when src/ is older than dist/, and leaves out
// the types, which take longer than the rest.
import { cpSync, existsSync, globSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { bundle } from "./build/bundle.ts"
import { writeDeclarations } from "./build/declarations.ts"
import { thirdPartyLicences } from "./build/licences.ts"
import { bundles, root } from "./build/programs.ts"
import { siteSources, writeSite } from "./docs/site.ts"
import { buildWeb } from "./build/web.ts"
import { writeWidgetTypes } from "./build/widget-types.ts"

const dist = join(root, "dist")

const isOptional = process.argv.includes("--if-changed")
if (!isOptional || isChanged()) await buildAlone()

/** A second build waits for the first one, then finds its result. */
async function buildAlone(): Promise<void> {
  using lock = new DatabaseSync(join(root, "dist.lock"), { timeout: 600_000 })
  lock.exec("BEGIN EXCLUSIVE")
  if (!isOptional || isChanged()) await build()
}

async function build(): Promise<void> {
  const folder = join(root, `dist.${process.pid}`)
  const parts = bundles()
  const programs = Object.assign({}, ...parts.map((part) => part.programs))
  try {
    const modules: string[] = []
    for (const part of parts) modules.push(...(await bundle(part, folder)))
    modules.push(...(await buildWeb(folder)))
    cpSync(join(root, "spec/schemas"), join(folder, "schemas"), { recursive: true })
    cpSync(join(root, "examples/shop"), join(folder, "shop"), { recursive: true })
    await writeSite(root, join(folder, "web/docs"))
    if (!isOptional) writeDeclarations(folder, programs)
    if (!isOptional) writeWidgetTypes(folder)
    writeFileSync(join(folder, "third-party-licences.txt"), thirdPartyLicences(modules))
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

function isChanged(): boolean {
  const built = statSync(join(dist, "third-party-licences.txt"), { throwIfNoEntry: false })?.mtimeMs
  if (built === undefined) return true
  const own = [
    "src/**/*.ts",
    "web/**/*.*",
    "examples/shop/**/*.*",
    "scripts/{build,docs}/**/*",
    "package.json",
    "tsconfig.json",
  ]
  const sources = globSync([...own, ...siteSources], { cwd: root })
  return sources.some((file) => statSync(join(root, file)).mtimeMs > built)
}
