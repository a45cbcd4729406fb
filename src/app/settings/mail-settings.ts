// Reads the settings for mails with one-time codes, so that mistakes are reported at the start.
import type { Config } from "../../contract/config.ts"
import { isLoopbackAddress } from "../../server/http/loopback.ts"
import type { MailOptions } from "../../features/chat-service/verification/effects/mail-code.ts"
import { usageFault } from "../app-fault.ts"

/** Nothing if codes are printed instead. */
export function mailSettings({ transport, from }: NonNullable<Config["otp"]>): MailOptions | undefined {
  if (transport.type === "log") return undefined
  if (from === undefined) throw usageFault('"otp.from" is missing. Set the sender address of mails with codes.')
  const { protocol, hostname } = URL.parse(transport.url) ?? {}
  if (hostname === undefined || (protocol !== "smtp:" && protocol !== "smtps:"))
    throw usageFault('"otp.transport.url" is not an SMTP address. It must begin with smtp:// or smtps://.')
  return { url: transport.url, from, mustEncrypt: protocol === "smtp:" && !isLoopbackAddress(hostname) }
}
