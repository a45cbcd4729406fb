// `turnhouse logout`: removes what `turnhouse login` stored.
import { AppFault, exitCodes } from "../../../app/app-fault.ts"
import { loadContextLeniently } from "../../../app/context.ts"
import { keySource, removeLogin } from "../../../app/settings/logins.ts"
import { printNotice } from "../../../app/terminal.ts"
import type { Args } from "../../command.ts"

export async function run(args: Args): Promise<number> {
  const name = args.first("name a provider; 'turnhouse login --list' shows those with a stored login")
  const context = await loadContextLeniently()
  if (!(await removeLogin(context.home, name)))
    throw new AppFault(`no login is stored for "${name}". 'turnhouse login --list' shows them.`)
  const source = keySource(name, context)
  printNotice(
    `Removed the login of ${name} from this machine; revoke the key at the provider if it must not be used again.`,
  )
  if (source !== undefined) printNotice(`${source} is still set and is used.`)
  return exitCodes.done
}
