// Fetches the corpora with apt-get, which must know the sources of Debian 12, and unpacks their pages. Nothing is
// installed into the system.
//   node bench/knowledge/install.ts            those that are missing
//   node bench/knowledge/install.ts postgres   only these
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { corpora, corporaFolder, type Corpus } from "./corpora.ts"

const names = process.argv.slice(2)
const unknown = names.find((name) => !corpora.some((corpus) => corpus.name === name))
if (unknown !== undefined) {
  console.error(`no corpus '${unknown}'. Choose from: ${corpora.map(({ name }) => name).join(", ")}`)
  process.exit(2)
}
for (const corpus of corpora) if (names.length === 0 || names.includes(corpus.name)) install(corpus)

function install({ name, package: packageName, folder, licence }: Corpus): void {
  const target = join(corporaFolder, name)
  if (existsSync(target)) return console.log(`${name}: is there already`)
  const work = mkdtempSync(join(tmpdir(), "turnhouse-corpus-"))
  try {
    execFileSync("apt-get", ["download", packageName], { cwd: work, stdio: ["ignore", "ignore", "pipe"] })
    const [file] = globSync("*.deb", { cwd: work })
    if (file === undefined) throw new Error(`apt-get downloaded nothing for ${packageName}`)
    execFileSync("dpkg-deb", ["--extract", file, join(work, "unpacked")], { cwd: work })
    mkdirSync(corporaFolder, { recursive: true })
    const version = decodeURIComponent(basename(file).split("_")[1] ?? "?")
    cpSync(join(work, "unpacked", folder), target, { recursive: true, filter: isPageOrFolder })
    writeFileSync(join(corporaFolder, `${name}.version`), `${packageName} ${version}\n`)
    console.log(
      `${name}: ${packageName} ${version}, ${licence}, ${globSync("**/*.html", { cwd: target }).length} pages`,
    )
  } finally {
    rmSync(work, { recursive: true })
  }
}

/** Pages only: not their pictures, scripts and copies in other formats. */
function isPageOrFolder(path: string): boolean {
  return path.endsWith(".html") || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
