// A mail server that keeps the mails it receives, on its own port. It can delay or refuse them.
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { SMTPServer, type SMTPServerDataStream, type SMTPServerEnvelope } from "smtp-server"
import { afterEach } from "vitest"

export interface Mail {
  readonly to: readonly string[]
  readonly from: string
  readonly text: string
}

export class MailServer {
  readonly mails: Mail[] = []
  /** Called before a mail is accepted. If it throws, the mail is refused. */
  onMail: (mail: Mail) => Promise<void> | void = () => {}
  readonly #server: SMTPServer
  #woken = Promise.withResolvers<void>()

  static async open(): Promise<MailServer> {
    const server = new MailServer()
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve))
    return server
  }

  private constructor() {
    this.#server = new SMTPServer({
      disabledCommands: ["AUTH", "STARTTLS"],
      onData: (stream, { envelope }, answer) => void this.#take(stream, envelope).then(answer),
    })
    this.#server.on("error", () => {}) // a killed peer disconnects in the middle of a command
  }

  /** Undefined, or why the mail is refused. */
  async #take(stream: SMTPServerDataStream, { rcptTo, mailFrom }: SMTPServerEnvelope): Promise<Error | undefined> {
    const from = mailFrom === false ? "" : mailFrom.address
    const mail = { to: rcptTo.map(({ address }) => address), from, text: await text(stream) }
    try {
      await this.onMail(mail)
    } catch (fault) {
      return fault instanceof Error ? fault : new Error(String(fault))
    }
    this.mails.push(mail)
    this.#woken.resolve()
    this.#woken = Promise.withResolvers()
    return undefined
  }

  get url(): string {
    const address: AddressInfo | string | null = this.#server.server.address()
    return `smtp://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
  }

  /** The code in the mail with this number, counted from one, when it has arrived. */
  async code(number = 1): Promise<string> {
    while (this.mails.length < number) await this.#woken.promise
    return codeIn(this.mails[number - 1])
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }
}

export function codeIn(mail: Mail | undefined): string {
  const code = /verification code is (\d{6})\./.exec(mail?.text ?? "")?.[1]
  if (code === undefined) throw new Error(`no code in ${mail?.text}`)
  return code
}

/** A code that differs from the given one. */
export function wrong(code: string): string {
  return ((Number(code) + 1) % 1_000_000).toString().padStart(6, "0")
}

/** Call once in a test file. Servers are closed with their test. */
export function mailServers(): () => Promise<MailServer> {
  const made: MailServer[] = []
  afterEach(async () => {
    for (const server of made.splice(0)) await server.close()
  })
  return async () => {
    const server = await MailServer.open()
    made.push(server)
    return server
  }
}
