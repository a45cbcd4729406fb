// Changes the body of a chat completion to what a server understands.
import type { Quirks } from "./hosted.ts"

type Body = Record<string, unknown>

/** Undefined where the body needs no change. */
export function bodyChange(quirks: Quirks | undefined): ((body: Body) => Body) | undefined {
  const { maxTokens, thinkingSwitch } = quirks ?? {}
  if (maxTokens === undefined && thinkingSwitch === undefined) return undefined
  return (body) => {
    const { max_tokens: limit, reasoning_effort: effort, ...rest } = body
    return {
      ...rest,
      ...(limit === undefined ? {} : { [maxTokens ?? "max_tokens"]: limit }),
      ...(effort === undefined ? {} : thinkingFields(effort, thinkingSwitch)),
    }
  }
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
