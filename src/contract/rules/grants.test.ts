import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { commandPattern } from "./command-pattern.ts"
import { offeredPattern, permits } from "./grants.ts"

const bash = (pattern: string, command: string) => permits({ tool: "bash", pattern }, { command })
const write = (pattern: string, path: string, outside: readonly string[] = []) =>
  permits({ tool: "write", pattern }, { path, content: "" }, outside)

const operators = [";", "&", "&&", "|", "||", "<", ">", ">>", "$(", "$", "`", "\n", "\r", "(", ")", "\0", "\u001b"]
const word = fc.stringMatching(/^[a-z0-9./-]{0,8}$/)

describe("a permission for commands", () => {
  it.each([
    ["npm test *", "npm test -- refund", true],
    ["npm test *", 'npm test -- -t "rounds cents"', true],
    ["npm test *", "npm test", false],
    ["npm test *", "npm tests x", false],
    ["npm test *", "npm test x; rm -rf /", false],
    ["npm test *", "npm test x && rm -rf /", false],
    ["npm test *", "npm test x | sh", false],
    ["npm test *", "npm test $(rm -rf /)", false],
    ["npm test *", "npm test `rm -rf /`", false],
    ["npm test *", "npm test x\nrm -rf /", false],
    ["npm test *", "npm test > ~/.bashrc", false],
    ["npm test *", "npm test < /etc/passwd", false],
    ["npm test *", "npm test x & rm -rf /", false],
    ["git push * --dry-run", "git push origin --dry-run", true],
    ["git push * --dry-run", "git push origin # --dry-run", false],
    ['echo * "; rm -rf /"', 'echo " "; rm -rf /"', false],
    ["cd web && npm test *", "cd web && npm test -- a", true],
    ["cd web && npm test *", "cd web && npm test -- a && rm x", false],
    ["git fetch *", "git fetch --upload-pack='touch x' .", false],
    ["git fetch *", "git fetch --up'load-pack=touch x' .", false],
    ["git fetch *", "git fetch --up{load-pack=id,} .", false],
    ["git fetch *", "git fetch --up{load-pack=id{},} .", false],
    ["git fetch *", "git fetch origin main", true],
    ["git push origin *", "git push origin --receive-pack=id", false],
    ["git push origin *", "git push origin --recurse-submodules=check", true],
    ["git diff *", "git diff --output=../x", false],
    ["git commit *", 'git commit -m "fix {a}"', true],
    ["go test *", "go test -exec id ./x", false],
    ["make; make install", "make; make install", true],
    ["rm *.o", "rm *.o", true],
    ["*", "make; make install", true],
  ])("%j, %j: %s", (pattern, command, covered) => {
    expect(bash(pattern, command)).toBe(covered)
  })

  it("never covers a shell operator that is not in the pattern", () => {
    const parts = fc.tuple(word, fc.constantFrom(...operators), word, fc.constantFrom("", " ", '"', "'", "\\"))
    const pattern = fc.constantFrom("npm test *", "npm * --fast", "* test", "n*p*t *")
    fc.assert(
      fc.property(pattern, parts, fc.nat(2), (glob, [before, operator, after, quote], place) => {
        const stars = glob.split("*")
        const text = `${quote}${before}${operator}${after}${quote}`
        const command = stars.map((literal, at) => literal + (at === place % (stars.length - 1) ? text : "")).join("")
        expect(bash(glob, command)).toBe(false)
      }),
    )
  })

  it("covers no more than the same pattern as plain text", () => {
    const text = fc.string({ unit: fc.constantFrom("a", " ", ";", '"', "*", "$", "#"), maxLength: 12 })
    const pattern = fc.string({ unit: fc.constantFrom("a", " ", "*", ";"), minLength: 2, maxLength: 8 })
    fc.assert(
      fc.property(pattern, text, (glob, command) => {
        fc.pre(!/^\*+$/.test(glob) && glob !== command)
        const count = (line: string) => line.split(/[;$]/).length
        expect(bash(glob, command) && count(command) > count(glob)).toBe(false)
      }),
    )
  })
})

describe("a permission for paths", () => {
  it.each([
    ["src/*", "src/a.ts", [], true],
    ["src/*", "src/../../etc/passwd", ["/etc/passwd"], false],
    ["src/*", "src/../package.json", [], false],
    ["src/*", "src/link", ["/etc/passwd"], false],
    ["*", "notes.txt", [], true],
    ["*", "/etc/passwd", ["/etc/passwd"], false],
    ["/data/*", "/data/a.csv", ["/data/a.csv"], true],
    ["/data/*", "/data/link", ["/etc/passwd"], false],
    ["/etc/hosts", "/etc/hosts", ["/etc/hosts"], true],
  ])("%j, %j outside %j: %s", (pattern, path, outside, covered) => {
    expect(write(pattern, path, outside)).toBe(covered)
  })
})

describe("the permission that is offered", () => {
  it.each([
    ["git push origin main", "git push origin *"],
    ["git push", "git push"],
    ["git push --force origin main", "git push --force origin main"],
    ["npm test -- refund", "npm test *"],
    ["npm run build -- --watch", "npm run build *"],
    ["npm run build", "npm run build"],
    ['git commit -m "fix the cent"', "git commit *"],
    ["npm test; rm -rf /", "npm test; rm -rf /"],
    ["npm test $(cat x)", "npm test $(cat x)"],
    ["rm -rf build", "rm -rf build"],
    ["sudo npm test x", "sudo npm test x"],
    ["FOO=1 npm test x", "FOO=1 npm test x"],
    ["npm  test x", "npm  test x"],
    ["npm\ttest\nx", "npm\ttest\nx"],
  ])("for %j is %j", (command, pattern) => {
    expect(commandPattern(command)).toBe(pattern)
    expect(offeredPattern("bash", { command })).toBe(pattern)
  })

  it("is none where the exact text would match others", () => {
    expect(offeredPattern("bash", { command: "git fetch --upload-pack=x ." })).toBeUndefined()
    expect(offeredPattern("bash", { command: "rm *.o" })).toBeUndefined()
    expect(offeredPattern("deploy", { to: "*" })).toBeUndefined()
  })

  it("is every file of the folder for tools that change files", () => {
    expect(offeredPattern("edit", { path: "src/a.ts" })).toBe("*")
    expect(offeredPattern("edit", { path: "../a.ts" })).toBe("../a.ts")
    expect(offeredPattern("write", { path: "/etc/hosts" })).toBe("/etc/hosts")
    expect(offeredPattern("read", { path: "/etc/hosts" })).toBe("/etc/hosts")
  })

  it("covers the call it is offered for, and never a shell operator more", () => {
    const piece = fc.constantFrom("git", "push", "npm", "test", "run", "origin", "x", "-v", ";", "&&", '"a b"', "$(x)")
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (words) => {
        const command = words.join(" ")
        const pattern = offeredPattern("bash", { command })
        expect(pattern !== undefined && bash(pattern, command)).toBe(true)
        expect(pattern !== undefined && bash(pattern, `${command}; id`)).toBe(false)
      }),
    )
  })
})
