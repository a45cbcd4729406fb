// Places of the program's own files, in a checkout (src/*.ts) and in an installed package (dist/*.js) alike. Imports no
// other folder: helper processes load it first.
import { existsSync, readFileSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

/** The folder of package.json. Found by search: a build may move this module. */
export const programFolder = nearestPackage(dirname(fileURLToPath(import.meta.url)))

/** What Node runs; also the program of helper processes, which run on `process.execPath`. */
export const entryFile = join(programFolder, "bin/turnhouse.mjs")

/** What other programs start: chooses the Node binary. */
export const launcherFile = join(programFolder, "bin/turnhouse")

/** Has its sources beside it, also if it runs from dist/ (bin/turnhouse.mjs). An installed package has none. */
export const isCheckout = existsSync(join(programFolder, "src"))

/** JSON Schema of the configuration. */
export const configSchemaFile = join(programFolder, isCheckout ? "spec" : "dist", "schemas/config.json")

/** Pages that `serve` has: `console`, `docs` and `widget`. Made by `npm run build`, so a checkout may lack them. */
export const webFolder = join(programFolder, "dist/web")

/** The shop of the examples, which `turnhouse demo shop` copies. */
export const shopFolder = join(programFolder, isCheckout ? "examples" : "dist", "shop")

const runsSources = import.meta.url.endsWith(".ts")

/** A module that another thread or process loads, by its path below src/ without the extension. */
export function moduleUrl(path: string): URL {
  return pathToFileURL(join(programFolder, runsSources ? `src/${path}.ts` : `dist/command/${basename(path)}.js`))
}

/** When dist/ of this checkout was made; undefined where the program does not run from it, and in an installed package. */
export function buildTime(): number | undefined {
  if (runsSources) return undefined
  return statSync(join(programFolder, "dist/sources.json"), { throwIfNoEntry: false })?.mtimeMs
}

/** The release, from package.json. */
export function version(): string {
  const text = readFileSync(join(programFolder, "package.json"), "utf8")
  return /"version":\s*"([^"]+)"/.exec(text)?.[1] ?? "unknown"
}

function nearestPackage(folder: string): string {
  const parent = dirname(folder)
  return parent === folder || existsSync(join(folder, "package.json")) ? folder : nearestPackage(parent)
}
