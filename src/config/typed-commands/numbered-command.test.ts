import { describe, expect, it } from "vitest"
import { fillNumbered, readNumberedCommand, type NumberedCommand } from "./numbered-command.ts"

function command(path: string, text: string): NumberedCommand {
  const read = readNumberedCommand(path, text)
  if (read.kind === "unfit") throw new Error(read.why)
  return read.command
}

function filled(text: string, ...args: readonly string[]): string {
  const answer = fillNumbered(command("x.md", text), args)
  return answer.kind === "prompt" ? answer.text : answer.kind
}

describe("a command file of Claude Code", () => {
  it("has its folders in its name, and its own hint about arguments", () => {
    const text =
      "---\nallowed-tools: Bash(git add:*), Read\nargument-hint: [pr] [priority]\ndescription: Use: it\n---\nReview $1\n"
    expect(command("front/review.md", text)).toEqual({
      name: "front:review",
      description: "Use: it",
      usage: "[pr] [priority]",
      body: "Review $1",
    })
  })

  it("needs no front matter", () => {
    expect(command("fix.md", "Fix it.\nNow.")).toEqual({
      name: "fix",
      description: "Fix it.",
      usage: "",
      body: "Fix it.\nNow.",
    })
    expect(command("fix.md", "Fix $ARGUMENTS").usage).toBe("[text]")
  })

  it.each([
    ["a b.md", "x", "its name has characters that commands cannot have"],
    ["a.md", "---\ndescription: x\n---\n\n", "no text after the front matter"],
  ])("%j is refused with a reason", (path, text, why) => {
    expect(readNumberedCommand(path, text)).toMatchObject({ kind: "unfit", why })
  })
})

describe("what is typed after it", () => {
  it("replaces the placeholders and is not expanded again", () => {
    expect(filled("Fix $ARGUMENTS in $2.", "$1", "b")).toBe("Fix $1 b in b.")
    expect(filled("Fix $1 and $3; costs $10.", "a")).toBe("Fix a and ; costs $10.")
  })

  it("is added where the text has no place for it", () => {
    expect(filled("Fix it.", "now", "please")).toBe("Fix it.\n\nArguments: now please")
    expect(filled("Fix it.")).toBe("Fix it.")
  })

  it("leaves shell commands in the text to the model", () => {
    expect(filled("State: !`git status`")).toBe(
      "State: !`git status`\n\nWhere the text above has !`command`, run that command first and use its output.",
    )
  })
})
