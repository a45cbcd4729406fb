// The turns of a conversation: what the user says, what the model answers, and what its tools give back, with a secret in
// each place.
import type { Workspace } from "../../demo/workspace.ts"
import type { Part, Reply } from "./model-server.ts"
import type { Plantings, Source } from "./plantings.ts"
import { insideJson } from "./spellings.ts"

export interface Turn {
  readonly prompt: string
  readonly throughDoor: boolean
  readonly replies: readonly Reply[]
}

/** Of an answer that does not end. */
export const lastWords = "and this is the end"

const call = (tool: string, input: object): Part => ({ call: { tool, input } })
const bash = (command: string): Part => call("bash", { command })

export class TurnWriter {
  readonly #workspace: Workspace
  readonly #plantings: Plantings
  #files = 0

  constructor(workspace: Workspace, plantings: Plantings) {
    this.#workspace = workspace
    this.#plantings = plantings
  }

  /** One that looks at what tools get, before any command has a secret in it. */
  first(): Turn {
    return {
      prompt: `Look around. ${this.#plantings.text("prompt")}`,
      throughDoor: false,
      replies: [[bash(`sh '${this.#workspace.path("look.sh")}'`)], [{ text: "Looked." }]],
    }
  }

  next(throughDoor: boolean): Turn {
    const text = (source: Source) => this.#plantings.text(source)
    const input = (source: Source) => this.#plantings.text(source, { spellings: insideJson })
    const file = (source: Source) => this.#file(source)
    const prompt = text(throughDoor ? "prompt through the door" : "prompt")
    const names = this.#fileNames()
    return {
      prompt: `Go on. ${prompt}`,
      throughDoor,
      replies: [
        [
          { reasoning: `They say ${text("reasoning")}.` },
          { text: `I look: ${text("text of the model")}.` },
          bash(`cat '${file("output of bash")}'`),
          bash(`cat '${file("stderr of bash")}' >&2; exit 3`),
          bash(`echo "${this.#variable()}"`),
          call("read", { path: file("output of read") }),
          call("ls", { path: names }),
        ],
        [
          call("mcp__work__work", { file: this.#name("result of MCP") }),
          call("mcp__work__fail", { file: this.#name("error of MCP") }),
          call("mcp__work__log", { file: this.#lineName("stderr of MCP") }),
          bash(`echo block ${this.#name("reason of an extension")}`),
          bash(`echo replace ${this.#name("output by an extension")}`),
          bash(`echo log ${this.#lineName("stderr of an extension")}`),
        ],
        [
          bash(`: ${quoted(input("input of a tool"))}`),
          call(this.#plantings.word("name of a tool"), {}),
          call("confess", { note: [input("input that waits for approval")] }),
        ],
        [{ text: `Done: ${text("text of the model")}.` }],
      ],
    }
  }

  failing(): Turn {
    const message = `The key is wrong: ${this.#plantings.text("error of the provider")}`
    return { prompt: "Fail.", throughDoor: false, replies: [{ status: 400, message }] }
  }

  /** It does not end. */
  hanging(): Turn {
    const text = `I begin: ${this.#plantings.text("text of the model")} ${lastWords}, and more.`
    return { prompt: "Begin.", throughDoor: false, replies: [[{ text }, { hang: true }]] }
  }

  #name(source: Source): string {
    return this.#planted(this.#plantings.text(source))
  }

  /** Long lines of stderr are not stored. */
  #lineName(source: Source): string {
    return this.#planted(this.#plantings.shortText(source))
  }

  /** Returns the name of a file with the text. */
  #planted(text: string): string {
    this.#files += 1
    const name = `${this.#files}.txt`
    this.#workspace.write(`planted/${name}`, text)
    return name
  }

  #file(source: Source): string {
    return this.#workspace.path("planted", this.#name(source))
  }

  /** A folder with a file whose name has a secret. */
  #fileNames(): string {
    this.#files += 1
    const folder = `planted/names-${this.#files}`
    this.#workspace.write(`${folder}/${this.#plantings.word("file name")}`, "")
    return this.#workspace.path(folder)
  }

  #variable(): string {
    const chosen = { spellings: ["plain"], kind: "environment: passed to tools" } as const
    const [mark = ""] = this.#plantings.shortText("variable in bash", chosen).split(" ")
    return `${mark} $PASSED_TOKEN`
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
