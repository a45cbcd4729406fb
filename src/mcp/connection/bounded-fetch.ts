// `fetch` for MCP over HTTP whose responses are bounded: a server cannot fill the memory or occupy the host.
import { FloodGuard, lineCount } from "./flood-guard.ts"
import { MAX_MESSAGE_BYTES } from "./process-transport.ts"

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** `onProblem` gets the reason when a response goes over its bounds. */
export function boundedFetch(onProblem: (problem: string) => void, plain: Fetch = fetch): Fetch {
  const guard = new FloodGuard()
  return async (url, init) => {
    const response = await plain(url, init)
    if (response.body === null) return response
    const { status, statusText, headers } = response
    const bounded = new Response(response.body.pipeThrough(bounds(guard, onProblem)), { status, statusText, headers })
    // a rebuilt response has no address, and redirects are judged by it
    return Object.defineProperty(bounded, "url", { value: response.url })
  }
}

/** An event ends with an empty line, so the bytes since the last line end bound a message from above. */
function bounds(guard: FloodGuard, onProblem: (problem: string) => void): TransformStream<Uint8Array, Uint8Array> {
  let unfinished = 0
  return new TransformStream({
    transform(chunk, controller) {
      const end = chunk.lastIndexOf(0x0a)
      unfinished = end === -1 ? unfinished + chunk.length : chunk.length - end - 1
      const problem =
        unfinished > MAX_MESSAGE_BYTES
          ? `a message has more than ${MAX_MESSAGE_BYTES} bytes`
          : guard.count(lineCount(chunk), chunk.length)
      if (problem === undefined) return controller.enqueue(chunk)
      controller.error(new Error(problem))
      onProblem(problem)
    },
  })
}
