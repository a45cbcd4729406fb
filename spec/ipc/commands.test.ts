// Conformance cases 61 to 64: slash commands over the socket, and approvals, which this protocol answers with them.
import { describe, expect, it } from "vitest"
import { eventsOf } from "../e2e/printed.ts"
import { newPlace } from "../e2e/turnhouse.ts"
import { bash, newAgent, sendPrompt, SharedAgent, startAgent, turn, turnFrom } from "./agents.ts"
import { names, of, textOf } from "./raw-viewer.ts"

describe("slash commands", () => {
  const shared = new SharedAgent()

  it("61: help and /help work; HELP and an unknown name are unknown", async (test) => {
    const viewer = await shared.viewer(test)
    for (const command of ["help", "/help"]) {
      const result = await viewer.slash(command)
      expect(result).toMatchObject({ command: "help", success: true, action_taken: "help_displayed", blocked: false })
      expect(result.output).toContain("rewind")
      expect(Object.keys(result)).not.toContain("error")
    }
    for (const command of ["HELP", "foo"]) {
      const result = await viewer.slash(command)
      expect(result).toMatchObject({ success: false, blocked: false })
      expect(result.error).toContain(`/${command}`)
      expect(Object.keys(result)).not.toContain("output")
    }
  })

  it("61: exec and EXEC are blocked, and so are the other defaults", async (test) => {
    const viewer = await shared.viewer(test)
    for (const command of [
      "exec",
      "EXEC",
      "/exec",
      "shell",
      "profile:export",
      "profile:import",
      "approvals",
      "hibernate",
    ]) {
      const name = command.replace("/", "")
      const error = `Command '${name}' is blocked for remote execution`
      expect(await viewer.slash(command, "ls")).toMatchObject({ success: false, blocked: true, error })
    }
  })

  it("61: the result is sent to all viewers", async (test) => {
    const [asker, onlooker] = [await shared.viewer(test), await shared.viewer(test)]
    const after = onlooker.frames.length
    const result = await asker.slash("tasks")
    expect(await onlooker.next("slash_command_result", after)).toEqual(result)
  })

  it("62: clear empties the list of all viewers, and the next turn runs; rewind 1 undoes the last turn", async (test) => {
    const viewer = await shared.scripted(test, [[{ text: "One." }], [{ text: "Two." }], [{ text: "Three." }]])
    const onlooker = await shared.viewer(test)
    await turn(viewer, "first")
    await turn(viewer, "second")
    const after = onlooker.frames.length
    expect(await viewer.slash("rewind", "1")).toMatchObject({ success: true, action_taken: "rewound" })
    const rewound = await onlooker.next("conversation_sync", after)
    expect(rewound.messages.map(({ content }) => content)).toEqual(["first", "One."])
    const later = onlooker.frames.length
    expect(await viewer.slash("clear")).toMatchObject({ success: true, action_taken: "history_cleared" })
    expect(await onlooker.next("conversation_sync", later)).toMatchObject({ messages: [] })
    expect(textOf(await turn(viewer, "anew"))).toBe("One.")
  })

  it("undo takes the last turn back with its files, for all viewers", async (test) => {
    const viewer = await shared.scripted(test, [[bash("echo made > undone.txt")], [{ text: "Made." }]])
    const onlooker = await shared.viewer(test)
    await turn(viewer, "make it")
    expect(shared.place.has("undone.txt")).toBe(true)
    const after = onlooker.frames.length
    const result = await viewer.slash("undo")
    expect(result).toMatchObject({ success: true, action_taken: "undone" })
    expect(result.output).toContain("deleted    undone.txt")
    expect(await onlooker.next("conversation_sync", after)).toMatchObject({ messages: [] })
    expect(shared.place.has("undone.txt")).toBe(false)
    expect(await viewer.slash("undo", "x")).toMatchObject({ success: false })
  })

  it("63: task:add, task:start and task:complete give task_update with the right icons and counts", async (test) => {
    const viewer = await shared.viewer(test)
    const update = async (command: string, ...args: readonly string[]) => {
      const after = viewer.frames.length
      expect(await viewer.slash(command, ...args)).toMatchObject({ success: true })
      const { task_tree, task_count, completed_count } = await viewer.next("task_update", after)
      return [task_tree.trimEnd(), task_count, completed_count]
    }
    expect(await update("task:add", "write", "tests")).toEqual(["○ write tests", 1, 0])
    const [, id = ""] = /^(\S+)/.exec((await viewer.slash("task:list")).output ?? "") ?? []
    expect(id).not.toBe("")
    expect(await update("task:start", "1")).toEqual(["◐ write tests", 1, 0])
    expect(await update("task:complete", "1")).toEqual(["● write tests", 1, 1])
    expect(await viewer.ask("task_update", { type: "sync_request" })).toMatchObject({ completed_count: 1 })
  })

  it("64: args with newlines, quotes, 1 MB and braces are passed verbatim", async (test) => {
    const viewer = await shared.viewer(test)
    for (const name of ['two\nlines "quoted" \\ {{x}}', "{{name}} $HOME `id`"])
      expect(await viewer.slash("rename", name)).toMatchObject({ success: true, output: name })
    const large = "x".repeat(1_000_000)
    expect(await viewer.slash("rename", large)).toMatchObject({ success: false, blocked: false })
    expect(await viewer.slash("plan", large)).toMatchObject({ success: true })
    await viewer.ask("ack", { type: "cancel" })
  })

  it("64: an argument of a custom command is inserted once and not expanded again", async (test) => {
    const place = newPlace(test)
    const folder = `${place.home}/commands`
    await place.startOther("/bin/mkdir", ["-p", folder]).ended
    const text =
      "---\nname: greet\ndescription: greets\nargs:\n  - name: who\n    required: true\n---\nSay hello to {{who}}."
    await place.startOther("/bin/sh", ["-c", 'printf "%s" "$1" > "$2"', "sh", text, `${folder}/greet.md`]).ended
    const model = place.script([[{ text: "Hello!" }]])
    const agent = await startAgent(place, ["--model", model])
    const viewer = await agent.viewer(test)
    const from = viewer.frames.length
    await viewer.slash("greet", "{{who}} and\n'all'")
    const frames = await turnFrom(viewer, from)
    expect(of(frames, "message_added")[0]?.message.content).toBe("Say hello to {{who}} and\n'all'.")
    expect(await viewer.slash("greet")).toMatchObject({ success: false })
  })

  it("/exit is answered and then announced to all as an exit", async (test) => {
    const agent = await newAgent(test, [])
    const viewer = await agent.viewer(test)
    expect(await viewer.slash("exit")).toMatchObject({ success: true, action_taken: "exit_requested" })
    expect((await viewer.untilClosed()).at(-1)).toEqual({ type: "exiting", reason: "Exit requested" })
    expect((await agent.running.ended).code).toBe(0)
  })
})

