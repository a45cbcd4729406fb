// Wires `turnhouse serve`: the server, the host behind it, its local sockets, and the signals that end it.
import { AuthFault } from "../../identity/auth-fault.ts"
import { KeyFileFault } from "../../secrets/key-file.ts"
import type { Redactor } from "../../secrets/redactor.ts"
import { addressOf, addressWarnings, type ListenOptions } from "../../server/address.ts"
import type { NetworkDoorOptions, ServedHost } from "../../server/network-door.ts"
import type { ServedNode } from "./node-meters.ts"
import { Server } from "../../server/server.ts"
import { ServerFault } from "../../server/server-fault.ts"
import { offlineModelWarnings } from "../../server/visitor-models.ts"
import { AppFault, exitCodes, messageOf } from "../app-fault.ts"
import { clusterOf } from "../cluster/cluster.ts"
import type { AppContext } from "../context.ts"
import { KnowledgeSchedule } from "../knowledge/schedule.ts"
import { limitHeapGrowth } from "../host/process-limits.ts"
import { prepareConfigured } from "../host/first-turn.ts"
import { localUser } from "../local-user.ts"
import { consoleKey, openRedactor } from "../secrets/home-secrets.ts"
import { modelWarnings } from "../settings/check-model.ts"
import { mailSettings } from "../settings/mail-settings.ts"
import { onSignals } from "../signals.ts"
import { printNotice } from "../terminal.ts"
import { version, webFolder } from "../../program/program-files.ts"
import { homeKey } from "../../secrets/home-key.ts"
import { openAccessStores } from "./access-stores.ts"
import { ClusterAllowances } from "./cluster-allowances.ts"
import { createSignIn } from "./share-links.ts"
import { forgetServer, noteServer } from "./server-note.ts"

export interface ServeOptions extends ListenOptions, Pick<NetworkDoorOptions, "place"> {
  readonly isQuiet: boolean
  /** Print an address that signs a browser in. */
  readonly printsLink: boolean
  /** How long running turns may continue at shutdown. */
  readonly graceMs: number
}

const sighup = 1

/** Until it is asked to leave; returns the exit code. */
export async function serve(context: AppContext, options: ServeOptions): Promise<number> {
  try {
    return await run(context, options)
  } catch (fault) {
    if (fault instanceof AuthFault) throw new AppFault(fault.message, exitCodes.usage)
    if (fault instanceof ServerFault) throw new AppFault(fault.message, exitCodes[fault.kind])
    if (fault instanceof KeyFileFault) throw new AppFault(fault.message)
    throw fault
  }
}

async function run(
  context: AppContext,
  { graceMs, isQuiet, printsLink, place, ...listen }: ServeOptions,
): Promise<number> {
  const { home, config } = context
  const address = addressOf(listen, config)
  const warnings = [...context.warnings, ...addressWarnings(address, config), ...offlineModelWarnings(config)]
  for (const warning of warnings) printNotice(`turnhouse: ${warning}`)
  if (config.otp !== undefined) mailSettings(config.otp)
  const { store } = config
  const shared = store?.type === "postgres" ? new ClusterAllowances(store.url, homeKey(home)) : undefined
  let redactor: Redactor | undefined // made with the first line: the address is printed before
  const cluster = clusterOf(context)
  const node = cluster && new (await import("./node-meters.ts")).ServedNode(cluster)
  const server = await Server.open({
    home,
    config,
    address,
    place,
    isQuiet,
    redact: (text) => (redactor ??= openRedactor(home, config)).text(text),
    owner: { key: consoleKey(home), name: localUser() },
    openStores: () => openAccessStores(context),
    openAllowances: shared && ((limits) => shared.open(limits)),
    webFolder,
    release: version(),
    openHost: () => openHost(context, node),
    nodeMeters: node?.meters,
  })
  onSignals((signal) => onSignal(server, signal))
  const url = await server.listen()
  noteServer(home, url)
  process.stdout.write(`listening on ${url}\n`)
  if (printsLink) await printSignIn(context, url)
  void printModelWarnings(context)
  limitHeapGrowth("serve")
  shared?.start()
  const end = await server.serve(graceMs).finally(() => forgetServer(home))
  await shared?.close()
  if (end === "left") return exitCodes.done
  printNotice("turnhouse: another host has taken over the sessions; this one exits")
  process.exit(exitCodes.failed)
}

/** A server without its database serves nevertheless: only the address cannot be made. */
async function printSignIn(context: AppContext, url: string): Promise<void> {
  try {
    process.stdout.write(`open ${(await createSignIn(context, url)).url.href}\n`)
  } catch (fault) {
    if (!(fault instanceof AppFault)) throw fault
    printNotice(`turnhouse: ${fault.message}`)
  }
}

/** After the start: it must not take longer. A mistake that stops model calls is reported by the first of them. */
async function printModelWarnings(context: AppContext): Promise<void> {
  const warnings = await modelWarnings(context).catch((fault: unknown) => [messageOf(fault)])
  for (const warning of warnings) printNotice(`turnhouse: ${warning}`)
}

/** Loaded once the address is bound: a client that connects earlier waits. */
async function openHost(context: AppContext, node: ServedNode | undefined): Promise<ServedHost> {
  const [{ startHost }, { openLog }, { openLocalDoors }] = await Promise.all([
    import("../compose.ts"),
    import("../host/open-log.ts"),
    import("../host/local-doors.ts"),
  ])
  const running = await startHost(context, {
    role: "serve",
    approvalWaitMs: "by preset",
    isPersistent: true,
    ...(node && { meter: node.meters, openLog: (place) => openLog(place, { counters: node.meters }) }),
  })
  if (node !== undefined) node.bus = running.bus
  const local = await openLocalDoors(context, running)
  const schedule = KnowledgeSchedule.start(context)
  void prepareConfigured(running.models, context.config)
  const close = async () => {
    await schedule?.close()
    await local.close()
    await running.close()
  }
  return { ...running, close }
}

/** A second signal exits at once, and the reaper cleans up. The end of a terminal does not stop a server. */
function onSignal(server: Server, signal: number): void {
  if (signal === sighup) return
  if (server.isLeaving) process.exit(128 + signal)
  server.leave()
}
