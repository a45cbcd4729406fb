// Worker thread that extracts text. Documents are untrusted: a worker that hangs or grows can be terminated.
import { messageOf } from "../../contract/faults.ts"
import { parentPort, type MessagePort } from "node:worker_threads"
import { documentText } from "./document-text.ts"
import type { ExtractAnswer, ExtractRequest } from "./extractor.ts"

if (parentPort !== null) serve(parentPort)

function serve(port: MessagePort): void {
  port.on("message", (request: ExtractRequest) => {
    void answerTo(request).then((answer) => port.postMessage(answer))
  })
}

async function answerTo(request: ExtractRequest): Promise<ExtractAnswer> {
  try {
    return { text: await documentText(request) }
  } catch (fault) {
    return { fault: messageOf(fault) }
  }
}
