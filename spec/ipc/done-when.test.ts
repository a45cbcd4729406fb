// End to end, with viewers written from the message types alone: a turn outlives the viewer that started it, and a
// session outlives the process that ran it.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { needPackage } from "../need-package.ts"
import { eventually } from "../e2e/eventually.ts"
import { expectValid } from "../e2e/history.ts"
import { bash, newSessionIn, permissivePlace, turnFrom } from "./agents.ts"
import { of, reattach, textOf } from "./raw-viewer.ts"

/** Sends a prompt and prints the stream. It knows three frames and ignores all others. */
const firstViewer = `
import json, os, socket, sys
folder, name = os.path.split(sys.argv[1])
os.chdir(folder)
agent = socket.socket(socket.AF_UNIX)
agent.connect(name)
lines = agent.makefile("rw", encoding="utf-8", newline="\\n")
def sendPrompt(message):
    lines.write(json.dumps(message) + "\\n")
    lines.flush()
sendPrompt({"version": 2, "is_reattach": False, "session_id": None, "session_token": None})
assert json.loads(lines.readline())["accepted"]
sendPrompt({"type": "user_input", "content": sys.argv[2], "context_files": []})
for line in lines:
    message = json.loads(line)
    if message["type"] == "stream_chunk":
        print(message["text"], end="", flush=True)
`

describe.concurrent("a session", () => {
  it("continues when the viewer that started a turn is killed, and another one gets all of it", async (test) => {
    needPackage("python3", "python3")
    const place = permissivePlace(test)
    const pieces = Array.from({ length: 300 }, (_, index) => `${index} `)
    const session = await newSessionIn(place, "--model", place.script([[{ chunks: pieces }]], { delayMs: 10 }))
    const first = spawn("python3", ["-c", firstViewer, session.socket, "count"], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    let printed = ""
    first.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text))
    await eventually("the first viewer sees the beginning", () => printed.includes("40 ") || undefined)
    first.kill("SIGKILL")
    await once(first, "exit")

    const second = await session.viewer(test)
    expect(of(second.frames, "conversation_sync")[0]).toMatchObject({ is_busy: true })
    const frames = await turnFrom(second, 0)
    expect(textOf(frames)).toBe(pieces.join(""))
    expect(of(frames, "stream_end")).toEqual([{ type: "stream_end", finish_reason: "stop" }])
    expect((await second.sync()).messages).toMatchObject([{ content: "count" }, { content: pieces.join("") }])
  })

  it("is complete after kill -9 of its host in mid-turn: a new token, all history, the tool reported and not repeated", async (test) => {
    const place = permissivePlace(test)
    const model = place.script([
      [{ text: "First answer." }],
      [{ text: "I pay. " }, bash("echo paid >> paid.txt; sleep 1000")],
      [{ expect: { toolResult: "unknown" } }, { text: "I do not know whether it was paid." }],
    ])
    const session = await newSessionIn(place, "--model", model)
    const viewer = await session.viewer(test)
    await viewer.send({ type: "user_input", content: "hello" })
    await viewer.next("stream_end")
    await viewer.send({ type: "user_input", content: "pay" })
    await eventually("the tool is at work", () => place.isWritten("paid.txt") || undefined)
    const { token } = session
    process.kill(Number(session.metadata["pid"]), "SIGKILL")
    await viewer.closed
    const before = of(viewer.frames, "message_added").map(({ message }) => message)

    await session.restarted(token) // without any action
    const old = await session.connect(test)
    await old.send(reattach(token))
    expect(await old.response()).toMatchObject({ accepted: false, error: "Invalid session token" })
    const next = await session.viewer(test, reattach(session.token))
    await eventually("the turn is over", async () => !(await next.sync()).is_busy || undefined)
    const { messages } = await next.sync()
    expect(messages.slice(0, before.length)).toEqual(before)
    const text = messages.map(({ role, content }) => `${role}: ${content}`).join("\n")
    expect(text).toContain("system: The outcome of bash is unknown")
    expect(text).toContain("I do not know whether it was paid.")
    expect(readFileSync(join(place.folder, "paid.txt"), "utf8")).toBe("paid\n")
    expectValid(await place.log(session.id))
  })
})
