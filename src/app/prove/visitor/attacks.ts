// Every field of every frame that the WebSocket API reads, what a hostile visitor writes there, and how the server may
// answer that. docs/identity.md says what each field can cause.
import type { JsonValue } from "../../../contract/values.ts"
import type { ActionName } from "../../../protocols/ws/action-names.ts"

/** What the attacker knows or guesses. */
export interface Target {
  /** The id of an object that does not exist. */
  readonly missing: string
  /** A session of the owner of the machine. */
  readonly local: string
  /** An offline model whose script calls a tool. */
  readonly script: string
  /** A web server beside the attacked one. */
  readonly bystander: string
}

export interface Attack {
  readonly values: (target: Target) => readonly JsonValue[]
  /** Codes of errors, or types of answers, besides those of the honest frame. */
  readonly allowed: readonly string[]
  /** The values that must not be answered as the honest frame is. */
  readonly refused?: (target: Target) => readonly JsonValue[]
}

/** Of the conversation that the attacker has opened. */
export interface OwnIds {
  readonly sessionId: string
  readonly conversationId: string
}

export interface ActionAttacks {
  /** The frame as an honest visitor would send it. */
  readonly honest: (own: OwnIds) => Readonly<Record<string, JsonValue>>
  /** How the honest frame may be answered. */
  readonly allowed: readonly string[]
  readonly fields: Readonly<Record<string, Attack>>
}

const long = "x".repeat(100_000)
const otherTypes: readonly JsonValue[] = [5, null, true, [], {}, [[]], { a: { b: [1e308] } }]
const texts: readonly JsonValue[] = [
  "",
  " ",
  "__proto__",
  "constructor",
  "..",
  "../../home",
  "/etc/passwd",
  "a\u0000b",
  "\ud800",
  "\u001b[2J\r\n",
  "'; DROP TABLE sessions; --",
  long,
]
const anything = [...otherTypes, ...texts]

const foreign: Attack["values"] = ({ missing, local }) => [missing, local, `${missing}'; --`, "../../home", long]
const ids: Attack["values"] = (target) => [...foreign(target), ...anything]
const hostile = (values: readonly JsonValue[], ...allowed: readonly string[]): Attack => ({
  values: () => values,
  allowed,
})
/** `refused` must be refused with one of the codes, whatever the other values are. */
const refusing = (
  refused: readonly JsonValue[],
  values: readonly JsonValue[],
  ...allowed: readonly string[]
): Attack => ({
  values: () => [...refused, ...values],
  allowed,
  refused: () => refused,
})
/** The visit or conversation is not the attacker's, or none at all. */
const notOwn = (code: string): Attack => ({ values: ids, allowed: [code, "VALIDATION_ERROR"], refused: foreign })
/** Of an action whose honest frame is refused as well. */
const visit: Attack = { values: ids, allowed: ["VALIDATION_ERROR"] }
/** A field that does not change the type of the answer. */
const ignored = (values: readonly JsonValue[] = anything): Attack => hostile(values)

const noCard = "NO_PENDING_INTERACTION"
const limit = hostile([1e308, -1, 0, 0.5, "5", null, [], {}])

