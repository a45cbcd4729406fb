// Agents for tests: a process for one session, or a session of the background host. The process is stopped before its
// folder is removed, however a test ends.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, type TestContext } from "vitest"
import type { Script, Step } from "../../src/models/offline/part.ts"
import { eventually } from "../e2e/eventually.ts"
import { object, type Json } from "../e2e/printed.ts"
import type { Running } from "../e2e/running.ts"
import { newPlace, sharedPlace, type Place } from "../e2e/turnhouse.ts"
import { openAndClose } from "./raw-socket.ts"
import { newSession, RawViewer, type Frame } from "./raw-viewer.ts"

export type Test = Pick<TestContext, "onTestFinished">

/** No tool needs approval. */
export const allowAllTools = { tools: { allow: ["*"] } }

/** A session that can be reached at its socket, whatever process has it open. */
export class Agent {
  readonly place: Place
  readonly id: string
  readonly socket: string

  constructor(place: Place, id: string, socket = join(place.home, "sessions", `${id}.sock`)) {
    this.place = place
    this.id = id
    this.socket = socket
  }

  file(end: string): string {
    return join(dirname(this.socket), `${this.id}${end}`)
  }

  get token(): string {
    return readFileSync(this.file(".token"), "utf8")
  }

  get metadata(): Json {
    return object(readFileSync(this.file(".meta.json"), "utf8"))
  }

  get exists(): boolean {
    return existsSync(this.socket)
  }

  /** Connected, without a handshake. */
  async connect(test: Test): Promise<RawViewer> {
    const viewer = await RawViewer.connect(this.socket)
    test.onTestFinished(() => viewer.socket.destroy())
    return viewer
  }

  /** Accepted, with the first frames received. */
  async viewer(test: Test, handshake: object = newSession): Promise<RawViewer> {
    const viewer = await this.connect(test)
    await viewer.send(handshake)
    const { accepted, error } = await viewer.response()
    if (!accepted) throw new Error(`the viewer was not accepted: ${String(error)}`)
    await viewer.next("seal_status")
    return viewer
  }

  /** Resolves when a process listens again with a new token. */
  async restarted(oldToken: string): Promise<void> {
    await eventually("it is back", async () => {
      if (!this.exists || this.token === oldToken) return undefined
      return openAndClose(this.socket).then(
        () => true,
        () => undefined,
      )
    })
  }

  /** Another agent of the same home. */
  other(id: string): Agent {
    return new Agent(this.place, id, join(dirname(this.socket), `${id}.sock`))
  }
}

/** An agent with a process of its own. */
export class AgentProcess extends Agent {
  readonly running: Running

  constructor(place: Place, running: Running, id: string, socket: string) {
    super(place, id, socket)
    this.running = running
  }

  get pid(): number {
    return this.running.pid
  }
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly umask?: string
}

export async function startAgent(
  place: Place,
  args: readonly string[] = [],
  { env, umask = "022" }: StartOptions = {},
): Promise<AgentProcess> {
  const line = [`umask ${umask}; exec "$0" "$@"`, place.program, "agent", "--json", ...args]
  const running = place.startOther("/bin/sh", ["-c", ...line], env === undefined ? {} : { env })
  const { text } = await running.lineNumber(1)
  const { id, socket } = object(text)
  return new AgentProcess(place, running, String(id), String(socket))
}

/** In a home of its own, in which no tool needs approval. */
export async function newAgent(test: Test, steps: readonly Step[], settings?: Omit<Script, "steps">) {
  const place = permissivePlace(test)
  return startAgent(place, ["--model", place.script(steps, settings)])
}

/** For sockets that an ordinary path can address. */
export function shortFolder(test: Test): string {
  const folder = mkdtempSync(join(tmpdir(), "th-"))
  test.onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export function permissivePlace(test: Test): Place {
  const place = newPlace(test)
  place.config(allowAllTools)
  return place
}

/** In the background host of its home, which is started if none runs. */
export async function newSessionIn(place: Place, ...args: readonly string[]): Promise<Agent> {
  const { code, stdout, stderr } = await place.run("new", "--json", ...args)
  if (code !== 0) throw new Error(stderr)
  const agent = new Agent(place, String(object(stdout)["id"]))
  await eventually("the socket is there", () => agent.exists || undefined)
  return agent
}

/** One process for all tests of a describe. Each test sets its script. */
export class SharedAgent {
  readonly place: Place
  #agent: AgentProcess | undefined
  #scripts = 0

  constructor(config: Json = allowAllTools) {
    this.place = sharedPlace()
    beforeAll(async () => {
      this.place.config(config)
      this.#agent = await startAgent(this.place, ["--model", "offline/demo:0"])
    })
    afterAll(() => {
      const { stderr } = this.agent.running
      if (stderr !== "") throw new Error(`the agent wrote to stderr: ${stderr}`)
    })
  }

  get agent(): AgentProcess {
    if (this.#agent === undefined) throw new Error("the agent has not been started")
    return this.#agent
  }

  viewer(test: Test): Promise<RawViewer> {
    return this.agent.viewer(test)
  }

  /** A viewer of an empty conversation with a model that answers with this script. */
  async scripted(test: Test, steps: readonly Step[], settings: Omit<Script, "steps"> = {}): Promise<RawViewer> {
    this.#scripts += 1
    const model = this.place.script(steps, settings, `script-${this.#scripts}.json`)
    const viewer = await this.viewer(test)
    await viewer.slash("clear")
    await viewer.slash("model", model)
    return viewer
  }
}

/** Starts a turn with this prompt. */
export async function sendPrompt(viewer: RawViewer, content: string): Promise<void> {
  await viewer.send({ type: "user_input", content })
}

/** A whole turn: from its acknowledgement to the status after it. */
export async function turn(viewer: RawViewer, content: string): Promise<readonly Frame[]> {
  const from = viewer.frames.length
  await sendPrompt(viewer, content)
  return turnFrom(viewer, from)
}

/** The running turn, as far as the viewer has received it. */
export async function turnFrom(viewer: RawViewer, from: number): Promise<readonly Frame[]> {
  const end = await viewer.next("stream_end", from)
  const status = await viewer.next("status_update", viewer.frames.indexOf(end, from))
  return viewer.frames.slice(from, viewer.frames.indexOf(status, from) + 1)
}

/** Resolves when the text since then contains this. */
export async function receivesText(viewer: RawViewer, text: string, after = 0): Promise<void> {
  let received = ""
  await viewer.until(
    `the text '${text}'`,
    (frame) => {
      if (frame.type === "stream_chunk") received += frame.text
      return received.includes(text)
    },
    after,
  )
}

/** A command that waits until the test writes this file. */
export function waitFor(file: string): string {
  return `while [ ! -e ${file} ]; do sleep 0.02; done`
}

export function bash(command: string) {
  return { call: { tool: "bash", input: { command } } } as const
}

export function userTexts(messages: readonly { readonly role: string; readonly content: string }[]): readonly string[] {
  return messages.filter(({ role }) => role === "user").map(({ content }) => content)
}
