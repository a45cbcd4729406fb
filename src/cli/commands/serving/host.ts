// `turnhouse host`: the background host, without a terminal and without network. Other commands start it.
import { exitCodes, usageFault } from "../../../app/app-fault.ts"
import { loadContext, loadContextLeniently } from "../../../app/context.ts"
import { replaceBackgroundHost, runBackgroundHost, stopBackgroundHost } from "../../../app/host/run-background-host.ts"
import { printNotice } from "../../../app/terminal.ts"
import type { Args } from "../../command.ts"

export async function run(args: Args): Promise<number> {
  if (args.flag("stop") && args.flag("replace")) throw usageFault("--stop and --replace cannot be combined")
  if (args.flag("stop")) {
    const wasRunning = await stopBackgroundHost(await loadContextLeniently())
    if (!wasRunning) printNotice("no background host is running")
    return exitCodes.done
  }
  const context = await loadContext()
  if (!args.flag("replace")) return runBackgroundHost(context, deathsOf(args), timesOf(args))
  process.stdout.write(`${await replaceBackgroundHost(context)}\n`)
  return exitCodes.done
}

function deathsOf(args: Args): number {
  const text = args.text("deaths") ?? "0"
  if (!/^\d{1,3}$/.test(text)) throw usageFault("--deaths: use a number")
  return Number(text)
}

function timesOf(args: Args): { readonly idleSessionMs?: number; readonly idleHostMs?: number } {
  const session = args.seconds("close-after")
  const host = args.seconds("leave-after")
  return {
    ...(session === undefined ? {} : { idleSessionMs: session * 1000 }),
    ...(host === undefined ? {} : { idleHostMs: host * 1000 }),
  }
}
