// The checker of histories: known linearizable histories pass, known others do not, and it agrees with trying all orders.
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { linearize, type Model, type Operation } from "./linearize.ts"

type Call =
  | { readonly type: "write"; readonly value: number }
  | { readonly type: "read"; readonly value: number }
  | { readonly type: "reset" }

const register: Model<number, Call> = {
  initial: 0,
  step: (state, call) => {
    if (call.type === "write") return [call.value]
    if (call.type === "reset") return state === 0 ? [] : [0]
    return state === call.value ? [state] : []
  },
  key: String,
}

function operation(type: "write" | "read", value: number, invokedAt: number, respondedAt?: number): Operation<Call> {
  return { call: { type, value }, invokedAt, respondedAt }
}

function isLinearizable(operations: readonly Operation<Call>[], resets: readonly (readonly [number, number])[] = []) {
  const possibilities = resets.map(([from, until]) => ({ call: { type: "reset" } as const, from, until }))
  return linearize({ operations, possibilities }, register).kind === "linearizable"
}

describe("a register", () => {
  it.each<readonly [string, readonly Operation<Call>[]]>([
    ["no operation", []],
    ["a read of what was written before", [operation("write", 1, 0, 1), operation("read", 1, 2, 3)]],
    ["a read of either value during a write", [operation("write", 1, 0, 9), operation("read", 0, 1, 2)]],
    ["a read of the new value during a write", [operation("write", 1, 0, 9), operation("read", 1, 1, 2)]],
    [
      "the old value after another read of it, and then the new one",
      [operation("write", 1, 0, 9), operation("read", 0, 1, 2), operation("read", 1, 3, 4)],
    ],
    ["a write without an answer that was done", [operation("write", 1, 0), operation("read", 1, 5, 6)]],
    ["a write without an answer that was not done", [operation("write", 1, 0), operation("read", 0, 5, 6)]],
    [
      "concurrent writes in the order that the reads show",
      [
        operation("write", 1, 0, 9),
        operation("write", 2, 0, 9),
        operation("read", 2, 1, 3),
        operation("read", 1, 4, 8),
      ],
    ],
  ])("accepts %s", (_, operations) => {
    expect(isLinearizable(operations)).toBe(true)
  })

  it.each<readonly [string, readonly Operation<Call>[]]>([
    ["a read of what was never written", [operation("read", 1, 0, 1)]],
    ["a read of the old value after the write", [operation("write", 1, 0, 1), operation("read", 0, 2, 3)]],
    ["a read before the write began", [operation("read", 1, 0, 1), operation("write", 1, 2, 3)]],
    [
      "the old value after a read of the new one",
      [operation("write", 1, 0, 9), operation("read", 1, 1, 2), operation("read", 0, 3, 4)],
    ],
    [
      "a write without an answer that is undone",
      [operation("write", 1, 0), operation("read", 1, 1, 2), operation("read", 0, 3, 4)],
    ],
    [
      "two readers that see concurrent writes in different orders",
      [
        operation("write", 1, 0, 9),
        operation("write", 2, 0, 9),
        operation("read", 1, 1, 2),
        operation("read", 2, 3, 4),
        operation("read", 1, 5, 6),
      ],
    ],
  ])("rejects %s", (_, operations) => {
    expect(isLinearizable(operations)).toBe(false)
  })

  it("names the first answer that nothing explains, and what could come before it", () => {
    const stuck = operation("read", 0, 4, 5)
    const operations = [operation("write", 1, 0, 1), operation("read", 1, 2, 3), stuck, operation("read", 1, 6, 7)]
    const order = [operations[0]?.call, operations[1]?.call]
    expect(linearize({ operations, possibilities: [] }, register)).toEqual({ kind: "impossible", stuck, order })
  })
})

describe("what may happen by itself", () => {
  const written = operation("write", 1, 0, 1)

  it("explains an answer within its time, any number of times", () => {
    expect(isLinearizable([written, operation("read", 0, 4, 5)], [[2, 9]])).toBe(true)
    const twice = [written, operation("read", 0, 2, 3), operation("write", 1, 4, 5), operation("read", 0, 6, 7)]
    expect(isLinearizable(twice, [[2, 9]])).toBe(true)
    expect(isLinearizable([written, operation("read", 1, 4, 5)], [[2, 9]])).toBe(true)
  })

  it("explains none before or after its time", () => {
    expect(isLinearizable([written, operation("read", 0, 4, 5)], [[6, 9]])).toBe(false)
    expect(isLinearizable([operation("write", 1, 4, 5), operation("read", 0, 6, 7)], [[1, 3]])).toBe(false)
  })
})

it("agrees with trying all orders", () => {
  const some = fc.record({
    type: fc.constantFrom("write" as const, "read" as const),
    value: fc.nat(2),
    at: fc.nat(12),
    ms: fc.option(fc.nat(8), { nil: undefined }),
  })
  const histories = fc.array(some, { maxLength: 5 })
  fc.assert(
    fc.property(histories, (list) => {
      const operations = list.map(({ type, value, at, ms }) =>
        operation(type, value, at, ms === undefined ? undefined : at + ms),
      )
      expect(isLinearizable(operations)).toBe(anyOrder(operations, [], 0))
    }),
    { numRuns: 500 },
  )
})

/** Without any cleverness. */
function anyOrder(left: readonly Operation<Call>[], before: readonly Operation<Call>[], state: number): boolean {
  if (left.every(({ respondedAt }) => respondedAt === undefined)) return true
  return left.some((next) => {
    const isTooEarly = left.some(({ respondedAt }) => respondedAt !== undefined && respondedAt < next.invokedAt)
    if (isTooEarly) return false
    const rest = left.filter((other) => other !== next)
    return register.step(state, next.call).some((after) => anyOrder(rest, [...before, next], after))
  })
}
