// `turnhouse export ID [FILE]`: writes a session to a file that others can verify.
import { open } from "node:fs/promises"
import { findSession } from "../../../host/directory.ts"
import { exportHeader, exportSeal } from "../../../log/export-file.ts"
import type { EventLog } from "../../../log/event-log.ts"
import { homeKey, signingKey } from "../../../secrets/home-key.ts"
import { AppFault, accepted, usageFault, exitCodes } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"
import { openLog } from "../../../app/compose.ts"
import { loadContextLeniently } from "../../../app/context.ts"
import { printNotice } from "../../../app/terminal.ts"
import { storedLines } from "../../log-lines.ts"

export async function run(args: Args): Promise<number> {
  const [wanted, path] = args.positionals
  if (wanted === undefined) throw usageFault("name a session; 'turnhouse ls' lists them")
  const { home } = await loadContextLeniently()
  const log = openLog(home)
  try {
    const lines = exportLines(log, wanted, home)
    if (path === undefined) for await (const line of lines) process.stdout.write(`${line}\n`)
    else await writeFile(path, lines)
    return exitCodes.done
  } finally {
    await log.close()
  }
}

async function* exportLines(log: EventLog, wanted: string, home: string): AsyncGenerator<string> {
  const found = accepted(await findSession(log, wanted))
  const { sessionId } = found.value
  yield exportHeader(sessionId)
  let head = { seq: 0, hash: "" }
  for await (const line of storedLines(log, sessionId, 0)) {
    yield line.text
    head = line
  }
  yield exportSeal(sessionId, head.seq, head.hash, signingKey(homeKey(home)))
}

async function writeFile(path: string, lines: AsyncIterable<string>): Promise<void> {
  const file = await open(path, "wx", 0o600).catch((fault: NodeJS.ErrnoException) => {
    const why = fault.code === "EEXIST" ? "it already exists. Name another file." : fault.message
    throw new AppFault(`${path} cannot be written: ${why}`)
  })
  try {
    let count = 0
    for await (const line of lines) {
      await file.write(`${line}\n`)
      count += 1
    }
    printNotice(`wrote ${count - 2} events to ${path}`)
  } finally {
    await file.close()
  }
}
