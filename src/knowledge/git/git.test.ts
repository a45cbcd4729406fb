import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { sourceRuns, type SourceRuns } from "../fixtures/source-runs.ts"

let runs: SourceRuns
let repository: string

beforeEach(() => {
  runs = sourceRuns()
  repository = join(runs.folder, "repo")
  git("init", "--quiet", "--initial-branch=main", repository)
})
afterEach(() => runs.delete())

function git(...args: readonly string[]): string {
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
  }
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"]
  return execFileSync("git", [...identity, ...args], { env, encoding: "utf8" }).trim()
}

function commit(files: Readonly<Record<string, string | Buffer>>): void {
  for (const [name, content] of Object.entries(files)) runs.write(join("repo", name), content)
  git("-C", repository, "add", "--all")
  git("-C", repository, "commit", "--quiet", "--allow-empty", "-m", "x")
}

const read = (root = repository, options = {}) =>
  runs.run({ kind: "git", root, prefix: "repo/", options: { include: [], exclude: [], ...options } })

describe("a git repository", () => {
  it("gives the text files of its newest commit, and of later ones what changed", async () => {
    commit({
      "README.md": "# Hello",
      "src/a.c": "int main;",
      "page.html": "<h1>Page</h1>",
      "x.bin": Buffer.from([1, 0, 2]),
    })
    runs.write("repo/untracked.md", "no")
    const first = await read()
    expect(first).toMatchObject({ outcome: "done", note: expect.stringContaining("1 files that are not text") })
    expect(runs.names()).toEqual(["repo/README.md", "repo/page.html", "repo/src/a.c"])
    git("-C", repository, "mv", "README.md", "START.md")
    git("-C", repository, "reset", "--quiet", "--", "untracked.md")
    commit({ "src/a.c": "int other;", "untracked.md": "now tracked" })
    expect(await read()).toMatchObject({
      added: ["repo/START.md", "repo/untracked.md"],
      changed: ["repo/src/a.c"],
      removed: ["repo/README.md"],
      unchanged: 1,
    })
  })

  it("is read by an address as well, with patterns", async () => {
    commit({ "a.md": "A", "docs/b.md": "B", "docs/old/c.md": "C", "d.txt": "D" })
    await read(`file://${repository}`, { include: ["docs/**", "d.txt"], exclude: ["docs/old/**"] })
    expect(runs.names()).toEqual(["repo/d.txt", "repo/docs/b.md"])
  })

  it("with hostile names and links only ever gives documents", async () => {
    const names = ["--option.md", "a\nb.md", "-rf", "$(touch x).md", "ümlaut.md", ".hidden/x.md"]
    commit(Object.fromEntries(names.map((name) => [name, `text of ${name}`])))
    symlinkSync("/etc/passwd", join(repository, "passwd.md"))
    symlinkSync("..", join(repository, "up"))
    commit({})
    expect(await read()).toMatchObject({ outcome: "done", problems: [] })
    expect(runs.names()).toEqual(names.map((name) => `repo/${name}`).toSorted())
    expect(existsSync("x")).toBe(false)
  })

  it("runs nothing that the repository brings: hooks, filters, its own configuration", async () => {
    const trace = join(runs.folder, "ran")
    const script = join(runs.folder, "evil.sh")
    writeFileSync(script, `#!/bin/sh\ntouch ${trace}\ncat\n`)
    chmodSync(script, 0o755)
    commit({
      "a.md": "text",
      ".gitattributes": "*.md filter=evil diff=evil",
      ".gitmodules": `[submodule "x"]\n\tpath = x\n\turl = ext::${script}\n`,
    })
    const settings = {
      "core.fsmonitor": script,
      "core.sshCommand": script,
      "core.pager": script,
      "core.editor": script,
      "core.hooksPath": runs.folder,
      "core.alternateRefsCommand": script,
      "uploadpack.packObjectsHook": script,
      "filter.evil.smudge": script,
      "filter.evil.clean": script,
      "diff.evil.textconv": script,
      "remote.origin.uploadpack": script,
      "credential.helper": `!${script}`,
    }
    for (const [name, value] of Object.entries(settings)) git("-C", repository, "config", name, value)
    mkdirSync(join(repository, ".git/hooks"), { recursive: true })
    for (const hook of ["post-checkout", "reference-transaction", "post-index-change"]) {
      writeFileSync(join(repository, ".git/hooks", hook), `#!/bin/sh\ntouch ${trace}\n`)
      chmodSync(join(repository, ".git/hooks", hook), 0o755)
    }
    expect(await read()).toMatchObject({ outcome: "done" })
    expect(runs.names()).toContain("repo/a.md")
    expect(existsSync(trace)).toBe(false)
  })

  it.for([
    ["ext::sh -c touch% /tmp/no", "ext::"],
    ["--upload-pack=touch x", "--upload-pack"],
    ["http://127.0.0.1:1/x.git", "http"],
  ])("is not fetched from %s", async ([address]) => {
    expect(await read(address)).toMatchObject({ outcome: "failed", note: expect.stringContaining("cannot be fetched") })
  })

  it("that is empty, gone or no repository is a failure that keeps the documents", async () => {
    expect(await read()).toMatchObject({ outcome: "failed" })
    commit({ "a.md": "text" })
    await read()
    git("-C", repository, "update-ref", "-d", "HEAD")
    expect(await read()).toMatchObject({ outcome: "failed", removed: [] })
    expect(await read(join(runs.folder, "nothing"))).toMatchObject({ outcome: "failed" })
    expect(runs.names()).toEqual(["repo/a.md"])
  })

  it("is fetched again when its copy is damaged or was left locked", async () => {
    commit({ "a.md": "one" })
    await read()
    const [copy = ""] = execFileSync("ls", [join(runs.folder, "cache")], { encoding: "utf8" }).split("\n")
    writeFileSync(join(runs.folder, "cache", copy, "shallow.lock"), "")
    commit({ "a.md": "two" })
    expect(await read()).toMatchObject({ changed: ["repo/a.md"] })
    writeFileSync(join(runs.folder, "cache", copy, "HEAD"), "damaged")
    commit({ "a.md": "three" })
    expect(await read()).toMatchObject({ changed: ["repo/a.md"] })
  })
})
