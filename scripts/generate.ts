// Writes what follows from the schemas: checkers without a dependency into src/**/generated, because importing zod takes
// longer than starting the whole program, and JSON Schemas into spec/schemas for clients in other languages.
// Only the JSON Schemas are committed: with `--check` they are compared instead of written.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { artefacts } from "./artefacts.ts"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const isChecking = process.argv.includes("--check")
const stale: string[] = []

for (const [path, text] of artefacts()) {
  const file = join(root, path)
  if (existsSync(file) && readFileSync(file, "utf8") === text) continue
  if (isChecking && path.startsWith("spec/schemas/")) stale.push(path)
  else replaceFile(file, text)
}

if (stale.length > 0) {
  console.error(`not up to date: ${stale.join(", ")}. Run 'npm run generate' and commit the result.`)
  process.exitCode = 1
}

/** By rename, so that a program that starts meanwhile never imports half a file. */
function replaceFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  const temporary = `${file}.${process.pid}`
  writeFileSync(temporary, text)
  renameSync(temporary, file)
}
