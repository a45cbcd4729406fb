// Clients of doors with one JSON object in a line: the stdio child, the native API and the session socket.
import { TurnClock, type TurnTimes } from "../turn-times.ts"
import { stringIn, type Client } from "./client.ts"

/** What the lines of a door look like. */
export interface Dialect {
  readonly prompt: (message: string, number: number) => object
  /** How a line with text begins, and what its text follows. */
  readonly delta: string
  readonly text: string
  readonly isAccepted: (line: string) => boolean
  readonly isEnd: (line: string) => boolean
  readonly question: object
  readonly isAnswer: (line: string) => boolean
  /** Other than the failures of our doors. */
  readonly isFailure?: (line: string) => boolean
}

export const rpc: Dialect = {
  prompt: (message) => ({ type: "prompt", id: "p", message }),
  delta: '{"type":"message_update","event":{"type":"text_delta"',
  text: '"delta":"',
  isAccepted: () => false, // its response comes after the turn
  isEnd: (line) => line.includes('"command":"prompt"') && line.includes('"ok":true'),
  question: { type: "get_state", id: "q" },
  isAnswer: (line) => line.includes('"id":"q"'),
}

export const ipc: Dialect = {
  prompt: (content) => ({ type: "user_input", content }),
  delta: '{"type":"stream_chunk"',
  text: '"text":"',
  isAccepted: (line) => line.startsWith('{"type":"ack"'),
  isEnd: (line) => line.startsWith('{"type":"stream_end"'),
  question: { type: "sync_request" },
  isAnswer: (line) => line.startsWith('{"type":"task_update"'),
}

export function house(sessionId: string): Dialect {
  return {
    prompt: (text, number) => ({
      type: "send",
      id: "p",
      sessionId,
      command: { type: "prompt", promptId: `prm_${number}`, text, ifBusy: "wait" },
    }),
    delta: '{"type":"delta"',
    text: '"block":0,"delta":"',
    isAccepted: (line) => line.startsWith('{"type":"answer","id":"p"'),
    isEnd: (line) => line.startsWith('{"type":"event"') && line.includes('"type":"turn.ended"'),
    question: { type: "query", id: "q", query: { type: "host" } },
    isAnswer: (line) => line.startsWith('{"type":"answer","id":"q"'),
  }
}

export interface LineStream {
  write(line: string): unknown
  /** The only listener from now on. */
  listen(onLine: (line: string) => void): void
  close(): void
}

export class LineClient implements Client {
  readonly #stream: LineStream
  readonly #dialect: Dialect
  readonly where: Client["where"]
  #turns = 0

  constructor(stream: LineStream, dialect: Dialect, where?: Client["where"]) {
    this.#stream = stream
    this.#dialect = dialect
    this.where = where
  }

  turn(message: string): Promise<TurnTimes> {
    const { delta, text, isAccepted, isEnd, prompt } = this.#dialect
    const clock = new TurnClock()
    const { promise, resolve, reject } = Promise.withResolvers<TurnTimes>()
    this.#stream.listen((line) => {
      const isDelta = line.startsWith(delta) && line.includes(text)
      if (isDelta) clock.text(stringIn(line, text), line.length)
      else if (isAccepted(line)) clock.accepted()
      else if (isEnd(line)) resolve(clock.end())
      else if (this.#isFailure(line)) reject(new Error(`the turn failed: ${line.slice(0, 300)}`))
    })
    this.#send(prompt(message, (this.#turns += 1)))
    return promise
  }

  async ask(): Promise<void> {
    await this.request(this.#dialect.question, this.#dialect.isAnswer)
  }

  request(frame: object, isAnswer: (line: string) => boolean): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    this.#stream.listen((line) => {
      if (isAnswer(line)) resolve(line)
      else if (this.#isFailure(line)) reject(new Error(`the request failed: ${line.slice(0, 300)}`))
    })
    this.#send(frame)
    return promise
  }

  close(): void {
    this.#stream.close()
  }

  #isFailure(line: string): boolean {
    return this.#dialect.isFailure?.(line) ?? isRefusal(line)
  }

  #send(frame: object): void {
    this.#stream.write(`${JSON.stringify(frame)}\n`)
  }
}

function isRefusal(line: string): boolean {
  return line.startsWith('{"type":"error"') || line.startsWith('{"type":"refused"') || line.includes('"ok":false')
}
