// Takes secrets out of events before they are stored or published. The arguments of a running call are needed whole, so
// those that held a secret are kept in memory.
import type { CommandOf } from "../contract/commands.ts"
import type { SessionEvent } from "../contract/events.ts"
import { checkEvent } from "../contract/generated/events.js"
import type { CallId } from "../contract/ids.ts"
import type { Attachment, JsonValue } from "../contract/values.ts"
import type { Scrubber } from "./session-context.ts"

export function scrubEvents(
  events: readonly SessionEvent[],
  scrubber: Scrubber,
  realInputs: Map<CallId, JsonValue>,
): readonly SessionEvent[] {
  return events.map((event) => {
    const scrubbed = scrub(event, scrubber)
    trackRealInput(event, scrubbed !== event, realInputs)
    return scrubbed
  })
}

/** A repeated prompt is recognised by its stored text, so it is scrubbed before it is compared. */
export function scrubbedPrompt(prompt: CommandOf<"prompt">, scrubber: Scrubber): CommandOf<"prompt"> {
  const { attachments, files } = prompt
  return {
    ...prompt,
    text: scrubber.text(prompt.text),
    ...(attachments === undefined ? {} : { attachments: attachments.map((file) => scrubbedFile(file, scrubber)) }),
    ...(files === undefined ? {} : { files: files.map((file) => scrubbedFile(file, scrubber)) }),
  }
}

function scrubbedFile({ name, mediaType, data, url, detail }: Attachment, scrubber: Scrubber): Attachment {
  return {
    name: scrubber.text(name),
    mediaType: scrubber.text(mediaType),
    ...(data === undefined ? {} : { data: scrubber.text(data) }),
    ...(url === undefined ? {} : { url: scrubber.text(url) }),
    ...(detail === undefined ? {} : { detail }),
  }
}

function scrub(event: SessionEvent, scrubber: Scrubber): SessionEvent {
  const scrubbed: unknown = scrubber.json(event)
  if (scrubbed === event) return event
  if (!checkEvent(event.type, scrubbed)) throw new Error(`a secret is part of the structure of ${event.type}`)
  return scrubbed
}

function trackRealInput(event: SessionEvent, heldSecret: boolean, realInputs: Map<CallId, JsonValue>): void {
  switch (event.type) {
    case "tool.called":
    case "tool.modified":
      if (heldSecret) realInputs.set(event.callId, event.input)
      else realInputs.delete(event.callId) // replaced by an input without a secret
      return
    case "tool.refused":
    case "tool.ended":
      realInputs.delete(event.callId)
      return
    default:
      return // has no arguments
  }
}
