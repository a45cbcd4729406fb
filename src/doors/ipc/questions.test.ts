import { describe, expect, it } from "vitest"
import { next } from "../../testing/test-host.ts"
import { ipcWorld, type TestViewer } from "../../testing/doors/ipc-world.ts"
import type { Step } from "../../testing/index.ts"
import { askTool } from "../../tools/asking/ask.ts"

const options = [{ label: "PostgreSQL" }, { label: "SQLite" }]
const asks: Step = [{ call: { tool: "ask", input: { questions: [{ question: "Which database?", options }] } } }]

function contents(viewer: TestViewer): readonly string[] {
  return viewer.all("message_added").map(({ message }) => String(Object(message).content))
}

const shown = (viewer: TestViewer, text: string) =>
  viewer.until(() => contents(viewer).some((one) => one.includes(text)))

describe("a question on the session socket", () => {
  it("is a message with numbers, and plain text is its answer and never a prompt", async () => {
    const steps: Step[] = [asks, [{ expect: { toolResult: "Answer: SQLite" } }, { text: "I see." }]]
    const { viewer: enter, session } = await ipcWorld(steps, { tools: [askTool] })
    const [one, other] = [await enter(), await enter()]
    const ended = next(session, "turn.ended")
    one.say({ type: "user_input", content: "go" })
    await shown(
      other,
      "Question: Which database?\n  1. PostgreSQL\n  2. SQLite\nAnswer with a number or your own words",
    )
    other.say({ type: "user_input", content: "7" })
    expect(String((await other.of("error"))["message"])).toContain("There is no option 7")
    other.say({ type: "user_input", content: "2" })
    expect(await ended).toMatchObject({ reason: "done" })
    await shown(one, "Answered by")
    expect(contents(one).some((text) => /^Answered by .*: SQLite ask \(apr_/.test(text))).toBe(true)
    expect(contents(one)).not.toContain("2")
  })

  it("is declined with /deny, and the message says so", async () => {
    const steps: Step[] = [asks, [{ expect: { toolResult: "declined to answer" } }, { text: "I see." }]]
    const { viewer: enter, session } = await ipcWorld(steps, { tools: [askTool] })
    const viewer = await enter()
    const ended = next(session, "turn.ended")
    viewer.say({ type: "user_input", content: "go" })
    await shown(viewer, "or decline with /deny apr_")
    viewer.say({ type: "slash_command", command: "deny", args: [] })
    expect(await ended).toMatchObject({ reason: "done" })
    await shown(viewer, "Declined by")
  })
})
