// Cases I01 to I08 and further case 5: interactions.
import { describe, expect, it } from "vitest"
import type { JsonValue } from "../../src/contract/values.ts"
import type { Step } from "../../src/models/offline/index.ts"
import { type WsClient, wsWorlds } from "../../src/testing/doors/served-ws.ts"
import { serviceTools } from "../../src/features/chat-service/tools.ts"
import { chunksOf, replyOf, startTurn } from "./conversation.ts"

const worlds = wsWorlds()
const supports = ["identity_form", "choice_chips"]

const raise = (tool: string, input: JsonValue): Step[] => [[{ call: { tool, input } }], [{ text: "Thank you." }]]

/** Starts a turn and waits for its card. */
async function shown(steps: readonly Step[]) {
  const { served } = await worlds(steps, serviceTools())
  const client = await served.connect()
  const { sessionId } = await startTurn(client, "hi", { supports })
  const { interactionId, ...card } = (await client.next("interaction_required", "r1")).data.data
  const submit = (requestId: string, more: object) =>
    client.ask({ action: "submit_interaction", requestId, sessionId, interactionId, ...more })
  return { client, card, submit }
}

function resultOf(client: WsClient): unknown {
  const last = chunksOf(client).at(-1)
  return last !== undefined && "toolResult" in last ? JSON.parse(last.toolResult.result) : undefined
}

