// What the newest message of the user asks of the provider: `200 tokens, one every 50 ms`, `20000 tokens, 25 at a time`, and
// before it optionally `50 calls of read {"path":"a.txt"}`, one call in each answer; # stands for the number of the call.

export interface Wish {
  readonly tokens: number
  /** Milliseconds from one write to the next; 0: at each turn of the event loop. */
  readonly everyMs: number
  /** Tokens in a write. */
  readonly atOnce: number
  /** The call to answer with instead of the tokens. */
  readonly call: { readonly number: number; readonly name: string; readonly input: string } | undefined
}

const tokens = /(\d+) tokens, (?:one every (\d+) ms|(\d+) at a time)/
const calls = /(\d+) calls of (\w+) (\{.*?\})/

export function isWish(text: string): boolean {
  return tokens.test(text)
}

/** `made`: results of calls since the wish. */
export function wishIn(text: string, made: number): Wish {
  const [, count, everyMs, atOnce] = tokens.exec(text) ?? []
  const [, wanted, name = "", input = ""] = calls.exec(text) ?? []
  const isCall = made < Number(wanted ?? 0)
  return {
    tokens: Number(count ?? 0),
    everyMs: Number(everyMs ?? 0),
    atOnce: Number(atOnce ?? 1),
    // each call is different: a model that repeats one is stopped
    call: isCall ? { number: made, name, input: input.replaceAll("#", String(made)) } : undefined,
  }
}
