// A tool of a server as the runner runs tools. Its class comes from the server only where the user trusts the server;
// every other tool is unsafe. A call is sent once, after its intent is stored.
import { createHash } from "node:crypto"
import { isJsonObject, type JsonObject } from "../../contract/json-object.ts"
import type { JsonValue, ToolClass } from "../../contract/values.ts"
import { failed, withoutPreparation } from "../../tools/define-tool.ts"
import type { Tool, ToolContext, ToolResult } from "../../tools/tool.ts"
import type { ListedTool } from "../listing/listing.ts"
import type { McpServer } from "../mcp-server.ts"
import type { RunningServer } from "../running-server.ts"
import { callAsks } from "./call-asks.ts"
import { callResult, failedResult } from "./call-result.ts"
import { shallowProblem } from "./shallow-check.ts"
import { toolName } from "./tool-names.ts"

export function serverTool(running: RunningServer, listed: ListedTool): Tool {
  const { server } = running
  const { inputSchema } = listed
  const isReadOnly = server.isTrusted && listed.isReadOnly
  return {
    name: toolName(server.name, listed.name),
    description: listed.description === "" ? `${listed.name} of the MCP server ${server.name}.` : listed.description,
    class: classOf(listed, server.isTrusted),
    ...(isReadOnly ? { isReadOnly } : {}),
    isExternal: true,
    revision: revisionOf(server, listed),
    inputSchema: { type: "object", ...inputSchema },
    problem: (input) => shallowProblem(inputSchema, input),
    resources: () => [],
    prepare: async (input, context) => withoutPreparation(context, () => run(running, listed, input, context)),
  }
}

/** A permission for a tool does not pass to another server that takes its name and repeats its descriptions. */
function revisionOf({ kind, command, args, url }: McpServer, { revision }: ListedTool): string {
  const facts = JSON.stringify([revision, kind, command, args, url])
  return createHash("sha256").update(facts).digest("hex").slice(0, 32)
}

export function classOf({ isReadOnly, isIdempotent }: ListedTool, isTrusted: boolean): ToolClass {
  if (!isTrusted) return "unsafe"
  return isReadOnly ? "read" : isIdempotent ? "keyed" : "unsafe"
}

async function run(
  running: RunningServer,
  { name: tool, revision }: ListedTool,
  input: JsonValue,
  context: ToolContext,
): Promise<ToolResult> {
  if (!isJsonObject(input)) return failed("The input must be an object.")
  const { signal, scrubber, progress } = context
  const { name } = running.server
  const options = { signal, revision, meta: metaOf(context), asks: callAsks(name, context), progress }
  const answer = await running.call(tool, input, options)
  return answer.kind === "result" ? callResult(answer.result, name, scrubber) : failedResult(answer, name, scrubber)
}

/** The variables of a defined tool, for servers that keep accounts per caller or recognise a repeated call. */
function metaOf({ callId, idempotencyKey, sessionId, caller }: ToolContext): JsonObject {
  return {
    "turnhouse/callId": callId,
    "turnhouse/idempotencyKey": idempotencyKey,
    "turnhouse/session": sessionId,
    ...(caller === undefined ? {} : { "turnhouse/org": caller.org, "turnhouse/user": caller.user }),
    ...(caller?.verifiedEmail === undefined ? {} : { "turnhouse/verifiedEmail": caller.verifiedEmail }),
    ...(caller?.verifiedPhone === undefined ? {} : { "turnhouse/verifiedPhone": caller.verifiedPhone }),
  }
}
