// `turnhouse mcp login` and `turnhouse mcp logout`.
import { AppFault, exitCodes } from "../../app/app-fault.ts"
import { mcpLogin, mcpLogout } from "../../app/mcp/login.ts"
import { printNotice } from "../../app/terminal.ts"
import type { Args } from "../command.ts"
import { contextWithWarnings } from "../context-options.ts"
import { interruptible } from "../interruptible.ts"
import { showLogin } from "../show-login.ts"

export async function login(name: string, args: Args): Promise<number> {
  const context = await contextWithWarnings(args)
  const method = args.flag("device") ? "device" : "browser"
  await interruptible((signal) => mcpLogin(name, method, context, { signal, show: showLogin(name) }))
  process.stdout.write(`logged in at ${name}\n`)
  return exitCodes.done
}

export async function logout(name: string, args: Args): Promise<number> {
  const context = await contextWithWarnings(args)
  const outcome = await interruptible((signal) => mcpLogout(name, context, signal))
  if (outcome === "none") throw new AppFault(`no login is stored for "${name}".`)
  process.stdout.write(`logged out of ${name}\n`)
  if (outcome === "unrevoked")
    printNotice(
      "turnhouse: the tokens are removed from this machine, but the server did not revoke them: they work until they expire",
    )
  return exitCodes.done
}
