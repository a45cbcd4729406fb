// A mail server of a story: takes mails on a port of this machine and keeps them. It delivers none.
import { createServer, type AddressInfo, type Server, type Socket } from "node:net"

/** Bytes of one connection: a mail with a code has some hundred. */
const MAX_BYTES = 64 * 1024
const MAX_MAILS = 100
const OK = "250 OK"

export class MailSink {
  readonly #server: Server
  readonly #mails: string[] = []
  #arrived = Promise.withResolvers<void>()

  static async open(): Promise<MailSink> {
    const sink = new MailSink()
    await new Promise<void>((resolve) => sink.#server.listen(0, "127.0.0.1", resolve))
    return sink
  }

  private constructor() {
    this.#server = createServer((socket) => this.#serve(socket))
  }

  get url(): string {
    const address: AddressInfo | string | null = this.#server.address()
    return `smtp://127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}`
  }

  /** The next mail, or the first one that was not taken yet. */
  async next(): Promise<string> {
    for (;;) {
      const mail = this.#mails.shift()
      if (mail !== undefined) return mail
      await this.#arrived.promise
    }
  }

  close(): void {
    this.#server.close()
  }

  #serve(socket: Socket): void {
    let rest = ""
    let mail: string[] | undefined
    const answer = (line: string) => socket.write(`${line}\r\n`)
    socket.setEncoding("utf8").on("error", () => {}) // a killed client disconnects in the middle of a command
    socket.on("data", (piece: string) => {
      const lines = (rest + piece).split("\r\n")
      rest = lines.pop() ?? ""
      if (socket.bytesRead > MAX_BYTES) return void socket.destroy()
      for (const line of lines) mail = this.#line(line, mail, answer)
    })
    answer("220 mail sink of a Turnhouse story")
  }

  /** Returns the lines of the mail that is being received. */
  #line(line: string, mail: string[] | undefined, answer: (line: string) => void): string[] | undefined {
    if (mail !== undefined && line !== ".") return [...mail, line.replace(/^\./, "")]
    if (mail !== undefined) this.#keep(mail.join("\n"))
    const command = line.slice(0, 4).toUpperCase()
    if (command === "DATA") answer("354 End with a line that has only a dot")
    else answer(command === "QUIT" ? "221 Goodbye" : OK)
    return command === "DATA" ? [] : undefined
  }

  #keep(mail: string): void {
    if (this.#mails.length < MAX_MAILS) this.#mails.push(mail)
    this.#arrived.resolve()
    this.#arrived = Promise.withResolvers()
  }
}
