// The thread that writes, so that the event loop never waits for a disk. While a commit is under way new batches pile
// up in the port; the next transaction takes them all.
import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from "node:worker_threads"
import { openDatabase } from "./connection.ts"
import type { WriterBatch, WriterReport, WriterThreadData } from "./writer-client.ts"
import { Writer } from "./writer.ts"

if (parentPort !== null) serve(parentPort, workerData)

function serve(port: MessagePort, { path }: WriterThreadData): void {
  const writer = new Writer({ path, open: () => openDatabase(path) })
  const report = (what: WriterReport) => port.postMessage(what)
  port.on("message", (first: WriterBatch) => {
    const batches = [first, ...waitingIn(port)]
    if (batches.some((batch) => batch.isInDoubt)) writer.doubt()
    const requests = batches.flatMap((batch) => batch.requests)
    if (requests.length > 0) report(writer.commit(requests))
    if (!batches.some((batch) => batch.last)) return
    writer.close()
    port.close()
  })
  report("ready")
}

function waitingIn(port: MessagePort): readonly WriterBatch[] {
  const batches: WriterBatch[] = []
  for (;;) {
    const received: { message: WriterBatch } | undefined = receiveMessageOnPort(port)
    if (received === undefined) return batches
    batches.push(received.message)
  }
}
