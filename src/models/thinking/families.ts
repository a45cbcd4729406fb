// How models take a thinking level, by name. Lists only what is over: models of the future are assumed to take an effort,
// and their provider's package knows which. A wrong guess is corrected by the provider's refusal (see refusal.ts).
import type { ProviderType } from "../providers/provider.ts"
import type { Effort } from "./efforts.ts"

export type Family =
  /** The model does not think. */
  | { readonly kind: "none" }
  /** Without a list, the provider's package chooses the nearest effort that the model has. */
  | { readonly kind: "efforts"; readonly efforts?: readonly Effort[] }
  /** The package does not know the model and would leave the effort out. */
  | { readonly kind: "forced-efforts"; readonly efforts: readonly Effort[] }
  | { readonly kind: "gemini" }
  /** A number of tokens. */
  | { readonly kind: "claude-budget" | "bedrock-budget" | "gemini-budget" }

const none: Family = { kind: "none" }
const efforts: Family = { kind: "efforts" }

const thoughtlessClaude = /claude-(?:instant|v?2|3-(?:5|opus|sonnet|haiku))/
const budgetClaude = /claude-(?:3-7|(?:opus|sonnet|haiku)-4(?:-[015](?!\d)|-20\d{6}|@|$))/
const thoughtlessGpt = /^(?:chatgpt-|gpt-(?:3|4)|gpt-5(?:\.\d)?-chat|o1-mini|o1-preview)/
const thoughtlessGemini = /^gemini-(?:1|2\.0|pro)|^gemma/
const thoughtlessOnBedrock =
  /(?:^|\.)(?:amazon\.nova-(?:micro|lite|pro|premier)|amazon\.titan|meta|mistral|cohere|ai21|writer)/

export function familyOf(type: ProviderType, id: string): Family {
  switch (type) {
    case "anthropic":
      return claude(id, "claude-budget")
    case "amazon-bedrock":
      return onBedrock(id)
    case "openai":
      return thoughtlessGpt.test(id) ? none : gpt(id)
    case "google":
      if (thoughtlessGemini.test(id)) return none
      return { kind: id.startsWith("gemini-2.5") ? "gemini-budget" : "gemini" }
    case "openai-compatible":
      return onCompatible(id)
    case "azure":
      return onAzure(id)
    case "vertex":
      return familyOf(isClaude(id) ? "anthropic" : "google", id)
  }
}

/** Vertex serves models of both vendors. */
export function isClaude(id: string): boolean {
  return id.startsWith("claude")
}

/** Says nothing if a deployment does not have the name of its model: the package has to send the effort then as well. */
function onAzure(id: string): Family {
  if (thoughtlessGpt.test(id)) return none
  if (/^(?:gpt-|o\d|codex)/.test(id)) return gpt(id)
  return { kind: "forced-efforts", efforts: ["low", "medium", "high"] }
}

function claude(id: string, budget: "claude-budget" | "bedrock-budget"): Family {
  if (thoughtlessClaude.test(id)) return none
  return budgetClaude.test(id) ? { kind: budget } : efforts
}

/** Its package takes `xhigh` for Anthropic's `max`, and has no name of its own for it. */
function onBedrock(id: string): Family {
  if (thoughtlessOnBedrock.test(id)) return none
  const family = id.includes("claude") ? claude(id, "bedrock-budget") : efforts
  return family.kind === "efforts" ? { kind: "efforts", efforts: ["none", "low", "medium", "high", "xhigh"] } : family
}

/** The package leaves the efforts of these open. */
function gpt(id: string): Family {
  if (/^gpt-5(?:\.\d)?-pro/.test(id)) return { kind: "efforts", efforts: ["high"] }
  if (/^o\d|^gpt-5(?:\.1)?-codex(?!-max)/.test(id)) return { kind: "efforts", efforts: ["low", "medium", "high"] }
  if (/codex/.test(id)) return { kind: "efforts", efforts: ["low", "medium", "high", "xhigh"] }
  return efforts
}

/** These four are understood by most servers. */
function onCompatible(id: string): Family {
  const name = id.slice(id.lastIndexOf("/") + 1)
  if (thoughtlessClaude.test(name) || thoughtlessGpt.test(name) || thoughtlessGemini.test(name)) return none
  return { kind: "efforts", efforts: ["none", "low", "medium", "high"] }
}
