// What a server may ask for while one of its calls runs: an answer of a person, an answer of the session's model. Both need
// a person's approval; where there is none the server gets a refusal.
import type { SamplingAnswer, ToolContext } from "../../tools/tool.ts"
import { askForm } from "../asking/elicitation-form.ts"
import { readSampling, samplingReply } from "../asking/sampling-params.ts"
import type { CallAsks } from "../server-call.ts"

type AskingContext = Pick<ToolContext, "sessionId" | "elicit" | "sample">

export function callAsks(server: string, { sessionId, elicit, sample }: AskingContext): CallAsks {
  return {
    sessionId,
    elicit: async (params, signal) => {
      if (elicit === undefined) return { action: "decline" }
      const {
        action,
        content = {},
        _meta,
      } = await askForm((asked, stop) => elicit({ server, ...asked }, stop), params, signal)
      const values = Object.entries(content).map(([name, value]) => [name, isList(value) ? [...value] : value] as const)
      const reason = _meta === undefined ? {} : { _meta }
      return action === "accept" ? { action, content: Object.fromEntries(values) } : { action, ...reason }
    },
    sample: async (params, signal) => {
      const { ProtocolError } = await import("@modelcontextprotocol/client")
      const reply = samplingReply(await sampled(params, signal))
      if (reply.kind === "error") throw new ProtocolError(reply.code, reply.message)
      const { role, content, model } = reply.result
      return { role, content: { ...content }, model }
    },
  }

  async function sampled(params: unknown, signal: AbortSignal): Promise<SamplingAnswer> {
    const read = readSampling(server, params)
    if (read.kind === "no") return { kind: "refused", reason: read.reason }
    return sample === undefined ? { kind: "refused", reason: "no person can be asked" } : sample(read.request, signal)
  }
}

function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value)
}
