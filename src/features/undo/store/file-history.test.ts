import { execFileSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { FileHistory, type TurnPlace } from "./file-history.ts"
import { pruneFolder, removeHistory } from "./prune-history.ts"

let root: string
let folder: string
let history: FileHistory
const sessionId = "01890000-0000-7000-8000-000000000001"

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "turnhouse-undo-")))
  folder = join(root, "work")
  mkdirSync(folder)
  history = new FileHistory(join(root, "home"))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(root, { recursive: true, force: true })
})

function place(name = "1"): TurnPlace {
  return { sessionId, turnId: `trn_${name}`, cwd: folder }
}

function write(path: string, text: string): void {
  mkdirSync(join(folder, path, ".."), { recursive: true })
  writeFileSync(join(folder, path), text)
}

const read = (path: string) => readFileSync(join(folder, path), "utf8")

function git(...args: string[]): string {
  return execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: folder, encoding: "utf8" })
}

function repository(): void {
  git("init", "-q")
  write("a.txt", "one\n")
  git("add", "-A")
  git("commit", "-qm", "first")
}

async function turn(change: () => void, name = "1") {
  await history.before(place(name))
  change()
  await history.after(place(name))
}

async function revert(name = "1", dryRun = false) {
  const { files } = await history.revert(place(name), { dryRun, endedAt: Date.now() })
  return Object.fromEntries(files.map(({ path, action }) => [path, action]))
}

describe("in a git repository", () => {
  beforeEach(repository)

  it("restores changed, deletes created and recreates deleted files, with modes and links", async () => {
    write("b/c.txt", "two\n")
    write("run.sh", "#!/bin/sh\n")
    symlinkSync("a.txt", join(folder, "link"))
    await turn(() => {
      write("a.txt", "changed\n")
      rmSync(join(folder, "b"), { recursive: true })
      write("new/deep/file", "new\n")
      chmodSync(join(folder, "run.sh"), 0o755)
      rmSync(join(folder, "link"))
      symlinkSync("b", join(folder, "link"))
    })
    expect(await revert()).toEqual({
      "a.txt": "restored",
      "b/c.txt": "recreated",
      "new/deep/file": "deleted",
      "run.sh": "restored",
      link: "restored",
    })
    expect([read("a.txt"), read("b/c.txt"), readlinkSync(join(folder, "link"))]).toEqual(["one\n", "two\n", "a.txt"])
    expect(statSync(join(folder, "run.sh")).mode & 0o111).toBe(0)
    expect(existsSync(join(folder, "new"))).toBe(false)
  })

  it("leaves index, HEAD, references and configuration of the user as they are", async () => {
    write("staged.txt", "staged\n")
    git("add", "staged.txt")
    const state = () => [
      git("status", "--porcelain"),
      git("for-each-ref"),
      git("rev-parse", "HEAD"),
      git("config", "-l"),
    ]
    const before = state()
    await turn(() => write("a.txt", "changed\n"))
    await revert()
    expect(state()).toEqual(before)
  })

  it("never overwrites a file that changed after the turn, and reverts the others", async () => {
    await turn(() => {
      write("a.txt", "changed\n")
      write("made.txt", "made\n")
    })
    write("a.txt", "by the user\n")
    expect(await revert()).toEqual({ "a.txt": "conflict", "made.txt": "deleted" })
    expect(read("a.txt")).toBe("by the user\n")
  })

  it("reports a created file that the user deleted as deleted, and one that became a folder as a conflict", async () => {
    await turn(() => {
      write("gone.txt", "made\n")
      write("a.txt", "changed\n")
    })
    rmSync(join(folder, "gone.txt"))
    rmSync(join(folder, "a.txt"))
    mkdirSync(join(folder, "a.txt"))
    expect(await revert()).toEqual({ "gone.txt": "deleted", "a.txt": "conflict" })
  })

  it("never writes through a link that took the place of a folder", async () => {
    write("sub/x.txt", "one\n")
    await turn(() => write("sub/x.txt", "two\n"))
    const outside = join(root, "outside")
    mkdirSync(outside)
    writeFileSync(join(outside, "x.txt"), "two\n")
    rmSync(join(folder, "sub"), { recursive: true })
    symlinkSync(outside, join(folder, "sub"))
    expect(await revert()).toEqual({ "sub/x.txt": "conflict" })
    expect(readFileSync(join(outside, "x.txt"), "utf8")).toBe("two\n")
  })

  it("goes back turn by turn, and a second run of the same undo completes it", async () => {
    await turn(() => write("a.txt", "two\n"), "1")
    await turn(() => write("a.txt", "three\n"), "2")
    expect(await revert("2")).toEqual({ "a.txt": "restored" })
    expect(read("a.txt")).toBe("two\n")
    expect(await revert("2")).toEqual({ "a.txt": "restored" })
    expect(await revert("1")).toEqual({ "a.txt": "restored" })
    expect(read("a.txt")).toBe("one\n")
  })

  it("with a dry run changes nothing", async () => {
    await turn(() => write("a.txt", "two\n"))
    expect(await revert("1", true)).toEqual({ "a.txt": "restored" })
    expect(read("a.txt")).toBe("two\n")
  })

  it("does not touch ignored files, and keeps contents byte for byte in spite of .gitattributes", async () => {
    write(".gitignore", "build/\n")
    write(".gitattributes", "* text=auto eol=lf filter=evil\n")
    write("dos.txt", "one\r\ntwo\r\n")
    write("build/out", "1")
    git("config", "filter.evil.clean", "touch evil; cat")
    await turn(() => {
      write("dos.txt", "changed")
      write("build/out", "2")
    })
    expect(await revert()).toEqual({ "dos.txt": "restored" })
    expect([read("dos.txt"), read("build/out")]).toEqual(["one\r\ntwo\r\n", "2"])
    expect(existsSync(join(folder, "evil"))).toBe(false)
  })

  it("names nested repositories and large files, which it does not have", async () => {
    mkdirSync(join(folder, "nested"))
    execFileSync("git", ["init", "-q"], { cwd: join(folder, "nested") })
    write("nested/x", "x")
    write("big [1].bin", "")
    execFileSync("truncate", ["-s", "21M", join(folder, "big [1].bin")])
    const { uncovered, problem } = await history.before(place())
    expect(problem).toBeUndefined()
    expect(uncovered).toEqual(["nested git repositories: nested/", "files over 20 MiB: big [1].bin"])
  })

  it("covers the whole repository for a session in one of its folders", async () => {
    write("sub/x", "1")
    const inSub = { ...place(), cwd: join(folder, "sub") }
    await history.before(inSub)
    write("a.txt", "changed\n")
    await history.after(inSub)
    expect(await revert()).toEqual({ "a.txt": "restored" })
  })

  it("judges by the time of each file where the host died before the state after the turn was recorded", async () => {
    await history.before(place())
    write("a.txt", "changed\n")
    const endedAt = Date.now() + 1000
    write("later.txt", "by the user\n")
    const later = lstatSync(join(folder, "later.txt")).ctimeMs
    const early = await history.revert(place(), { dryRun: true, endedAt: later - 10_000 })
    expect(early.files.map(({ action }) => action)).toEqual(["conflict", "conflict"])
    const { files, isLate } = await history.revert(place(), { dryRun: false, endedAt })
    expect({ files: files.length, isLate }).toEqual({ files: 2, isLate: true })
    expect(read("a.txt")).toBe("one\n")
  })

  it("removes the records of a deleted session, and old ones when a day has passed", async () => {
    await turn(() => write("a.txt", "two\n"))
    const home = join(root, "home")
    const { gitDir = "" } = await history.before(place())
    const gitPlace = { gitDir, workTree: folder, indexFile: join(gitDir, `index-${sessionId}`) }
    await pruneFolder(home, gitPlace, Date.now() + 2 * 86_400_000)
    expect(readdirSync(join(home, "snapshots/turns", sessionId))).toEqual(["trn_1.json"])
    await pruneFolder(home, gitPlace, Date.now() + 30 * 86_400_000)
    expect(readdirSync(join(home, "snapshots/turns", sessionId))).toEqual([])
    await removeHistory(home, sessionId)
    expect(existsSync(join(home, "snapshots/turns", sessionId))).toBe(false)
    expect(existsSync(join(gitDir, "refs/turnhouse", sessionId))).toBe(false)
  })
})