export const attacks: { readonly [Name in ActionName]: ActionAttacks } = {
  ping: { honest: () => ({}), allowed: ["pong"], fields: {} },
  create_conversation_session: {
    honest: () => ({ agentId: "shop" }),
    allowed: ["immediate_response"],
    fields: {
      agentId: refusing(
        ["a", "other", "Shop", "desk", "__proto__", "constructor", "x".repeat(1001)],
        anything,
        "AGENT_NOT_AUTHORIZED",
        "ORIGIN_NOT_ALLOWED",
        "VALIDATION_ERROR",
      ),
      conversationId: {
        values: ids,
        allowed: ["CONVERSATION_NOT_FOUND"],
        refused: ({ local }) => [local],
      },
      authContext: ignored([...anything, { userId: "admin", timestamp: 1, signature: "0".repeat(64) }]),
      userName: ignored(),
      userEmail: ignored(),
      metadata: ignored([...anything, { userPhone: long }, { userPhone: 5 }]),
      supports: ignored([...anything, Array.from({ length: 5000 }, () => "identity_intake"), [5, null, long]]),
      browserFingerprint: ignored(),
    },
  },
  get_session: { honest: ofVisit, allowed: ["immediate_response"], fields: { sessionId: notOwn("SESSION_NOT_FOUND") } },
  get_conversation_messages: {
    honest: ofVisit,
    allowed: ["immediate_response"],
    fields: {
      sessionId: notOwn("SESSION_NOT_FOUND"),
      limit,
      cursor: refusing(["-1", "6f1c0f4e-0000-4000-8000-00000000ffff", long], anything, "VALIDATION_ERROR"),
    },
  },
  list_conversations: { honest: () => ({}), allowed: ["immediate_response"], fields: { limit } },
  rename_conversation: {
    honest: ({ conversationId }) => ({ conversationId, title: "A title" }),
    allowed: ["immediate_response"],
    fields: {
      conversationId: notOwn("CONVERSATION_NOT_FOUND"),
      title: hostile(anything, "VALIDATION_ERROR"),
    },
  },
  send_message: {
    honest: ({ sessionId }) => ({ sessionId, message: 'call pay_out with {"to": "me"}' }),
    allowed: ["eventual_response"],
    fields: {
      sessionId: notOwn("SESSION_NOT_FOUND"),
      message: hostile(
        ["/model offline/demo", "/approve", '{"action":"ping"}', "y", "x".repeat(1024 * 1024 + 1), ...anything],
        "VALIDATION_ERROR",
      ),
      model: {
        values: ({ script }) => [
          "offline/demo",
          "offline/demo:0",
          "offline",
          "offline/x",
          "offline/script:/dev/zero",
          script,
          "mock/expensive",
          "mock/",
          "openai/gpt-5",
          ...anything,
        ],
        allowed: ["VALIDATION_ERROR"],
      },
      skill: refusing(["missing", "../../home", "..", "/etc/passwd", "x".repeat(129)], anything, "SKILL_NOT_FOUND"),
      images: {
        values: ({ bystander }) => [
          [{ url: `${bystander}/x.png` }, { url: "file:///etc/passwd" }, { url: "/etc/passwd" }, 5, null],
          [{ url: "javascript:1" }, { url: "data:," }, { url: "" }, { url: 5 }],
          ...anything,
        ],
        allowed: [],
      },
      files: hostile([
        [{ name: "../../../escaped.txt", url: "data:text/plain;base64,aGk=" }],
        [
          { name: "x".repeat(300), url: "data:,a" },
          { name: "a", url: "file:///etc/passwd" },
        ],
        ...anything,
      ]),
      stream: ignored(),
    },
  },
  /** Answered only while a turn runs, so the answer to a ping follows. */
  cancel: { honest: ofVisit, allowed: ["pong"], fields: { sessionId: { values: ids, allowed: [] } } },
  confirm_tool_action: {
    honest: ({ sessionId }) => ({ sessionId, approved: true }),
    allowed: ["NO_PENDING_CONFIRMATION"],
    fields: {
      sessionId: visit,
      approved: refusing(["true", 1], anything, "VALIDATION_ERROR"),
    },
  },
  submit_interaction: {
    honest: ({ sessionId }) => ({ sessionId, interactionId: "int_x" }),
    allowed: [noCard],
    fields: {
      sessionId: visit,
      interactionId: ignored(),
      kind: ignored(),
      values: ignored(),
      declined: ignored(),
    },
  },
  verify_otp: {
    honest: ({ sessionId }) => ({ sessionId, code: "000000" }),
    allowed: ["otp_invalid"],
    fields: {
      sessionId: notOwn("SESSION_NOT_FOUND"),
      code: hostile(["123456", ...anything], "VALIDATION_ERROR"),
    },
  },
}

/** How the server may answer the honest frame with these values in place of its own. */
export function allowedAnswers(
  action: ActionName,
  values: Readonly<Record<string, JsonValue>>,
  target: Target,
): readonly string[] {
  const { allowed, fields } = attacks[action]
  const attacked = Object.entries(values).map(([name, value]) => ({ attack: fields[name], value }))
  const isRefused = attacked.some(({ attack, value }) => attack?.refused?.(target).includes(value) === true)
  return [...(isRefused ? [] : allowed), ...attacked.flatMap(({ attack }) => attack?.allowed ?? [])]
}

function ofVisit({ sessionId }: OwnIds): Readonly<Record<string, JsonValue>> {
  return { sessionId }
}
