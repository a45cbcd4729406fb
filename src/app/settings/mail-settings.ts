// How mails with codes are sent, as the configuration says it. What is wrong is told before anything is begun.
import type { Config } from "../../contract/config.ts"
import { isLoopbackAddress } from "../../server/http/loopback.ts"
import type { MailOptions } from "../../features/chat-service/verification/effects/mail-code.ts"
import { usageFault } from "../app-fault.ts"

/** Nothing where codes are printed instead. */
export function mailSettings({ transport, from }: NonNullable<Config["otp"]>): MailOptions | undefined {
  if (transport.type === "log") return undefined
  if (from === undefined) throw usageFault('"otp.from" is missing: say from whom mails with codes come')
  const { protocol, hostname } = URL.parse(transport.url) ?? {}
  if (hostname === undefined || (protocol !== "smtp:" && protocol !== "smtps:"))
    throw usageFault('"otp.transport.url" must begin with smtp:// or smtps://')
  return { url: transport.url, from, mustEncrypt: protocol === "smtp:" && !isLoopbackAddress(hostname) }
}
