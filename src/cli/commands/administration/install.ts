// `turnhouse install knowledge`: installs the embedding model, which the package leaves out because most users do not
// need it.
import { AppFault, exitCodes, usageFault } from "../../../app/app-fault.ts"
import { loadContext } from "../../../app/context.ts"
import { bytesArrived, installedModel, installModel } from "../../../app/install/install-model.ts"
import { onSignals } from "../../../app/signals.ts"
import { printNotice } from "../../../app/terminal.ts"
import type { Args } from "../../command.ts"
import { ProgressLine } from "../../output.ts"

const progressMs = 200

export async function run(args: Args): Promise<number> {
  const [part] = args.positionals
  if (part !== "knowledge")
    throw usageFault(`${part === undefined ? "name a part" : `unknown part '${part}'`}: turnhouse install knowledge`)
  const { home } = await loadContext()
  const place = installedModel(home)
  if (place.kind === "program" || place.kind === "installed") {
    printNotice(`the embedding model is already installed in ${place.folder}`)
    return exitCodes.done
  }
  if (place.kind === "damaged")
    printNotice(`the embedding model in ${place.folder} is incomplete (${place.file}); replacing it`)
  return install(home)
}

async function install(home: string): Promise<number> {
  const stop = new AbortController()
  let signalled = 0
  const stopListening = onSignals((number) => {
    signalled = number
    stop.abort()
  })
  const line = new ProgressLine()
  const progress = setInterval(
    () => line.show(`installing the embedding model: ${megabytes(bytesArrived(home))} of 31 MB`),
    progressMs,
  )
  try {
    const folder = await installModel({ home, env: process.env, signal: stop.signal })
    line.clear()
    printNotice(
      `installed the embedding model in ${folder}. Documents are embedded by the next 'turnhouse knowledge add'.`,
    )
    return exitCodes.done
  } catch (fault) {
    line.clear()
    if (signalled > 0) throw new AppFault("interrupted; nothing was installed", 128 + signalled)
    throw fault
  } finally {
    clearInterval(progress)
    stopListening()
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1_000_000)
}
