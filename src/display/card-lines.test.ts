import { describe, expect, it } from "vitest"
import type { FileChange, JsonValue } from "../contract/values.ts"
import { detailsText } from "./call-preview.ts"
import { exactArguments } from "./format.ts"
import { columnsOf, lineText } from "./spans.ts"
import { cardLines, type Card } from "./card-lines.ts"

const now = 1_000_000

function cardOf(tool: string, input: JsonValue, more: Partial<Card> = {}): Card {
  return {
    call: { tool, input },
    isEdited: false,
    folder: "~/code/shop-api",
    reason: "The configuration wants a confirmation for bash.",
    agent: undefined,
    place: { number: 1, count: 1 },
    askedAt: now - 12_000,
    expiresAt: undefined,
    choices: [
      { key: "y", label: "yes" },
      { key: "n", label: "no, tell the agent why" },
      { key: "a", label: 'always for "git push origin *"' },
    ],
    isReady: true,
    ...more,
  }
}

function linesOf(card: Card, columns = 60, rows = 40): readonly string[] {
  const lines = cardLines(card, { columns, rows, now }) ?? []
  return lines.map(lineText)
}

function innerText(line: string): string {
  return line.replaceAll("│", "").trim()
}

const push = { command: "git push origin main" }

describe("the card", () => {
  it("shows what a write changes in a file that exists, and the content of a new one", () => {
    const input = { path: "a.txt", content: "one\n2\n" }
    const lines = [
      { sign: " ", at: 1, text: "one" },
      { sign: "-", at: 2, text: "two" },
      { sign: "+", at: 2, text: "2\u202e" },
      { sign: "…", omitted: 7, unchanged: true },
    ] as const
    const cardFor = (more: Partial<FileChange>) => {
      const changes = [{ path: "a.txt", added: 1, removed: 1, lines: [], ...more }]
      return linesOf(cardOf("write", input, { call: { tool: "write", input, changes } })).slice(1, 6)
    }
    expect(cardFor({ lines }).map(innerText)).toEqual([
      "write  a.txt  +1 −1",
      "1   one",
      "2 - two",
      String.raw`2 + 2\u202e`,
      "… 7 unchanged lines",
    ])
    expect(cardFor({ isNew: true }).map(innerText).slice(0, 3)).toEqual(["write  a.txt  new file", "+ one", "+ 2"])
    expect(cardFor({}).map(innerText)[0]).toBe("write  a.txt  no line changes")
    const text = detailsText({
      tool: "write",
      input,
      changes: [{ path: "a.txt", added: 1, removed: 1, lines: [...lines] }],
    })
    expect(text.split("\n").slice(0, 3)).toEqual(["a.txt  +1 −1", "1   one", "2 - two"])
    expect(text).toContain(exactArguments(input))
  })

  it("shows the call, the folder, the reason and the keys", () => {
    expect(linesOf(cardOf("bash", push))).toEqual([
      "┌ approve ──────────────────────────────── asked 12 s ago ┐",
      "│ bash  git push origin main                              │",
      "│ in ~/code/shop-api                                      │",
      "│ why: The configuration wants a confirmation for bash.   │",
      "│                                                         │",
      "│ y yes   n no, tell the agent why                        │",
      '│ a always for "git push origin *"                        │',
      "└─────────────────────────────────────────────────────────┘",
    ])
  })

  it("shows the prompt of an MCP server as the model would get it", () => {
    const messages = [{ role: "user", text: "Name it.\nIgnore \u202eall." }]
    const input = { server: "shop", system: "Be short.", messages, maxTokens: 9 }
    expect(linesOf(cardOf("sampling", input)).slice(1, 6)).toEqual([
      "│ sampling  for MCP server 'shop'                         │",
      "│ system: Be short.                                       │",
      "│ user: Name it.                                          │",
      "│ Ignore \\u202eall.                                       │",
      "│ maxTokens: 9                                            │",
    ])
  })

  it("shows place, agent and time limit, and no keys before it is ready", () => {
    const more = {
      place: { number: 2, count: 3 },
      agent: "01890000-0000-7000",
      expiresAt: now + 300_000,
      isReady: false,
    }
    const text = linesOf(cardOf("bash", push, more)).join("\n")
    expect(text).toContain("2 of 3 · asked 12 s ago")
    expect(text).toContain("for agent 01890000-0000")
    expect(text).toContain("without an answer it is denied in 5 min")
    expect(text).not.toContain("y yes")
  })

  it.each([30, 40, 80, 200])(
    "every line fits %i columns and ends at the same one, also with wide characters",
    (columns) => {
      const command = `echo 日本語の長い文字列 ${"wide 漢字 ".repeat(40)}\n${"x".repeat(500)}`
      const lines = linesOf(cardOf("bash", { command, timeout: 30 }), columns)
      expect(new Set(lines.map(columnsOf))).toEqual(new Set([Math.min(100, columns - 1)]))
    },
  )

  it("folds a long call so that the card fits the window, and says how much is folded", () => {
    const command = Array.from({ length: 300 }, (_, line) => `echo ${line}`).join("\n")
    const lines = linesOf(cardOf("bash", { command }), 80, 20)
    expect(lines.length).toBeLessThanOrEqual(20)
    const text = lines.join("\n")
    expect(text).toContain("echo 0 ")
    expect(text).toContain("echo 299 ")
    expect(text).toMatch(/\+\d+ lines, d shows all/)
  })

  it.each([5, 7, 8, 9, 12, 20])("fits a window of %i rows with the call and the keys, or is not shown", (rows) => {
    const lines = linesOf(cardOf("bash", { command: "a\nb\nc\nd\ne\nf" }), 60, rows)
    expect(lines.length).toBeLessThanOrEqual(rows)
    const text = lines.join("\n")
    expect([text.includes("bash  a"), text.includes("│ f "), text.includes("y yes")]).toEqual(
      Array.from({ length: 3 }, () => rows >= 7),
    )
  })

  it("shows the change of a file", () => {
    const edit = { path: "src/refund.ts", old_string: "a\nb\n", new_string: "c\n", replace_all: true }
    const text = linesOf(cardOf("edit", edit)).join("\n")
    expect(text).toMatch(/│ edit {2}src\/refund.ts +│\n│ - a +│\n│ - b +│\n│ \+ c +│\n│ replace_all: true/)
    const several = { path: "a", edits: [edit, edit].map(({ old_string, new_string }) => ({ old_string, new_string })) }
    expect(linesOf(cardOf("edit", several)).filter((line) => line.startsWith("│ + c"))).toHaveLength(2)
    expect(linesOf(cardOf("write", { path: "a", content: "x\ny\n" })).join("\n")).toMatch(/\+ x +│\n│ \+ y/)
  })

  it("shows arguments of an unknown shape as they are", () => {
    const odd = { path: "a", old_string: "b", new_string: "c", edits: [{ old_string: "d", new_string: "e" }] }
    expect(linesOf(cardOf("edit", odd)).join("\n")).toContain('"new_string": "e"')
    expect(linesOf(cardOf("deploy", { to: "production" })).join("\n")).toContain('"to": "production"')
  })
})

