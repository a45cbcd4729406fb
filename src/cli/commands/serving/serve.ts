// `turnhouse serve`: a host in the foreground with the network door. It stays until it is asked to leave.
import type { Args } from "../../command.ts"
import { mailSettings } from "../../../app/settings/mail-settings.ts"
import { addressOf, addressWarnings } from "../../../server/address.ts"
import { offlineModelWarnings } from "../../../server/visitor-models.ts"
import { Server } from "../../../server/server.ts"
import { loadContext } from "../../../app/context.ts"
import { printNotice } from "../../../app/terminal.ts"

const usualGraceSeconds = 30

export async function run(args: Args): Promise<number> {
  const graceMs = (args.seconds("grace") ?? usualGraceSeconds) * 1000
  const context = await loadContext({
    configFile: args.text("config"),
    profile: args.text("profile"),
    noExtensions: args.flag("no-extensions"),
  })
  const address = addressOf(args, context.config)
  const { config } = context
  const warnings = [...context.warnings, ...addressWarnings(address, config), ...offlineModelWarnings(config)]
  for (const warning of warnings) printNotice(`turnhouse: ${warning}`)
  if (context.config.otp !== undefined) mailSettings(context.config.otp)
  const server = await Server.open(args, context, address)
  await server.listen()
  return server.serve(graceMs)
}
