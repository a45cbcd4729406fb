// Files of a folder that a prompt can mention: those of its git repository that are not ignored, else what is found a few
// levels below. Git runs without what a repository could make it start.
import { readdir } from "node:fs/promises"
import { join, relative } from "node:path"
import { git } from "../worktrees/git.ts"

const MAX_FILES = 50_000
const MAX_FOUND = 5000
const MAX_DEPTH = 6
const SKIPPED = new Set(["node_modules", "__pycache__", "target", "dist", "venv"])

export async function projectFiles(folder: string): Promise<readonly string[]> {
  const listed = await quietGit(folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
  if (listed.code !== 0) return foundFiles(folder)
  return listed.output
    .split("\0")
    .flatMap((file) => (file === "" ? [] : [file]))
    .slice(0, MAX_FILES)
}

/** Undefined outside of a repository, and where no branch is checked out. */
export async function branchOf(folder: string): Promise<string | undefined> {
  const { code, output } = await quietGit(folder, "symbolic-ref", "--short", "--quiet", "HEAD")
  return code === 0 && output !== "" ? output : undefined
}

function quietGit(folder: string, ...args: readonly string[]) {
  return git(folder, "--no-optional-locks", "-c", "core.fsmonitor=false", ...args)
}

async function foundFiles(root: string): Promise<readonly string[]> {
  const files: string[] = []
  let folders = [root]
  for (let depth = 0; depth < MAX_DEPTH && folders.length > 0 && files.length < MAX_FOUND; depth += 1) {
    const next: string[] = []
    for (const folder of folders) {
      for (const entry of await entriesOf(folder)) {
        if (entry.name.startsWith(".") || files.length >= MAX_FOUND) continue
        const path = join(folder, entry.name)
        if (entry.isDirectory() && !SKIPPED.has(entry.name)) next.push(path)
        if (entry.isFile()) files.push(relative(root, path))
      }
    }
    folders = next
  }
  return files
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch {
    return [] // not readable
  }
}
