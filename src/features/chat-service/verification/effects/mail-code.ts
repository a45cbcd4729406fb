// Sends codes by mail. `smtps:` is TLS from the start; with `smtp:` the connection is upgraded if the server offers it,
// and must be if the server is not on this machine.
import type { OutgoingCode } from "./codes.ts"

export interface MailOptions {
  readonly url: string
  readonly from: string
  /** Refuse a server that does not offer TLS. */
  readonly mustEncrypt: boolean
}

const TIMEOUT_MS = 10_000

/** Resolves when the server has accepted the mail; throws its error. */
export async function mailCode({ url, from, mustEncrypt }: MailOptions, sent: OutgoingCode): Promise<void> {
  const { createTransport } = await import("nodemailer")
  const transport = createTransport(transportAddress(url, mustEncrypt))
  try {
    await transport.sendMail({
      from,
      to: { name: "", address: sent.destination },
      subject: "Your verification code",
      text: mailText(sent),
      headers: { "Auto-Submitted": "auto-generated" },
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  } finally {
    transport.close()
  }
}

/** Parameters in the configured URL take precedence. */
function transportAddress(address: string, mustEncrypt: boolean): string {
  const url = new URL(address)
  const defaults = {
    requireTLS: `${mustEncrypt}`,
    connectionTimeout: `${TIMEOUT_MS}`,
    greetingTimeout: `${TIMEOUT_MS}`,
    socketTimeout: `${TIMEOUT_MS}`,
  }
  for (const [name, value] of Object.entries(defaults))
    if (!url.searchParams.has(name)) url.searchParams.set(name, value)
  return url.href
}

function mailText({ code, minutes }: OutgoingCode): string {
  return [
    `Your verification code is ${code}.`,
    "",
    `Enter it in the conversation within ${minutes} minutes. It can be used once.`,
    "If you did not ask for it, ignore this mail and do not share the code.",
    "",
  ].join("\n")
}
