// Viewers in other languages, written from the protocol's types alone, and the programs of the examples.
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { beforeAll, describe, expect, it, type TestContext } from "vitest"
import { ScriptedAgent, type Behaviour } from "../../src/clients/ipc/fixtures/scripted-agent.ts"
import { newPlace, openInput, type Place } from "../e2e/turnhouse.ts"
import { needBuild } from "../built.ts"
import { needPackage } from "../need-package.ts"

const example = (name: string) => fileURLToPath(new URL(`../../examples/ipc/${name}`, import.meta.url))

async function startAgent(test: TestContext, place: Place, manner: Behaviour): Promise<ScriptedAgent> {
  const agent = await new ScriptedAgent(join(place.root, "sessions")).start()
  test.onTestFinished(() => agent.stop())
  agent.behaviour = manner
  return agent
}

describe.concurrent("a viewer in Python", () => {
  beforeAll(() => needPackage("python3", "python3"))

  it.for<Behaviour>(["well", "reference"])(
    "attaches with the token and talks to an agent that behaves like %s",
    async (manner, test) => {
      const place = newPlace(test)
      const agent = await startAgent(test, place, manner)
      const args = [agent.socket, "use Grüße 😀", "fail out of luck", "say more"]
      const { code, stdout, stderr } = await place.startOther(example("viewer.py"), args, {
        env: { PYTHONIOENCODING: "utf-8" },
      }).ended
      expect({ code, stdout: stdout.replaceAll(/\n+/g, "\n") }).toEqual({
        code: 0,
        stdout: "Looking. [read] Grüße 😀 \nmore \n",
      })
      expect(stderr).toBe("0 messages in session session-1\nfailed: out of luck\n")
      expect(JSON.parse(agent.handshakes[0] ?? "")).toMatchObject({ is_reattach: true, session_token: agent.token })
    },
  )

  it("has the history after the agent was restarted with another token", async (test) => {
    const place = newPlace(test)
    const agent = await startAgent(test, place, "well")
    await place.startOther(example("viewer.py"), [agent.socket, "say hello"]).ended
    await agent.restart()
    const { stdout, stderr } = await place.startOther(example("viewer.py"), [agent.socket, "say again"]).ended
    expect({ stdout, stderr }).toEqual({ stdout: "again \n", stderr: "2 messages in session session-1\n" })
    const list = await place.startOther(example("viewer.py"), ["--list", agent.folder]).ended
    expect(list.stdout).toBe("session-1  m1  idle\n")
  })

  it("reports that no agent listens", async (test) => {
    const place = newPlace(test)
    const { code, stderr } = await place.startOther(example("viewer.py"), [place.path("none.sock")]).ended
    expect(code).toBe(4)
    expect(stderr).toContain("none.sock: ")
  })
})

describe.concurrent("a session of Turnhouse", () => {
  it("looks the same to the library's command and to the viewer in Python", async (test) => {
    const place = newPlace(test)
    const model = place.script([[{ text: "First, " }, { text: "whole." }], [{ text: "Second." }]])
    const agent = place.start(["agent", "mine", "--model", model], { input: openInput })
    const socket = (await agent.lineNumber(2)).text
    const python = await place.startOther(example("viewer.py"), [socket, "one"]).ended
    expect(python).toMatchObject({ code: 0, stdout: "First, whole.\n" })
    const { code, stdout } = await place.start(["attach", "--agent", "mine"], { input: "two\n/exit\n" }).ended
    expect(code).toBe(0)
    const shown = "\nuser:\none\n\nassistant:\nFirst, whole.\n\nuser:\ntwo\n\nassistant:\nSecond.\n"
    expect(stdout.slice(0, shown.length)).toBe(shown)
    expect((await agent.ended).code).toBe(0)
  })
})

describe.concurrent("the example in five lines", () => {
  beforeAll(needBuild)

  it("gets the chunks, the calls and the end", async (test) => {
    const place = newPlace(test)
    const agent = await startAgent(test, place, "well")
    const { code, stdout } = await place.startOther(process.execPath, [example("five-lines.ts"), agent.socket]).ended
    expect({ code, stdout }).toEqual({ code: 0, stdout: "is in this folder? \ncompleted, 0 calls\n" })
  })
})
