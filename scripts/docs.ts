// Builds the documentation that `turnhouse serve` has at /docs/: `npm run docs`.
import { existsSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { root } from "./build/programs.ts"
import { writeSite } from "./docs/site.ts"

const site = join(root, "dist/web/docs")
const folder = `${site}.${process.pid}`
const old = `${folder}.old`
try {
  await writeSite(root, folder)
  if (existsSync(site)) renameSync(site, old) // by rename: a server that runs never sees half of a site
  renameSync(folder, site)
} finally {
  for (const rest of [folder, old]) rmSync(rest, { recursive: true, force: true })
}
console.log("dist/web/docs is built; 'turnhouse serve' has it at /docs/")
