// Plain readers of the two formats for the bare relay: no checks, nothing but text and calls.

export interface Call {
  readonly id: string
  readonly name: string
  readonly input: { readonly path?: string; readonly command?: string }
}

export interface BareFormat {
  readonly path: string
  /** Adds what an event of the stream has. */
  read(event: string, deltas: string[], calls: Call[]): void
  /** The messages for the next request. */
  resultOf(call: Call, output: string): readonly object[]
}

interface Chunk {
  readonly choices: readonly {
    readonly delta: {
      readonly content?: string
      readonly tool_calls?: readonly {
        readonly id: string
        readonly function: { readonly name: string; readonly arguments: string }
      }[]
    }
  }[]
}

interface Block {
  readonly content_block?: { readonly type: string; readonly id: string; readonly name: string }
  readonly delta?: { readonly text?: string; readonly partial_json?: string }
}

export const bareFormats: Readonly<Record<string, BareFormat>> = {
  chat: {
    path: "/chat/completions",
    read(event, deltas, calls) {
      if (!event.startsWith("data: {")) return
      const { choices }: Chunk = JSON.parse(event.slice(6))
      const delta = choices[0]?.delta
      if (delta?.content !== undefined) deltas.push(delta.content)
      for (const { id, function: called } of delta?.tool_calls ?? [])
        calls.push({ id, name: called.name, input: JSON.parse(called.arguments) })
    },
    resultOf: ({ id, name, input }, content) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(input) } }],
      },
      { role: "tool", tool_call_id: id, content },
    ],
  },
  anthropic: {
    path: "/messages",
    read(event, deltas, calls) {
      const data = event.indexOf("data: {")
      if (data === -1) return
      const { content_block: block, delta }: Block = JSON.parse(event.slice(data + 6))
      if (delta?.text !== undefined) deltas.push(delta.text)
      if (block?.type === "tool_use") calls.push({ id: block.id, name: block.name, input: {} })
      const last = calls.pop()
      if (last !== undefined)
        calls.push(delta?.partial_json === undefined ? last : { ...last, input: JSON.parse(delta.partial_json) })
    },
    resultOf: ({ id, name, input }, content) => [
      { role: "assistant", content: [{ type: "tool_use", id, name, input }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
    ],
  },
}
