// A host inside your own program: one session, one prompt, the answer on stdout.
//
//   node examples/embedded-host.ts "read package.json and tell me the name"
import { describeRefusal, newId, openHost } from "turnhouse"

const host = await openHost()
try {
  const who = { principal: "my-program", door: "my-program" } // stored with every command it sends
  const opened = await host.port.create({ cwd: process.cwd(), origin: "my-program" }, who)
  if (opened.kind === "refused") throw new Error(describeRefusal(opened.refusal))
  const { handle } = opened
  const ended = new Promise<void>((resolve) => {
    void handle.watch(0, (item) => {
      if (item.kind === "delta" && item.delta.type === "text.delta") process.stdout.write(item.delta.delta)
      if (item.kind === "event" && item.recorded.event.type === "turn.ended") resolve()
    })
  })
  const text = process.argv[2] ?? "hello"
  const sent = await handle.send({ type: "prompt", promptId: `prm_${newId()}`, text, ifBusy: "refuse" })
  if (sent.kind === "refused") throw new Error(describeRefusal(sent.refusal))
  await ended
} finally {
  await host.close()
}
