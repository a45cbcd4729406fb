// Codes by mail. The address of the server says how: `smtps:` is encrypted from the first byte; with `smtp:` it becomes
// so where the server offers it, and must where the address leaves this machine.
import type { SentCode } from "./code-issuer.ts"

export interface MailOptions {
  readonly url: string
  readonly from: string
  /** Nothing is said to a server that does not encrypt. */
  readonly mustEncrypt: boolean
}

const patienceMs = 10_000

/** Resolves when the server has taken the mail, and throws what it complains of. */
export async function mailCode({ url, from, mustEncrypt }: MailOptions, sent: SentCode): Promise<void> {
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

/** What the address says itself counts. */
function transportAddress(address: string, mustEncrypt: boolean): string {
  const url = new URL(address)
  const usual = {
    requireTLS: `${mustEncrypt}`,
    connectionTimeout: `${patienceMs}`,
    greetingTimeout: `${patienceMs}`,
    socketTimeout: `${patienceMs}`,
  }
  for (const [name, value] of Object.entries(usual)) if (!url.searchParams.has(name)) url.searchParams.set(name, value)
  return url.href
}

function mailText({ code, minutes }: SentCode): string {
  return [
    `Your verification code is ${code}.`,
    "",
    `Enter it in the conversation within ${minutes} minutes. It can be used once.`,
    "If you did not ask for it, ignore this mail and tell the code to nobody.",
    "",
  ].join("\n")
}
