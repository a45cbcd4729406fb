// `npm run cluster`: PostgreSQL, NATS and three nodes on this machine, until Ctrl-C. With --story it plays what happens when the
// node of a chat is killed, and ends.
import { parseArgs } from "node:util"
import { messageOf } from "../../src/contract/faults.ts"
import { LocalCluster } from "./local-cluster.ts"
import { playStory } from "./story.ts"

const help = `Usage: npm run cluster [-- OPTIONS]

Starts PostgreSQL, NATS and three nodes on this machine, with data in a temporary folder that is deleted at the end. Missing
servers are installed from Debian's packages when it runs as root.

  --story   starts a chat on one node, watches it on another, kills the first, and ends with the whole answer
  --help    prints this text
`

process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  const options = optionsIn(args)
  if (typeof options === "string") {
    process.stderr.write(`cluster: ${options}\nTry 'npm run cluster -- --help'.\n`)
    return 2
  }
  if (options.help) {
    process.stdout.write(help)
    return 0
  }
  const stopped = Promise.withResolvers<void>()
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopped.resolve())
  const cluster = new LocalCluster((line) => process.stderr.write(`${line}\n`))
  try {
    await Promise.race([cluster.start(), stopped.promise])
    if (options.story) await Promise.race([playStory(cluster, print), stopped.promise])
    else await untilStopped(cluster, stopped.promise)
    return 0
  } catch (fault) {
    process.stderr.write(`cluster: ${messageOf(fault)}\n`)
    return 1
  } finally {
    await cluster.close()
  }
}

async function untilStopped(cluster: LocalCluster, stopped: Promise<void>): Promise<void> {
  for (const { name, url, home } of cluster.nodes)
    print(`node ${name}   ${url}   sign in: TURNHOUSE_HOME=${home} bin/turnhouse link`)
  print(`\nnodes: TURNHOUSE_HOME=${cluster.nodes[0]?.home} bin/turnhouse nodes\nCtrl-C stops all of it.`)
  await stopped
}

function optionsIn(args: readonly string[]): { readonly story: boolean; readonly help: boolean } | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { story: { type: "boolean", default: false }, help: { type: "boolean", short: "h", default: false } },
    })
    return values
  } catch (fault) {
    return messageOf(fault)
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
