// Bundles the programs of dist/ with the packages they use. Modules that are imported on first use stay files of their own.
import { decode, encode, type SourceMapSegment } from "@jridgewell/sourcemap-codec"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type OutputChunk, type Plugin, rolldown } from "rolldown"
import { minifySync } from "rolldown/utils"
import { stageGroups } from "./chunks.ts"
import { root, type Bundle, type Programs } from "./programs.ts"

/** Not bundled: packages with machine code. */
const external = [/^node:/, "koffi", "@vscode/ripgrep"]

const missingInNode20 = {
  "Promise.withResolvers": [join(root, "scripts/build/with-resolvers.ts"), "withResolvers"] as [string, string],
}

const headersModule = join(root, "src/models/http/plain-headers.ts")

const alias = {
  /** Replaced by a smaller one. */
  "@modelcontextprotocol/client/_shims": join(root, "scripts/build/mcp-shims.ts"),
  /** Its main file loads its parts in a way that no bundler sees. */
  "jsonc-parser": join(root, "node_modules/jsonc-parser/lib/esm/main.js"),
}

/** The platform's `Headers` would load its HTTP client with the first request (src/models/http). */
const plainHeaders: Plugin = {
  name: "plain-headers",
  transform: {
    filter: { id: /\/@ai-sdk\/provider-utils\/dist\/index\.js$/ },
    handler: (code) => ({
      code: `import { PlainHeaders as Headers } from ${JSON.stringify(headersModule)}; ${code}`,
      map: null, // the lines stay as they are
    }),
  },
}

const importOfNode = /^import (?:(\w+)(?:, )?)?(?:\{ ([^}]*) \}|\* as (\w+))? ?from "(node:[^"]+)";$/gm

/** What a simulation replaces (src/app/prove/simulation): the names of an import follow, also in modules that were loaded before. */
const replaced = new Set(["node:crypto", "node:fs/promises", "node:timers", "node:timers/promises"])

/**
 * An `import` reads every export of a module of Node, also those that load others: `node:http` loads the platform's HTTP client, for
 * 30 ms, and `node:util`, `node:crypto` and `node:fs` some milliseconds of what hardly a process needs.
 */
const namedExportsOnly: Plugin = {
  name: "named-exports-only",
  renderChunk: (code) => ({
    code: code.replaceAll(
      importOfNode,
      (line, whole: string | undefined, names: string | undefined, all: string | undefined, module: string) =>
        replaced.has(module)
          ? line
          : [whole, all, names === undefined ? undefined : `{ ${renamed(names)} }`]
              .filter((name) => name !== undefined)
              .map((name) => `const ${name} = process.getBuiltinModule("${module}");`)
              .join(" "),
    ),
    map: null, // the lines stay as they are
  }),
}

/** `a as b` of an import, as a pattern. */
function renamed(names: string): string {
  return names.replaceAll(/(\w+) as (\w+)/g, "$1: $2")
}

/** Paths of the modules that are in a file of `dist/` or in one that it may load, by its path without the ending. */
export type Contents = Readonly<Record<string, readonly string[]>>

/** Writes the files into `folder`. */
export async function bundle({ target, programs }: Bundle, folder: string): Promise<Contents> {
  const build = await rolldown({
    input: Object.fromEntries(Object.entries(programs).map(([file, source]) => [file, join(root, source)])),
    cwd: root,
    external,
    plugins: target === "node24" ? [plainHeaders, namedExportsOnly] : [],
    platform: "node",
    resolve: { alias },
    transform: { target, inject: target === "node20" ? missingInNode20 : {} },
    onLog: (_level, { code, message }) => {
      if (code === "INEFFECTIVE_DYNAMIC_IMPORT") return // a stage holds what is loaded in it
      throw new Error(message)
    },
  })
  const { output } = await build.write({
    dir: folder,
    format: "esm",
    sourcemap: true,
    sourcemapExcludeSources: true, // positions are enough for stack traces
    codeSplitting: { groups: target === "node24" ? stageGroups : [] },
    comments: { legal: true, annotation: false, jsdoc: false },
    chunkFileNames: `${chunkFolder(programs)}/[name]-[hash].js`,
  })
  await build.close()
  const chunks = output.filter((file): file is OutputChunk => file.type === "chunk")
  for (const chunk of chunks) shrink(folder, chunk)
  return Object.fromEntries(Object.keys(programs).map((file) => [file, modulesFrom(`${file}.js`, chunks)]))
}

function modulesFrom(first: string, chunks: readonly OutputChunk[]): readonly string[] {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const reached = new Set([first])
  for (const name of reached) {
    const { imports = [], dynamicImports = [] } = byName.get(name) ?? {}
    for (const next of [...imports, ...dynamicImports]) reached.add(next)
  }
  return [...reached].flatMap((name) => byName.get(name)?.moduleIds ?? [])
}

/** Shared modules go where the first program is: every file is one folder below dist/. */
function chunkFolder(programs: Programs): string {
  const [first = ""] = Object.keys(programs)
  return first.slice(0, first.indexOf("/"))
}

/** Code of packages is made small; with their maps it would be half of the tarball. */
function shrink(folder: string, { fileName, modules, code }: OutputChunk): void {
  const sizes = Object.entries(modules).map(([id, { renderedLength }]) => ({ own: isOwn(id), size: renderedLength }))
  const own = sum(sizes.filter((module) => module.own))
  if (own > sum(sizes) / 5) return coarsenMap(join(folder, `${fileName}.map`))
  rmSync(join(folder, `${fileName}.map`), { force: true })
  const { code: small, errors } = minifySync(fileName, code, { module: true })
  if (errors.length > 0) throw new Error(`${fileName}: ${errors.map(({ message }) => message).join(", ")}`)
  writeFileSync(join(folder, fileName), small)
}

/** Stack traces need the line, so a map has one position for each line of code: a fifth of the size. */
function coarsenMap(path: string): void {
  const map: { mappings: string; names: string[] } = JSON.parse(readFileSync(path, "utf8"))
  const lines = decode(map.mappings).map(([first]) => (first === undefined ? [] : [withoutName(first)]))
  writeFileSync(path, JSON.stringify({ ...map, names: [], mappings: encode(lines) }))
}

function withoutName(segment: SourceMapSegment): SourceMapSegment {
  return segment.length === 1 ? segment : [segment[0], segment[1], segment[2], segment[3]]
}

function sum(sizes: readonly { readonly size: number }[]): number {
  return sizes.reduce((total, { size }) => total + size, 0)
}

function isOwn(id: string): boolean {
  return id.startsWith(join(root, "src/"))
}
