// `turnhouse bridge`: what `attach user@box` starts on the other machine.
import { exitCodes, usageFault } from "../../../app/app-fault.ts"
import { loadContextLeniently } from "../../../app/context.ts"
import { serveBridge } from "../../../app/remote/serve-bridge.ts"

export async function run(): Promise<number> {
  if (process.stdin.isTTY)
    throw usageFault(
      "bridge speaks to a program. To use the sessions of this machine from another one: turnhouse attach user@box",
    )
  await serveBridge(await loadContextLeniently())
  return exitCodes.done
}
