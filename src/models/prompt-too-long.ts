// Recognises a provider's error that a request exceeds the context window: a code, a status, or only a message. Pure.
import type { ProviderError } from "./provider-error.ts"

/** Characters of a message that are searched. */
const MAX_SEARCHED = 2000

const codes =
  /context_length_exceeded|context_window_exceeded|exceed_context_size_error|request_too_large|string_above_max_length/

const sentences: readonly RegExp[] = [
  /prompt is too long/, // Anthropic, Bedrock
  /exceed context limit/, // Anthropic and Bedrock, where input and max_tokens together are too much
  /maximum context length/, // OpenAI, vLLM, DeepSeek, OpenRouter, Mistral
  /exceeds? (?:the |this model's |its )?(?:available |maximum |max )?context/, // OpenAI Responses, llama.cpp, Ollama
  /context (?:window|length|size) (?:is |was |has been )?exceed/, // gateways
  /input token count.{0,40}exceeds the maximum/, // Gemini
  /input is too long/, // Bedrock
  /too many (?:input )?tokens/, // Bedrock, Cohere
  /maximum prompt length is/, // xAI
  /prompt (?:token count|length)?.{0,40}exceeds (?:the |max)/, // Copilot, Z.ai
  /reduce the length of the (?:messages|prompt|input)/, // Groq, older OpenAI
  /exceeded model token limit/, // Moonshot
  /loaded with context length of only/, // LM Studio
  /must have less than \d+ tokens/, // Hugging Face
]

export function isPromptTooLong(error: ProviderError): boolean {
  if (error.status === 429 || error.status === 401 || error.status === 403) return false // a rate limit speaks of tokens too
  if (error.status === 413) return true
  if (codes.test(error.words)) return true
  const said = `${error.message.slice(0, MAX_SEARCHED)} ${error.body.slice(0, MAX_SEARCHED)}`.toLowerCase()
  return codes.test(said) || sentences.some((sentence) => sentence.test(said))
}