describe("elsewhere", () => {
  it("takes snapshots of a folder that is not a repository", async () => {
    write("a.txt", "one\n")
    write("node_modules/x", "1")
    await turn(() => {
      write("a.txt", "two\n")
      write("node_modules/x", "2")
    })
    expect(await revert()).toEqual({ "a.txt": "restored" })
    expect(existsSync(join(folder, ".git"))).toBe(false)
  })

  it("without git keeps the files that tools change, and says so", async () => {
    vi.stubEnv("PATH", root)
    write("a.txt", "one\n")
    const { problem } = await history.before(place())
    expect(problem).toBe("git is not installed")
    const files = [join(folder, "a.txt"), join(folder, "new.txt")]
    await history.keepFiles(place(), files)
    write("a.txt", "two\n")
    write("new.txt", "new\n")
    write("by-a-command.txt", "stays\n")
    await history.noteFiles(place(), files)
    const [changed = "", created = ""] = files
    expect(await revert()).toEqual({ [changed]: "restored", [created]: "deleted" })
    expect([read("a.txt"), readdirSync(folder)]).toEqual(["one\n", ["a.txt", "by-a-command.txt"]])
  })

  it("ignores a work tree elsewhere that the repository names", async () => {
    repository()
    mkdirSync(join(root, "elsewhere"))
    git("config", "core.worktree", join(root, "elsewhere"))
    expect((await history.before(place())).folder).toBe(folder)
  })

  it("prunes only its own store, although variables of git name other objects", async () => {
    repository()
    const { gitDir = "" } = await history.before(place())
    const program = join(root, "bin")
    mkdirSync(program)
    const report = join(root, "gc")
    const script = `#!/bin/sh\ncase "$*" in *"gc --quiet"*) env > ${report}.tmp; mv ${report}.tmp ${report};; esac\n`
    writeFileSync(join(program, "git"), script)
    chmodSync(join(program, "git"), 0o755)
    vi.stubEnv("PATH", `${program}:${process.env["PATH"] ?? ""}`)
    vi.stubEnv("GIT_OBJECT_DIRECTORY", join(folder, ".git/objects"))
    const shadow = { gitDir, workTree: folder, indexFile: join(gitDir, "index") }
    await pruneFolder(join(root, "home"), shadow, Date.now() + 2 * 24 * 60 * 60 * 1000)
    await expect.poll(() => existsSync(report)).toBe(true)
    const env = readFileSync(report, "utf8")
    expect(env).toContain(`GIT_DIR=${gitDir}`)
    expect(env).not.toContain("GIT_OBJECT_DIRECTORY")
  })

  it("takes none of the user's home folder", async () => {
    vi.stubEnv("HOME", folder)
    expect((await history.before(place())).problem).toContain("not a git repository and too large")
  })
})
