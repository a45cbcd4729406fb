// Writes the .d.ts files of the libraries. They need no package but @types/node: types that are inferred from schemas are
// written out, and the types of bundled packages are copied.
import { execFileSync } from "node:child_process"
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, relative } from "node:path"
import { SchemaTypes, writeOut } from "./expand-schemas.ts"
import { librarySources, root, type Programs } from "./programs.ts"
import { shakeDeclarations, type Files } from "./shake-declarations.ts"

/** Packages whose types the libraries use, and where these are. */
const packages: Readonly<Record<string, string>> = {
  "@ai-sdk/provider": "node_modules/@ai-sdk/provider/dist/index.d.ts",
  "json-schema": "node_modules/@types/json-schema/index.d.ts",
}

/** `programs`: the files of dist/ and their sources. */
export function writeDeclarations(folder: string, programs: Programs): void {
  const emitted = join(folder, "emitted")
  emit(emitted)
  const types = new SchemaTypes(join(root, "tsconfig.json"))
  try {
    const sources = new Set(Object.values(librarySources()))
    const { files, foreign } = shakeDeclarations([...sources], declarationFiles(emitted, types))
    const missing = [...foreign].filter((name) => !name.startsWith("node:"))
    if (missing.length > 0) throw new Error(`types of packages that are not shipped: ${missing.join(", ")}`)
    for (const [path, text] of files) write(join(folder, "types", shippedPath(path)), text)
    for (const [file, source] of Object.entries(programs))
      if (sources.has(source))
        write(
          join(folder, `${file}.d.ts`),
          `export * from "../types/${shippedPath(source).replace(/\.d\.ts$/, ".js")}"\n`,
        )
  } finally {
    types.close()
    rmSync(emitted, { recursive: true, force: true })
  }
}

function emit(folder: string): void {
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc")
  const options = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--allowImportingTsExtensions"]
  const config = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: { rootDir: join(root, "src") },
    include: [],
    files: [...Object.values(librarySources()), ...ownTypesOfPackages()].map((source) => join(root, source)),
  }
  write(join(folder, "tsconfig.json"), JSON.stringify(config))
  execFileSync(process.execPath, [tsc, "-p", join(folder, "tsconfig.json"), ...options, "--outDir", folder], {
    stdio: "inherit",
  })
}

/** Declarations of packages without types: no module imports them. */
function ownTypesOfPackages(): readonly string[] {
  return globSync("src/**/*.d.ts", { cwd: root }).filter((path) => !path.includes("/generated/"))
}

function declarationFiles(emitted: string, types: SchemaTypes): Files {
  return {
    resolve: (path, specifier) =>
      specifier.startsWith(".")
        ? join(dirname(path), specifier).replace(/(?<!\.d)\.(ts|js)$/, ".ts")
        : packages[specifier],
    specifier: (path, target) => {
      const found = relative(dirname(shippedPath(path)), shippedPath(target)).replace(/\.d\.ts$/, ".js")
      return found.startsWith(".") ? found : `./${found}`
    },
    read(path) {
      if (path.startsWith("node_modules/")) return readFileSync(join(root, path), "utf8")
      const emittedFile = join(emitted, path.replace(/^src\//, "").replace(/\.ts$/, ".d.ts"))
      if (!existsSync(emittedFile)) return readFileSync(join(root, path.replace(/\.ts$/, ".d.ts")), "utf8") // generated
      return writeOut(path, readFileSync(emittedFile, "utf8"), types.of(join(root, path)))
    },
  }
}

function shippedPath(path: string): string {
  const name = Object.keys(packages).find((one) => packages[one] === path)
  return name === undefined ? path.replace(/^src\//, "").replace(/\.ts$/, ".d.ts") : `packages/${name}.d.ts`
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