describe.concurrent("approvals", () => {
  it.for([
    ["approve", "approved", "ran\n"],
    ["deny", "denied", undefined],
  ] as const)(
    "are messages of the conversation and answered by /%s, from any viewer",
    async ([word, action, file], test) => {
      const place = newPlace(test)
      const model = place.script([[bash("echo ran > ran.txt")], [{ text: "So be it." }]])
      const agent = await startAgent(place, ["--model", model])
      const [asker, other] = [await agent.viewer(test), await agent.viewer(test)]
      await sendPrompt(asker, "go")
      const toast = await other.next("toast")
      expect(toast.message).toBe("Approval needed: bash")
      const isRequest = (content: string) => content.startsWith("Approval needed: bash")
      await other.until("the request", (frame) => frame.type === "message_added" && isRequest(frame.message.content))
      const late = await agent.viewer(test)
      expect(of(late.frames, "conversation_sync")[0]).toMatchObject({
        is_busy: true,
        status: "Waiting for approval: bash",
      })
      expect(await other.slash(word)).toMatchObject({ success: true, action_taken: action })
      const frames = await turnFrom(asker, 3)
      expect(textOf(frames)).toBe("So be it.")
      expect(of(frames, "tool_result")).toHaveLength(1)
      expect(place.has("ran.txt") ? place.read("ran.txt") : undefined).toBe(file)
      expect(names(frames).filter((name) => name === "stream_end")).toHaveLength(1)
      expect(await other.slash(word)).toMatchObject({ success: false })
    },
  )

  it.for([
    ["y", "approved", "ran\n"],
    ["Yes", "approved", "ran\n"],
    ["n", "denied", undefined],
    ["/deny", "denied", undefined],
    ["always", "approved", "ran\n"],
  ] as const)(
    "are answered by the plain input %j, which never reaches the model",
    async ([word, outcome, file], test) => {
      const place = newPlace(test)
      const model = place.script([[bash("echo ran > ran.txt")], [{ text: "So be it." }]])
      const agent = await startAgent(place, ["--model", model])
      const viewer = await agent.viewer(test)
      await sendPrompt(viewer, "go")
      const request = await viewer.until(
        "the request",
        (frame) => frame.type === "message_added" && frame.message.content.startsWith("Approval needed: bash"),
      )
      expect(JSON.stringify(request)).toContain("Answer y, n or always")
      await sendPrompt(viewer, word)
      expect(textOf(await turnFrom(viewer, 3))).toBe("So be it.")
      expect(of(viewer.frames, "ack").map(({ command }) => command)).toEqual(["user_input", "user_input"])
      expect(place.has("ran.txt") ? place.read("ran.txt") : undefined).toBe(file)
      const log = await place.log(agent.id)
      expect(eventsOf(log, "approval.decided")).toMatchObject([{ outcome }])
      expect(eventsOf(log, "prompt.admitted").map(({ text }) => text)).toEqual(["go"])
      const grants = eventsOf(log, "policy.granted")
      expect(grants).toMatchObject(word === "always" ? [{ pattern: "echo ran > ran.txt", scope: "session" }] : [])
    },
  )

  it("leave the same text a prompt when none is pending", async (test) => {
    const place = newPlace(test)
    const agent = await startAgent(place, ["--model", place.script([[{ text: "Yes what?" }]])])
    const viewer = await agent.viewer(test)
    await sendPrompt(viewer, "yes")
    expect(textOf(await turnFrom(viewer, 3))).toBe("Yes what?")
  })
})
