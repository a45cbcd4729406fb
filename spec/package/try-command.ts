// The commands of the README, in an installed package.
import { openInput, type Place } from "../e2e/place.ts"
import type { Ended } from "../e2e/running.ts"

/** What `tryCommand` finds where everything works. */
export const working = {
  run: 'name is "demo-app"',
  continued: 'version is "1.2.3"',
  ls: "read package.json and tell me the name",
  log: "demo-app",
  approve: 0,
  written: "hello\n",
  rpc: '"type":"response"',
  health: 200,
  served: 0,
}

/** `PATH`: begins with the Node of the machine. */
export async function tryCommand(
  place: Place,
  program: string,
  PATH: string,
): Promise<Record<keyof typeof working, unknown>> {
  const env = { PATH }
  const start = (...args: readonly string[]) => place.startOther(program, args, { env }).ended
  place.write("package.json", '{"name":"demo-app","version":"1.2.3"}')
  const run = found(await start("run", "read package.json and tell me the name"), working.run)
  const continued = found(
    await start("run", "--continue", "read package.json and tell me the version"),
    working.continued,
  )
  const ls = found(await start("ls"), working.ls)
  const [id = ""] = (await start("ls", "--json")).stdout.match(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]+/) ?? []
  const log = found(await start("log", id), working.log)

  const waiting = place.startOther(program, ["run", "--wait", "10m", "write hello to hello.txt"], { env })
  const approval = await waiting.until("an approval", () => /turnhouse approve (apr_\w+)/.exec(waiting.stderr)?.[1])
  const { code: approve } = await start("approve", approval)
  if (approve !== 0) waiting.signal("SIGINT")
  await waiting.ended

  const input = '{"type":"prompt","id":"1","message":"hello"}\n'
  const rpc = found(await place.startOther(program, ["rpc"], { env, input }).ended, working.rpc)

  const server = place.startOther(program, ["serve", "--port", "0"], { env, input: openInput })
  const address = await server.until("its address", () => /listening on (http:\/\/\S+)/.exec(server.stdout)?.[1])
  const { status: health } = await fetch(`${address}/healthz`)
  server.signal("SIGTERM")
  return {
    run,
    continued,
    ls,
    log,
    approve,
    written: place.read("hello.txt"),
    rpc,
    health,
    served: (await server.ended).code,
  }
}

/** The text if it was printed, else all that happened. */
function found(ended: Ended, text: string): unknown {
  return ended.code === 0 && ended.stdout.includes(text) ? text : ended
}
