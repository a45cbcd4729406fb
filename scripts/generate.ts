// Writes everything that follows from the schemas in src/contract: JSON Schemas into spec/schemas, and checkers
// without a dependency into src/contract/generated, because loading zod costs more than starting the whole program.
// `--check` writes nothing and fails when a file is not current.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { artefacts } from "./artefacts.ts"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const checkOnly = process.argv.includes("--check")
const stale: string[] = []

for (const [path, text] of artefacts()) {
  const file = join(root, path)
  if (existsSync(file) && readFileSync(file, "utf8") === text) continue
  if (checkOnly) {
    stale.push(path)
    continue
  }
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  console.log(`wrote ${path}`)
}

if (stale.length > 0) {
  console.error(`not current: ${stale.join(", ")}; run 'npm run generate' and commit the result`)
  process.exitCode = 1
}
