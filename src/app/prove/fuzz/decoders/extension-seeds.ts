// Conversations of extensions, as they print them.

const rpc = { jsonrpc: "2.0" }
const answer = (result: unknown) => ({ ...rpc, id: "$id", result })
const notice = (method: string, params: object) => ({ ...rpc, method, params })

const tool = { name: "look", description: "Looks.", input_schema: { type: "object" } }
const provider = {
  id: "own",
  display_name: "Own",
  description: "Models.",
  models: [{ id: "m", display_name: "M", capabilities: { streaming: true, tool_use: true }, context_window: 8000 }],
  config_schema: { required: ["key"] },
}
const initialized = answer({ protocol_version: 2, capabilities: { tools: [tool], providers: [provider] } })
const proceed = answer({ action: "continue" })
const hook = {
  hookSpecificOutput: {
    permissionDecision: "deny",
    permissionDecisionReason: "no",
    updatedInput: { file_path: "b" },
    additionalContext: "c",
  },
  decision: "block",
  reason: "r",
}

const conversations: readonly (readonly object[])[] = [
  [
    initialized,
    proceed,
    answer({ action: "modify", input: { path: "b" } }),
    answer({ action: "replace", output: "other" }),
    answer({ action: "inject", content: "More." }),
    notice("provider.stream.event", { event: { type: "thinking", delta: "Hm." } }),
    notice("provider.stream.event", { type: "text", text: "Hel" }),
    notice("provider.stream.event", { type: "usage", usage: { input_tokens: 3 } }),
    answer({
      content: [
        { type: "thinking", thinking: "Hm.", signature: "s" },
        { type: "text", text: "Hello" },
        { type: "tool_use", id: "1", name: "look", input: { path: "a" } },
      ],
      stop_reason: "tool_use",
      usage: { input_tokens: 3, output_tokens: 4, cache_read_input_tokens: 1 },
    }),
  ],
  [
    answer({ protocol_version: 1, capabilities: [] }),
    answer({ action: "block", reason: "no" }),
    answer({ action: "confirm", message: "sure?" }),
    notice("command.output", { event: { kind: "table", headers: ["a", "b"], rows: [["1", "2"], ["3"]] } }),
    notice("command.output", { kind: "text", content: "\u001b[1mhi", ...hook }),
    proceed,
    { ...rpc, id: 77, method: "memory.get", params: { key: "a" } },
    proceed,
    answer({ content: [{ type: "text", text: "Hi" }] }),
  ],
  [initialized, { ...rpc, id: "$id", error: { code: -32601, message: "unknown" } }, answer({ action: "modify" })],
]

export const extensionSeeds: readonly Uint8Array[] = [
  ...conversations.map((messages) => messages.map((message) => JSON.stringify(message)).join("\n")),
  `raw:greeting\n${JSON.stringify(initialized)}\nraw:Content-Length: 5\nraw:`,
].map((text) => Buffer.from(text))

export const extensionWords: readonly string[] =
  "$id raw: Content-Length: jsonrpc 2.0 id method params result error code message protocol_version capabilities tools providers name description input_schema display_name models context_window streaming tool_use config_schema required action continue block confirm inject modify replace reason input output content type text thinking delta signature stop_reason end_turn max_tokens usage input_tokens output_tokens event kind table headers rows system hookSpecificOutput permissionDecision allow deny ask updatedInput additionalContext decision provider.stream.event command.output memory.get done".split(
    " ",
  )
