// Notifications of the system for requests that arrive while the page is in the background. They are asked for with a
// button, kept for this browser, and taken back when the request is answered elsewhere.
import { signal } from "@preact/signals"
import { mainArgument } from "../../../src/contract/rules/core-tools.ts"
import { oneLine } from "../../../src/contract/text/text.ts"
import type { OpenRequest } from "../../../src/contract/views/host.ts"
import { safe } from "../../../src/display/safe-text.ts"
import { routeHash } from "../state/route.ts"

/** `absent`: the browser has none, or not for an address like this one. */
export type NotificationState = "absent" | "blocked" | "off" | "on"

const KEY = "turnhouse.notify"
const WORKER = "app/notifications.js"
const MAX_BODY = 200

export const notificationState = signal<NotificationState>(currentState())

function currentState(): NotificationState {
  if (!("Notification" in globalThis)) return "absent"
  if (Notification.permission === "denied") return "blocked"
  return Notification.permission === "granted" && localStorage.getItem(KEY) === "on" ? "on" : "off"
}

/** To be called by a click: browsers ask the person only then. */
export async function switchNotifications(): Promise<void> {
  if (notificationState.value === "on") localStorage.removeItem(KEY)
  else if ((await Notification.requestPermission()) === "granted") localStorage.setItem(KEY, "on")
  notificationState.value = currentState()
  if (notificationState.value === "on") await worker()
}

export function requestId(request: OpenRequest): string {
  return request.kind === "approval" ? request.approvalId : `escalation-${request.sessionId}`
}

/** Two windows that show the same request replace each other's notification. */
export async function notify(request: OpenRequest): Promise<void> {
  if (notificationState.value !== "on") return
  const hash = routeHash({ sessionId: request.sessionId, panel: undefined })
  const options = { tag: requestId(request), body: safe(oneLine(bodyOf(request), MAX_BODY)), data: { hash } }
  const title = request.kind === "approval" ? "Waiting for your approval" : "Needs a person"
  const registration = await worker()
  if (registration === undefined) new Notification(title, options).addEventListener("click", () => showSession(hash))
  else await registration.showNotification(title, { ...options, icon: "app/icon-192.png" })
}

/** Of requests that no longer wait. */
export async function withdrawNotifications(waiting: ReadonlySet<string>): Promise<void> {
  if (notificationState.value !== "on") return
  const shown = (await (await worker())?.getNotifications()) ?? []
  for (const notification of shown) if (!waiting.has(notification.tag)) notification.close()
}

/** What the request is about: the call, or the reason. */
export function bodyOf(request: OpenRequest): string {
  if (request.kind === "escalation") return request.reason
  return `${request.tool} ${mainArgument(request.tool, request.input) ?? ""}`
}

function showSession(hash: string): void {
  focus()
  location.hash = hash
}

let registered: Promise<ServiceWorkerRegistration | undefined> | undefined

/** Undefined where the browser refuses one, such as with a certificate that it does not know. */
function worker(): Promise<ServiceWorkerRegistration | undefined> {
  registered ??= register()
  return registered
}

async function register(): Promise<ServiceWorkerRegistration | undefined> {
  if (!("serviceWorker" in navigator)) return undefined
  navigator.serviceWorker.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
    if (typeof data === "object" && data !== null && "hash" in data && typeof data.hash === "string")
      location.hash = data.hash
  })
  const registration = await navigator.serviceWorker.register(WORKER).catch(() => undefined)
  if (registration === undefined) return undefined
  const starting = registration.installing ?? registration.waiting
  if (registration.active === null && starting !== null) await activation(starting)
  return registration.active === null ? undefined : registration
}

function activation(starting: ServiceWorker): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (starting.state === "activated" || starting.state === "redundant") resolve()
    }
    starting.addEventListener("statechange", look)
    look()
  })
}
