import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { distrustFolder, trustFolder } from "../trust/trust.ts"
import { importsIn } from "./imports.ts"
import { InstructionSource } from "./instruction-source.ts"
import { MAX_FILE_CHARACTERS, MAX_TOTAL_CHARACTERS } from "./read-instructions.ts"

let root: string
let userHome: string
let home: string
let repository: string

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "turnhouse-instructions-")))
  userHome = join(root, "user")
  home = join(userHome, ".turnhouse")
  repository = join(root, "repository")
  mkdirSync(home, { recursive: true })
  mkdirSync(join(repository, ".git"), { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, text: string, folder = repository): string {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

function source(cwd = repository, settingsFolder = cwd): InstructionSource {
  return new InstructionSource({ home, env: { HOME: userHome }, cwd, settingsFolder })
}

async function read(cwd = repository) {
  return source(cwd).read()
}

async function trusted(cwd = repository) {
  await trustFolder(home, repository)
  return read(cwd)
}

async function pathsOf(cwd = repository): Promise<readonly string[]> {
  return (await trusted(cwd)).files.map(({ path }) => path)
}

describe("instruction files", () => {
  it("are those of the user, then those from the repository's root down to the working folder", async () => {
    write("AGENTS.md", "own", home)
    write(".claude/CLAUDE.md", "as Claude Code has it", userHome)
    write("AGENTS.md", "root")
    write("packages/shop/CLAUDE.md", "shop")
    write("packages/other/AGENTS.md", "other")
    expect(await pathsOf(join(repository, "packages/shop"))).toEqual([
      "~/.turnhouse/AGENTS.md",
      "~/.claude/CLAUDE.md",
      "AGENTS.md",
      "packages/shop/CLAUDE.md",
    ])
  })

  it("include those that Claude Code reads in the folder .claude and beside CLAUDE.md", async () => {
    write("CLAUDE.local.md", "mine")
    write(".claude/CLAUDE.md", "in the folder")
    write("CLAUDE.md", "shared")
    expect(await pathsOf()).toEqual(["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"])
  })

  it("are only those of the working folder where there is no repository", async () => {
    rmSync(join(repository, ".git"), { recursive: true })
    write("AGENTS.md", "above")
    write("inner/AGENTS.md", "inner")
    await trustFolder(home, join(repository, "inner"))
    expect((await read(join(repository, "inner"))).files.map(({ text }) => text)).toEqual(["inner"])
  })

  it("are named but not read in a folder that is not trusted; those of the user are read", async () => {
    write("AGENTS.md", "own", home)
    write("CLAUDE.md", "of a stranger")
    const { files, unread, notices } = await read()
    expect(files.map(({ text }) => text)).toEqual(["own"])
    expect(unread).toEqual(["CLAUDE.md"])
    expect(notices).toEqual([
      `${repository}: CLAUDE.md not read: the folder is not trusted. Review, then run 'turnhouse trust ${repository}'.`,
    ])
  })

  it("are read when the working folder or a folder up to the repository's root is trusted, and not otherwise", async () => {
    write("AGENTS.md", "root")
    const inner = join(repository, "inner")
    mkdirSync(inner)
    await trustFolder(home, inner)
    expect((await read(inner)).files).toHaveLength(1)
    expect((await read()).files).toEqual([])
    await distrustFolder(home, inner)
    await trustFolder(home, repository)
    expect((await read(inner)).files).toHaveLength(1)
  })

  it("of a repository inside a trusted one are not covered by its trust", async () => {
    write("AGENTS.md", "outer")
    write("vendor/strange/AGENTS.md", "strange")
    mkdirSync(join(repository, "vendor/strange/.git"))
    await trustFolder(home, repository)
    expect((await read(join(repository, "vendor/strange"))).files).toEqual([])
  })

  it("of a worktree made for the session are read by the trust of the folder whose settings apply", async () => {
    write("AGENTS.md", "root")
    const worktree = join(root, "worktree")
    write("AGENTS.md", "in the worktree", worktree)
    write(".git", "gitdir: elsewhere", worktree)
    await trustFolder(home, repository)
    expect((await source(worktree, repository).read()).files.map(({ text }) => text)).toEqual(["in the worktree"])
  })

  it("stay read when a project file of the trusted folder changes, and when they change themselves", async () => {
    write("AGENTS.md", "one")
    const files = source()
    await trustFolder(home, repository)
    expect((await files.read()).files[0]?.text).toBe("one")
    write("turnhouse.json", "{}")
    write("AGENTS.md", "two, changed")
    expect((await files.read()).files[0]?.text).toBe("two, changed")
  })

  it("are the same object until something changes: a file, an import, the trust", async () => {
    write("AGENTS.md", "see @more.md")
    await trustFolder(home, repository)
    const files = source()
    const first = await files.read()
    expect(await files.read()).toBe(first)
    write("more.md", "more")
    const second = await files.read()
    expect(second.files.map(({ text }) => text)).toEqual(["see @more.md", "more"])
    expect(await files.read()).toBe(second)
    await distrustFolder(home, repository)
    expect((await files.read()).files).toEqual([])
  })

  it("are sent once when one is a link to, a copy of, or only an import of the other", async () => {
    write("AGENTS.md", "the rules")
    for (const make of [
      () => symlinkSync("AGENTS.md", join(repository, "CLAUDE.md")),
      () => write("CLAUDE.md", "the rules\n"),
      () => write("CLAUDE.md", "@AGENTS.md\n"),
    ]) {
      make()
      expect((await trusted()).files.map(({ text }) => text)).toEqual(["the rules"])
      rmSync(join(repository, "CLAUDE.md"))
    }
  })

  it("that are too long are cut, each and in total, and a notice says so", async () => {
    write("AGENTS.md", "a".repeat(MAX_FILE_CHARACTERS + 10))
    write("in/AGENTS.md", "b".repeat(MAX_FILE_CHARACTERS))
    write("in/CLAUDE.md", "c".repeat(100))
    const { files, notices } = await trusted(join(repository, "in"))
    expect(files.map(({ characters }) => characters)).toEqual([MAX_FILE_CHARACTERS, MAX_FILE_CHARACTERS])
    expect(files[0]?.cutFromBytes).toBe(MAX_FILE_CHARACTERS + 10)
    expect(notices).toEqual([
      `AGENTS.md is cut after ${MAX_FILE_CHARACTERS} characters; it has ${MAX_FILE_CHARACTERS + 10} bytes.`,
      `in/CLAUDE.md is not read: there are already ${MAX_TOTAL_CHARACTERS} characters of instructions.`,
    ])
  })

  it("of 2 GB are read no further than the limit", async () => {
    truncateSync(write("AGENTS.md", "x".repeat(200_000)), 2 ** 31)
    expect((await trusted()).files[0]?.characters).toBe(MAX_FILE_CHARACTERS)
  })

  it("that are no text, no file or a pipe without a writer are named and skipped", async () => {
    write("AGENTS.md", "a\0b")
    execFileSync("mkfifo", [join(repository, "CLAUDE.md")])
    const { files, notices } = await trusted()
    expect(files).toEqual([])
    expect(notices).toEqual([
      "AGENTS.md is not read: it is not text in UTF-8.",
      "CLAUDE.md is not read: it is not a regular file.",
    ])
  })
})

describe("imports", () => {
  it.each([
    ["see @docs/a.md and @./b.md.", [["docs/a.md"], ["./b.md.", "./b.md"]]],
    ["@~/x.md\n@/etc/motd", [["~/x.md"], ["/etc/motd"]]],
    ["@with\\ space.md", [["with space.md"]]],
    ["mail me@example.com", []],
    ["`@a.md` and ``x ` @b.md`` @c.md", [["c.md"]]],
    ["```\n@a.md\n```\n@b.md", [["b.md"]]],
    ["~~~~\n@a.md\n~~~\n@b.md\n~~~~\n@c.md", [["c.md"]]],
    ["an open ` tick @a.md", [["a.md"]]],
  ])("of %j are %j", (text, expected) => {
    expect(importsIn(text)).toEqual(expected)
  })

  it("follow their file, relative to it, each once, at most five deep, and loops end", async () => {
    write("AGENTS.md", "first @docs/1.md and @someone")
    for (const at of [1, 2, 3, 4, 5, 6]) write(`docs/${at}.md`, `${at} @${at + 1}.md @../AGENTS.md @${at}.md`)
    const { files, notices } = await trusted()
    expect(files.map(({ path }) => path)).toEqual([
      "AGENTS.md",
      "docs/1.md",
      "docs/2.md",
      "docs/3.md",
      "docs/4.md",
      "docs/5.md",
    ])
    expect(files[2]?.importedBy).toBe("docs/1.md")
    expect(notices).toEqual(["docs/5.md: its imports are not read: they are more than 5 files deep."])
  })

  it("of a project reach no file outside its repository, also through a link, and not its .git folder", async () => {
    write(".ssh/id_rsa", "key", userHome)
    write(".claude/.credentials.json", "token", userHome)
    write(".git/config", "[core]")
    symlinkSync(join(userHome, ".ssh/id_rsa"), join(repository, "link.md"))
    write("AGENTS.md", "@~/.ssh/id_rsa @link.md @../user/.ssh/id_rsa @~/.claude/.credentials.json @.git/config @.")
    const { files, notices } = await trusted()
    expect(files.map(({ path }) => path)).toEqual(["AGENTS.md"])
    expect(notices).toEqual([
      "~/.ssh/id_rsa, imported by AGENTS.md, is not read: it is outside the repository.",
      "link.md, imported by AGENTS.md, is not read: it is outside the repository.",
      "~/.ssh/id_rsa, imported by AGENTS.md, is not read: it is outside the repository.",
      "~/.claude/.credentials.json, imported by AGENTS.md, is not read: it is outside the repository.",
      ".git/config, imported by AGENTS.md, is not read: it is in the repository's .git folder.",
    ])
  })

  it("of a project's file that is itself a link to the outside are not reached", async () => {
    symlinkSync(write(".ssh/id_rsa", "key", userHome), join(repository, "AGENTS.md"))
    expect(await trusted()).toMatchObject({
      files: [],
      notices: ["AGENTS.md is not read: it is outside the repository."],
    })
  })

  it("of a project may be Markdown files in the user's instruction folders", async () => {
    write(".claude/shop.md", "private notes @~/notes.md", userHome)
    write("notes.md", "other", userHome)
    write("CLAUDE.md", "see @~/.claude/shop.md")
    const { files, notices } = await trusted()
    expect(files.map(({ path }) => path)).toEqual(["CLAUDE.md", "~/.claude/shop.md"])
    expect(notices).toHaveLength(1)
  })

  it("of the user's own file may be anywhere", async () => {
    write("notes.md", "notes", userHome)
    write(".claude/CLAUDE.md", "see @~/notes.md", userHome)
    expect((await read()).files.map(({ path }) => path)).toEqual(["~/.claude/CLAUDE.md", "~/notes.md"])
  })

  it("in a loop of links are named, not followed", async () => {
    symlinkSync("b.md", join(repository, "a.md"))
    symlinkSync("a.md", join(repository, "b.md"))
    write("AGENTS.md", "@a.md")
    expect((await trusted()).notices[0]).toMatch(/^a\.md, imported by AGENTS\.md, is not read: it cannot be read: /)
  })
})
