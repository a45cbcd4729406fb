// Changes the body of a chat completion to what a server understands.
import { isObject } from "../../contract/json-object.ts"
import type { Quirks } from "./hosted.ts"

type Body = Record<string, unknown>

/** Undefined where the body needs no change. */
export function bodyChange(quirks: Quirks | undefined): ((body: Body) => Body) | undefined {
  const { maxTokens, thinkingSwitch, takesThoughts = true } = quirks ?? {}
  if (maxTokens === undefined && thinkingSwitch === undefined && takesThoughts) return undefined
  return (body) => {
    const { max_tokens: limit, reasoning_effort: effort, ...rest } = body
    return {
      ...rest,
      ...(takesThoughts ? {} : { messages: withoutThoughts(rest["messages"]) }),
      ...(limit === undefined ? {} : { [maxTokens ?? "max_tokens"]: limit }),
      ...(effort === undefined ? {} : thinkingFields(effort, thinkingSwitch)),
    }
  }
}

function withoutThoughts(messages: unknown): unknown {
  if (!Array.isArray(messages)) return messages
  return messages.map((message: unknown) => {
    const { reasoning_content: _thoughts, ...rest } = isObject(message) ? message : {}
    return rest
  })
}

function thinkingFields(effort: unknown, thinkingSwitch: Quirks["thinkingSwitch"]): Body {
  const enabled = effort !== "none"
  switch (thinkingSwitch) {
    case "thinking.type":
      return { thinking: { type: enabled ? "enabled" : "disabled" } }
    case "reasoning.enabled":
      return { reasoning: { enabled } }
    case "enable_thinking":
      return { enable_thinking: enabled }
    case undefined:
      return { reasoning_effort: effort }
  }
}
