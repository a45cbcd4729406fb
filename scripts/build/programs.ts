// What dist/ contains: the source module of each file that is named from outside of its bundle. Libraries are listed in
// tsconfig.json ("paths"), so that the compiler, the tests and this build resolve `turnhouse/NAME` from one table.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../..", import.meta.url))

/** Source module (relative to the root) by the path of the file in dist/, without its ending. */
export type Programs = Readonly<Record<string, string>>

/** Modules of the command that are started by name: by bin/turnhouse.mjs, as a thread, or with `node --import`. */
const started: Programs = {
  "command/main": "src/cli/main.ts",
  "command/log-writer": "src/app/host/log-writer.ts",
  "command/early-writer": "src/app/host/early-writer.ts",
  "command/home-thread": "src/app/home-thread/home-thread.ts",
  "command/extract-thread": "src/knowledge/extract/extract-thread.ts",
  "command/rebuild-thread": "src/knowledge/index/rebuild-thread.ts",
  "command/lock-program": "src/app/prove/locks/processes/lock-program.ts",
  "command/simulation-thread": "src/app/prove/simulation/simulation-thread.ts",
  "command/search-thread": "src/knowledge/search/search-thread.ts",
  "command/fuzz-worker": "src/app/prove/fuzz/fuzz-worker.ts",
  "command/resolve-sdk": "src/clients/extension/resolve-sdk.ts",
}

/** What the condition "node" of package.json names, in place of the entry for browsers. */
const nodeEntries: Programs = { "clients/client-node": "src/clients/ws/node.ts" }

/** Libraries that need the Node of the engine; the others run on Node 20 and in part in browsers. */
const engineLibraries = new Set(["turnhouse", "turnhouse/testing"])

export interface Bundle {
  /** Oldest JavaScript that its files may need. */
  readonly target: string
  readonly programs: Programs
}

/** Modules that two files of one bundle use exist once; across bundles they are copied. */
export function bundles(): readonly Bundle[] {
  const libraries = Object.entries(librarySources())
  const engine = libraries.filter(([name]) => engineLibraries.has(name))
  const clients = libraries.filter(([name]) => !engineLibraries.has(name))
  return [
    { target: "node24", programs: { ...started, ...filesOf("engine", engine) } },
    { target: "node20", programs: { ...filesOf("clients", clients), ...nodeEntries } },
  ]
}

/** Source module by the name under which a library is imported. */
export function librarySources(): Programs {
  const { compilerOptions } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"))
  const paths: Readonly<Record<string, readonly string[]>> = compilerOptions.paths
  return Object.fromEntries(
    Object.entries(paths).flatMap(([name, [file]]) => (file === undefined ? [] : [[name, file.replace(/^\.\//, "")]])),
  )
}

function filesOf(folder: string, libraries: readonly (readonly [string, string])[]): Programs {
  return Object.fromEntries(libraries.map(([name, source]) => [`${folder}/${name.split("/")[1] ?? "index"}`, source]))
}
