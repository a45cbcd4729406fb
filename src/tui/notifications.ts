// Calls the user back to the window: when a request waits, and when a long turn has ended.
import type { WatchItem } from "../contract/host-port.ts"
import { findApproval } from "../projection/open-requests.ts"
import type { SessionModel } from "../clients/session/session-model.ts"
import type { ScreenNotifier } from "./place.ts"

export class Notifications {
  readonly #notifier: ScreenNotifier
  #startedAt: number | undefined

  constructor(notifier: ScreenNotifier) {
    this.#notifier = notifier
  }

  follow(model: SessionModel, item: WatchItem | undefined): void {
    if (item?.kind === "event") this.#event(model, item.recorded)
    this.#startedAt = model.turn.startedAt
  }

  #event(model: SessionModel, { event, at }: Extract<WatchItem, { kind: "event" }>["recorded"]): void {
    switch (event.type) {
      case "approval.requested":
      case "child.asked": {
        const request = findApproval(model.requests, event.approvalId)
        return request === undefined ? undefined : this.#notifier.needed(event.approvalId, `approve ${request.tool}`)
      }
      case "approval.decided":
      case "child.answered":
        return this.#notifier.settled(event.approvalId)
      case "turn.ended": {
        const ms = this.#startedAt === undefined ? undefined : at - this.#startedAt
        return this.#notifier.turnEnded(ms, `turn ended (${event.reason})`)
      }
      default:
        return
    }
  }
}