describe("an interaction", () => {
  it("I01: a field can be a name, which makes it required, or an object", async () => {
    const fields = ["name", { key: "email", required: false }, { key: "phone", label: "Mobile" }]
    const { card } = await shown(raise("request_identity_intake", { fields, reason: "  " }))
    expect(card).toEqual({
      kind: "identity_intake",
      spec: {
        fields: [
          { key: "name", required: true },
          { key: "email", required: false },
          { key: "phone", required: true, label: "Mobile" },
        ],
      },
      reason: "to help you better",
    })
  })

  it("I02: values are normalised for the response and the model", async () => {
    const { client, submit } = await shown(
      raise("request_identity_intake", { fields: ["name", "email", "phone"], reason: "to help" }),
    )
    const given = { name: "  Ada  ", email: "Ada@Example.ORG", phone: "(415) 555-2671" }
    const values = { name: "Ada", email: "Ada@example.org", phone: "+14155552671" }
    expect(await submit("s", { values: given })).toMatchObject({ message: "Interaction submitted", data: { values } })
    expect(replyOf(await client.end("r1"))).toBe("Thank you.")
    expect(resultOf(client)).toEqual({ status: "submitted", values })
  })

  it("I03: all invalid fields are reported at once, and valid values are accepted afterwards", async () => {
    const { client, submit } = await shown(
      raise("request_identity_intake", { fields: ["name", "email", "phone"], reason: "to help" }),
    )
    expect(await submit("a", { values: { name: " ", email: "a@b", phone: "12" } })).toMatchObject({
      type: "interaction_invalid",
      data: {
        data: {
          message: "Some fields need attention.",
          errors: [
            { field: "name", message: "this field is required" },
            { field: "email", message: "must be a valid email address" },
            { field: "phone" },
          ],
        },
      },
    })
    expect(await submit("b", { values: {} })).toMatchObject({ type: "interaction_invalid" })
    await submit("c", { values: { name: "Ada", email: "a@b.de", phone: "+4930123456" } })
    expect(replyOf(await client.end("r1"))).toBe("Thank you.")
  })

  it("I04: refused answers leave it pending, and declined wins over values", async () => {
    const { client, submit } = await shown(raise("request_identity_intake", { fields: ["name"], reason: "to help" }))
    for (const [more, code] of [
      [{}, "VALIDATION_ERROR"],
      [{ declined: false }, "VALIDATION_ERROR"],
      [{ interactionId: "another", values: { name: "Ada" } }, "INTERACTION_MISMATCH"],
      [{ interactionId: undefined, values: { name: "Ada" } }, "INTERACTION_MISMATCH"],
      [{ kind: "choices", values: { name: "Ada" } }, "INTERACTION_MISMATCH"],
    ] as const)
      expect(await submit(`no-${JSON.stringify(more)}`, more)).toMatchObject({ error: { code } })
    expect(await submit("yes", { declined: true, values: { name: "Ada" } })).toMatchObject({
      message: "Interaction declined",
    })
    expect(replyOf(await client.end("r1"))).toBe("Thank you.")
    expect(resultOf(client)).toMatchObject({ status: "declined" })
  })

  it("I05: choices have a canonical form, and an answer needs a valid pick for every question", async () => {
    const questions = [
      { header: "Size", question: "Which size?", options: ["S", { label: "M", description: "usual" }] },
      { header: "Extras", question: "Anything else?", options: ["Box", "Card"], multiSelect: true },
    ]
    const { client, card, submit } = await shown(raise("request_choices", { questions, reason: "to order" }))
    expect(card.spec).toEqual({
      questions: [
        {
          header: "Size",
          question: "Which size?",
          multiSelect: false,
          options: [
            { label: "S", description: "" },
            { label: "M", description: "usual" },
          ],
        },
        {
          header: "Extras",
          question: "Anything else?",
          multiSelect: true,
          options: [
            { label: "Box", description: "" },
            { label: "Card", description: "" },
          ],
        },
      ],
    })
    const size = { header: "Size", options: ["M"] }
    const wrong = [
      [[size], ["Extras"]],
      [[{ header: "Size", options: ["S", "M"] }], ["Size", "Extras"]],
      [
        [
          { header: "Size", options: ["S"], other: "or M" },
          { header: "Extras", options: ["Box"] },
        ],
        ["Size"],
      ],
      [[size, { header: "Extras", options: ["Ribbon"] }], ["Extras"]],
      [[size, { header: "Extras", other: "  " }], ["Extras"]],
    ] as const
    for (const [index, [answers, fields]] of wrong.entries())
      expect(await submit(`no-${index}`, { values: { answers } })).toMatchObject({
        type: "interaction_invalid",
        data: { data: { kind: "choices", errors: fields.map((field) => ({ field })) } },
      })
    const answers = [{ header: "Extras", options: ["Box", " "], other: " a ribbon " }, size]
    expect(await submit("yes", { values: { answers } })).toMatchObject({ message: "Interaction submitted" })
    expect(replyOf(await client.end("r1"))).toBe("Thank you.")
    expect(resultOf(client)).toMatchObject({
      status: "submitted",
      values: {
        answers: [
          { header: "Size", options: ["M"] },
          { header: "Extras", options: ["Box"], other: "a ribbon" },
        ],
      },
    })
  })

  it.each<readonly [string, JsonValue]>([
    ["request_identity_intake", { fields: [] }],
    ["request_identity_intake", { fields: ["shoe size"] }],
    ["request_choices", { questions: [] }],
    ["request_choices", { questions: [{ header: "much too long a header", question: "?", options: ["a", "b"] }] }],
    ["request_choices", { questions: [{ header: "Size", question: "?", options: ["only one"] }] }],
  ])("I06: an invalid request is an error result for the model, without a card: %s %j", async (tool, input) => {
    const { served } = await worlds(raise(tool, input), serviceTools())
    const client = await served.connect()
    await startTurn(client, "hi", { supports })
    expect(replyOf(await client.end("r1"))).toBe("Thank you.")
    expect(client.types("r1")).not.toContain("interaction_required")
    expect(chunksOf(client)).toMatchObject([
      { toolCall: { name: tool } },
      { toolResult: { name: tool, isError: true } },
    ])
  })

  it("I07: without the capability the model asks in text and submits the answer, after invalid ones", async () => {
    const hand = (values: JsonValue): Step => [
      { call: { tool: "submit_interaction", input: { kind: "identity_intake", values } } },
    ]
    const ask: Step = [{ call: { tool: "request_identity_intake", input: { fields: ["email"], reason: "to help" } } }]
    const { served } = await worlds(
      [ask, hand({ email: "nobody" }), hand({ email: "a@B.de" }), [{ text: "Thank you." }]],
      serviceTools(),
    )
    const client = await served.connect()
    await startTurn(client, "hi", { supports: ["choice_chips"] })
    expect(replyOf(await client.end("r1"))).toBe("Thank you.")
    expect(client.types("r1")).not.toContain("interaction_required")
    const results = chunksOf(client).flatMap((raw) => ("toolResult" in raw ? [raw.toolResult] : []))
    expect(results).toMatchObject([
      { name: "request_identity_intake", isError: false, result: expect.stringContaining('"mode":"conversational"') },
      { name: "submit_interaction", isError: true },
      { name: "submit_interaction", isError: false, result: expect.stringContaining("a@b.de") },
    ])
  })

  it("case 5: expires with a no_response result, and the turn ends normally", async () => {
    const steps = raise("request_identity_intake", { fields: ["name"], reason: "to help" })
    const { served } = await worlds(steps, serviceTools(), {}, {}, { approvalWaitMs: 50 })
    const client = await served.connect()
    const { sessionId } = await startTurn(client, "hi", { supports })
    const { interactionId } = (await client.next("interaction_required", "r1")).data.data
    expect(replyOf(await client.end("r1"))).toBe("Thank you.")
    expect(resultOf(client)).toMatchObject({ status: "no_response" })
    const late = { action: "submit_interaction", requestId: "s", sessionId, interactionId, values: { name: "Ada" } }
    expect(await client.ask(late)).toMatchObject({ error: { code: "NO_PENDING_INTERACTION" } })
  })
})