describe("a command cannot hide a part of itself", () => {
  it.each([
    ["an escape sequence", "ls \u001b[2K\u001b[1A; rm x", "ls \\u001b[2K\\u001b[1A; rm x"],
    ["a carriage return", "rm x\rls", "rm x\\u000dls"],
    ["a change of direction", "ls \u202e; rm x", "ls \\u202e; rm x"],
    ["a zero-width character", "r\u200bm x", "r\\u200bm x"],
    ["an invisible letter", "ls \u3164 x", "ls \\u3164 x"],
    ["a blank that is none for the shell", "ls\u00a0x", "ls\\u00a0x"],
    ["many blanks", `ls${" ".repeat(500)}; rm x`, "ls 500 blanks ; rm x"],
    ["many empty lines", `ls${"\n".repeat(50)}rm x`, "49 empty lines"],
  ])("with %s", (_, command, shown) => {
    const lines = linesOf(cardOf("bash", { command }))
    expect(lines.join("\n")).toContain(shown)
    expect(lines.join("")).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  })

  it("by its length: the end is shown, and how much is left out", () => {
    const text = linesOf(cardOf("bash", { command: `echo ${"x".repeat(100_000)}; rm y` }), 80, 300).join("\n")
    expect(text).toContain("; rm y")
    expect(text).toMatch(/\+\d+ (characters|lines)/)
  })
})
