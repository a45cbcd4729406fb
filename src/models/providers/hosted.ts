// Providers that speak OpenAI's chat completions: a key is all they need. Order: who becomes the default first.
import type { Effort } from "../thinking/efforts.ts"

export interface HostedProvider {
  readonly baseURL: string
  /** Environment variables with a key, in order of precedence. */
  readonly keys: readonly string[]
  /** Absent where the variable usually holds a token for other purposes: its presence must not select the provider. */
  readonly defaultModel?: string
  readonly quirks?: Quirks
}

/** Where a server differs from what most servers understand. */
export interface Quirks {
  /** False if it refuses `stream_options`; such a server reports usage anyway. */
  readonly streamOptions?: false
  /** The field for the limit of the answer, if it is not `max_tokens`. */
  readonly maxTokens?: "max_completion_tokens"
  /** The values of `reasoning_effort`; none if it takes no thinking level. */
  readonly efforts?: readonly Effort[]
  /** False if it refuses the thoughts of earlier answers (`reasoning_content`). */
  readonly takesThoughts?: false
  /** What takes the place of `reasoning_effort` where thinking can only be switched on and off. */
  readonly thinkingSwitch?: "thinking.type" | "reasoning.enabled" | "enable_thinking"
}

const onOff: readonly Effort[] = ["none", "high"]
const noLevel: Quirks = { efforts: [] }

export const hostedProviders: Readonly<Record<string, HostedProvider>> = {
  openrouter: {
    baseURL: "https://openrouter.ai/api/v1",
    keys: ["OPENROUTER_API_KEY"],
    defaultModel: "anthropic/claude-sonnet-5",
    quirks: { efforts: ["none", "minimal", "low", "medium", "high", "xhigh"] },
  },
  "vercel-ai-gateway": {
    baseURL: "https://ai-gateway.vercel.sh/v1",
    keys: ["AI_GATEWAY_API_KEY", "VERCEL_AI_GATEWAY_API_KEY"],
    defaultModel: "anthropic/claude-sonnet-5",
    quirks: { efforts: ["none", "minimal", "low", "medium", "high", "xhigh"] },
  },
  xai: {
    baseURL: "https://api.x.ai/v1",
    keys: ["XAI_API_KEY"],
    defaultModel: "grok-4.7",
    quirks: { efforts: ["low", "high"] },
  },
  deepseek: {
    baseURL: "https://api.deepseek.com/v1",
    keys: ["DEEPSEEK_API_KEY"],
    defaultModel: "deepseek-flash",
    quirks: { efforts: onOff, thinkingSwitch: "thinking.type" },
  },
  moonshotai: {
    baseURL: "https://api.moonshot.ai/v1",
    keys: ["MOONSHOT_API_KEY"],
    defaultModel: "kimi-k3",
    quirks: { efforts: onOff, thinkingSwitch: "thinking.type" },
  },
  zai: {
    baseURL: "https://api.z.ai/api/paas/v4",
    keys: ["ZAI_API_KEY"],
    defaultModel: "glm-5.3",
    quirks: { efforts: onOff, thinkingSwitch: "thinking.type" },
  },
  minimax: {
    baseURL: "https://api.minimax.io/v1",
    keys: ["MINIMAX_API_KEY"],
    defaultModel: "MiniMax-M3",
    quirks: noLevel,
  },
  // Its models send thoughts as parts of the content.
  mistral: {
    baseURL: "https://api.mistral.ai/v1",
    keys: ["MISTRAL_API_KEY"],
    defaultModel: "mistral-large-latest",
    quirks: { efforts: [], streamOptions: false, takesThoughts: false },
  },
  groq: {
    baseURL: "https://api.groq.com/openai/v1",
    keys: ["GROQ_API_KEY"],
    defaultModel: "openai/gpt-oss-120b",
    quirks: { maxTokens: "max_completion_tokens", efforts: ["low", "medium", "high"] },
  },
  cerebras: {
    baseURL: "https://api.cerebras.ai/v1",
    keys: ["CEREBRAS_API_KEY"],
    defaultModel: "gpt-oss-120b",
    quirks: { maxTokens: "max_completion_tokens", efforts: ["low", "medium", "high"] },
  },
  together: {
    baseURL: "https://api.together.ai/v1",
    keys: ["TOGETHER_API_KEY", "TOGETHER_AI_API_KEY"],
    defaultModel: "zai-org/GLM-5.3",
    quirks: { efforts: onOff, thinkingSwitch: "reasoning.enabled" },
  },
  fireworks: {
    baseURL: "https://api.fireworks.ai/inference/v1",
    keys: ["FIREWORKS_API_KEY"],
    defaultModel: "accounts/fireworks/models/glm-5p3",
  },
  baseten: {
    baseURL: "https://inference.baseten.co/v1",
    keys: ["BASETEN_API_KEY"],
    defaultModel: "zai-org/GLM-5.3",
  },
  nvidia: {
    baseURL: "https://integrate.api.nvidia.com/v1",
    keys: ["NVIDIA_API_KEY"],
    quirks: noLevel,
  },
  alibaba: {
    baseURL: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    keys: ["DASHSCOPE_API_KEY"],
    quirks: { efforts: onOff, thinkingSwitch: "enable_thinking" },
  },
  perplexity: {
    baseURL: "https://api.perplexity.ai",
    keys: ["PERPLEXITY_API_KEY"],
    quirks: noLevel,
  },
  nebius: {
    baseURL: "https://api.tokenfactory.nebius.com/v1",
    keys: ["NEBIUS_API_KEY"],
  },
  sambanova: {
    baseURL: "https://api.sambanova.ai/v1",
    keys: ["SAMBANOVA_API_KEY"],
  },
  deepinfra: {
    baseURL: "https://api.deepinfra.com/v1/openai",
    keys: ["DEEPINFRA_API_KEY", "DEEPINFRA_TOKEN"],
  },
  novita: {
    baseURL: "https://api.novita.ai/v3/openai",
    keys: ["NOVITA_API_KEY"],
  },
  siliconflow: {
    baseURL: "https://api.siliconflow.com/v1",
    keys: ["SILICONFLOW_API_KEY"],
  },
  huggingface: {
    baseURL: "https://router.huggingface.co/v1",
    keys: ["HUGGINGFACE_API_KEY", "HF_TOKEN"],
  },
  "github-models": {
    baseURL: "https://models.github.ai/inference",
    keys: ["GITHUB_MODELS_API_KEY", "GITHUB_TOKEN"],
    quirks: { maxTokens: "max_completion_tokens" },
  },
}

export function hostedNamed(name: string): HostedProvider | undefined {
  return Object.hasOwn(hostedProviders, name) ? hostedProviders[name] : undefined
}

/** Gateways have models whose names begin with that of a provider: `deepseek/…`, `azure/…`. */
export function isGatewayPrefix(name: string): boolean {
  return hostedNamed(name) !== undefined || name === "azure" || name === "vertex"
}

/** By its address, as prices are: what a server understands does not depend on its name in the configuration. */
export function hostedAt(baseURL: string | undefined): HostedProvider | undefined {
  const host = hostOf(baseURL)
  return host === undefined ? undefined : Object.values(hostedProviders).find((one) => hostOf(one.baseURL) === host)
}

function hostOf(address: string | undefined): string | undefined {
  return address !== undefined && URL.canParse(address) ? new URL(address).host : undefined
}
