// Conversations of MCP servers, as they print them.

const rpc = { jsonrpc: "2.0" }
const answer = (result: object) => ({ ...rpc, id: "$id", result })
const notice = (method: string, params: object = {}) => ({ ...rpc, method, params })
const request = (id: number, method: string, params: object) => ({ ...rpc, id, method, params })

const initialized = (capabilities: object) =>
  answer({
    protocolVersion: "2025-06-18",
    capabilities,
    serverInfo: { name: "s", version: "1" },
    instructions: "Use it.",
  })
const schema = {
  type: "object",
  properties: { path: { type: "string" }, count: { type: "integer" } },
  required: ["path"],
}
const tool = {
  name: "look",
  title: "Look",
  description: "Looks.",
  inputSchema: schema,
  annotations: { readOnlyHint: true, idempotentHint: true, destructiveHint: false, openWorldHint: false },
}
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
const content = [
  { type: "text", text: "hello" },
  { type: "image", data: pixel, mimeType: "image/png" },
  { type: "audio", data: "AA==", mimeType: "audio/wav" },
  { type: "resource_link", uri: "file:///a", name: "a", description: "d" },
  { type: "resource", resource: { uri: "file:///a", text: "t", mimeType: "text/plain" } },
]
const form = { type: "object", properties: { name: { type: "string", title: "Name" }, ok: { type: "boolean" } } }

const conversations: readonly (readonly object[])[] = [
  [
    initialized({ tools: { listChanged: true } }),
    answer({ tools: [tool, { ...tool, name: "two" }] }),
    notice("notifications/progress", { progressToken: 3, progress: 1, total: 2, message: "half" }),
    answer({ content }),
    notice("notifications/tools/list_changed"),
    answer({ content: [], structuredContent: { a: 1 }, isError: true }),
  ],
  [
    initialized({ tools: {}, prompts: {}, resources: {}, logging: {} }),
    notice("notifications/message", { level: "info", logger: "l", data: { a: 1 } }),
    answer({ tools: [tool], nextCursor: "2" }),
    answer({ tools: [{ name: "three", inputSchema: { type: "object" } }] }),
    request(7, "elicitation/create", { message: "Name?", requestedSchema: form }),
    request(8, "sampling/createMessage", {
      messages: [{ role: "user", content: { type: "text", text: "hi" } }],
      maxTokens: 5,
    }),
    request(9, "roots/list", {}),
    request(10, "ping", {}),
    answer({ content: [{ type: "text", text: "done" }] }),
    answer({ content: [{ type: "text", text: "done" }] }),
    answer({ prompts: [{ name: "p", description: "d", arguments: [{ name: "a", required: true }] }] }),
    answer({ resources: [{ uri: "file:///a", name: "a", mimeType: "text/plain" }] }),
  ],
  [initialized({ tools: {} }), { ...rpc, id: "$id", error: { code: -32601, message: "none", data: {} } }],
  [{ ...rpc, id: "$id", error: { code: -32000, message: "not now" } }],
]

export const mcpSeeds: readonly Uint8Array[] = conversations.map((messages) =>
  Buffer.from(messages.map((message) => JSON.stringify(message)).join("\n")),
)

export const mcpWords: readonly string[] =
  "$id jsonrpc 2.0 id method params result error code message data initialize protocolVersion 2025-06-18 2024-11-05 2025-11-25 capabilities tools prompts resources logging listChanged serverInfo name version instructions title description inputSchema outputSchema type object string properties required $ref $defs anyOf annotations readOnlyHint nextCursor content text image audio resource resource_link mimeType uri blob structuredContent isError notifications/progress notifications/cancelled notifications/message notifications/tools/list_changed progressToken progress total elicitation/create sampling/createMessage roots/list ping requestedSchema url mode form requestId _meta execution taskSupport".split(
    " ",
  )
