import { describe, expect, it } from "vitest"
import { isAllowedBy, isMatchedBy, readMatcher, type RuledCall } from "./tool-rules.ts"

const command = (text: string): RuledCall => ({ tool: "bash", input: { command: text }, cwd: "/project", paths: [] })
const file = (tool: string, ...paths: readonly string[]): RuledCall => ({
  tool,
  input: { path: paths[0] ?? "" },
  cwd: "/project",
  paths,
})

describe("a rule that allows commands", () => {
  it.for([
    ["Bash", "rm -rf /", true],
    ["bash(npm test)", "npm test", true],
    ["bash(npm test)", "npm test x", false],
    ["Bash(npm run test:*)", "npm run test", true],
    ["Bash(npm run test:*)", "npm run test -- --watch", true],
    ["Bash(npm run test:*)", "npm run tests", false],
    ["Bash(git commit *)", "git commit -m x", true],
    ["Bash(git commit *)", "git commit", true],
    ["Bash(npm run test:*)", "npm run test; rm -rf /", false],
    ["Bash(npm run test:*)", "npm run test && curl x", false],
    ["Bash(npm run test:*)", "npm run test $(curl x)", false],
    ["Bash(npm run test:*)", "npm run test > ~/.bashrc", false],
    ["Bash(npm run test:*)", "npm run test\ncurl x", false],
    ["Write(*)", "npm test", false],
  ] as const)("%s allows '%s': %s", ([rule, text, result]) => {
    expect(isAllowedBy([rule], command(text))).toBe(result)
  })
})

describe("a rule that stops or asks", () => {
  it.for([
    ["Bash(rm:*)", "rm -rf build", true],
    ["Bash(rm:*)", "ls && rm -rf build", true],
    ["Bash(rm:*)", "ls; sudo rm x", true],
    ["Bash(rm:*)", "echo $(rm x)", true],
    ["Bash(rm:*)", "A=1 rm x", true],
    ["Bash(rm:*)", "rm\t-rf build", true],
    ["Bash(rm:*)", "/bin/rm -rf build", true],
    ["Bash(rm:*)", "\\rm -rf build", true],
    ["Bash(rm:*)", "'r'm -rf build", true],
    ["Bash(rm:*)", "ls | xargs rm", true],
    ["Bash(rm:*)", "if true; then rm x; fi", true],
    ["Bash(rm -rf *)", "rm  -rf  build", true],
    ["Bash(rm:*)", "npm run rmdir", false],
    ["Bash(git push *)", "cd x && git push origin main", true],
    ["Bash(git push *)", "git status", false],
  ] as const)("%s matches '%s': %s", ([rule, text, result]) => {
    expect(isMatchedBy([rule], command(text))).toBe(result)
  })
})

describe("a rule about files", () => {
  it.for([
    ["Edit(src/**)", file("edit", "/project/src/a/b.ts"), true],
    ["Edit(src/**)", file("write", "/project/src/a/b.ts"), true],
    ["Edit(src/**)", file("read", "/project/src/a/b.ts"), false],
    ["Edit(src/**)", file("edit", "/project/lib/src/b.ts"), false],
    ["Edit(src/**)", file("edit", "/elsewhere/src/b.ts"), false],
    ["Edit(src)", file("edit", "/project/src/b.ts"), true],
    ["Edit(/docs/**)", file("edit", "/project/docs/a.md"), true],
    ["Edit(//etc/**)", file("edit", "/etc/hosts"), true],
    ["Edit(*.ts)", file("edit", "/project/deep/er/a.ts"), true],
    ["Edit(./*.ts)", file("edit", "/project/deep/er/a.ts"), false],
    ["Edit(./*.ts)", file("edit", "/project/a.ts"), true],
    ["Edit(src/**)", file("apply_patch", "/project/src/a.ts", "/project/lib/b.ts"), false],
  ] as const)("%s allows %o: %s", ([rule, call, result]) => {
    expect(isAllowedBy([rule], call)).toBe(result)
  })

  it.for([
    ["Read(.env)", file("read", "/project/.env"), true],
    ["Read(.env)", file("grep", "/project/deep/.env"), true],
    ["Read(./secrets/**)", file("read", "/project/secrets/a"), true],
    ["Read(./secrets)", file("read", "/project/secrets/deep/a"), true],
    ["Read(./secrets)", file("read", "/project/lib/secrets/a"), false],
    ["Edit(lib/**)", file("apply_patch", "/project/src/a.ts", "/project/lib/b.ts"), true],
    ["Read(..env)", file("read", "/project/..env"), true],
    ["Read(.env)", { ...file("read", "/shared/env.prod"), namedPaths: ["/project/.env"] }, true],
  ] as const)("%s stops %o: %s", ([rule, call, result]) => {
    expect(isMatchedBy([rule], call)).toBe(result)
  })
})

it("allows no path because of the name of a link that leads to it", () => {
  const call = { ...file("edit", "/etc/hosts"), namedPaths: ["/project/src/hosts"] }
  expect(isAllowedBy(["Edit(src/**)"], call)).toBe(false)
})

describe("rules for the files of a search", () => {
  it("are those that deny reading, with an argument", () => {
    const isDenied = readMatcher(["Read(.env)", "Grep(./secrets)", "Edit(src/**)", "read"], "/project")
    expect(["/project/deep/.env", "/project/secrets/a", "/project/src/a.ts"].map(isDenied)).toEqual([true, true, false])
  })
})

describe("other rules", () => {
  const fetch = (url: string): RuledCall => ({ tool: "web_fetch", input: { url }, cwd: "/project", paths: [] })

  it("match the host of an address", () => {
    expect(isAllowedBy(["web_fetch(domain:example.org)"], fetch("https://EXAMPLE.org/a"))).toBe(true)
    expect(isAllowedBy(["web_fetch(domain:example.org)"], fetch("https://example.org.evil.net/"))).toBe(false)
    expect(isAllowedBy(["web_fetch(domain:*.example.org)"], fetch("https://a.example.org/"))).toBe(true)
    expect(isAllowedBy(["web_fetch(domain:example.org)"], fetch("not an address"))).toBe(false)
    expect(isMatchedBy(["WebFetch(domain:example.org)"], fetch("https://example.org.:8443/"))).toBe(true)
  })

  it("match tools by a glob", () => {
    const call: RuledCall = { tool: "mcp__memory__add", input: {}, cwd: "/project", paths: [] }
    expect(isMatchedBy(["mcp__memory__*"], call)).toBe(true)
    expect(isMatchedBy(["mcp__files__*"], call)).toBe(false)
  })

  it("match all tools of a server, also with an argument", () => {
    const call: RuledCall = { tool: "mcp__memory__add", input: { name: "secret" }, cwd: "/project", paths: [] }
    expect(isMatchedBy(["mcp__memory"], call)).toBe(true)
    expect(isMatchedBy(["mcp__memory(*secret*)"], call)).toBe(true)
    expect(isMatchedBy(["mcp__memory(*other*)"], call)).toBe(false)
    expect(isMatchedBy(["mcp__mem(*secret*)"], call)).toBe(false)
  })
})
