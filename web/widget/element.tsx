// The element <turnhouse-chat>: options from its attributes and properties, a shadow root that the page's styles do not
// reach, and events for the page.
import { signal } from "@preact/signals"
import { render } from "preact"
import type { AuthContext } from "../../src/clients/ws/index.ts"
import type { WidgetEvents, WidgetOptions } from "./api.ts"
import { attributeNames, readOptions, type PlainOptions } from "./options/attributes.ts"
import { fetchAuthContext } from "./options/auth-context.ts"
import { socketUrl } from "./options/server-url.ts"
import { textsFor } from "./options/texts.ts"
import { Chat, type ChatEvent } from "./state/chat.ts"
import { browserStores, Memory } from "./state/memory.ts"
import type { Problem } from "./state/problems.ts"
import { joinTabs, type Tabs } from "./state/tabs.ts"
import { hostSheet, widgetSheets } from "./styles/sheets.ts"
import { isPhone } from "./view/phone.ts"
import { Widget } from "./view/widget.tsx"
import type { Appearance } from "./view/widget-view.ts"

interface Running {
  readonly chat: Chat
  readonly memory: Memory
  readonly tabs: Tabs
  /** What a change of needs another connection. */
  readonly target: string
}

/** Where the script came from; set by the script, absent in a bundle. */
let defaultServer: string | undefined

export function setDefaultServer(server: string): void {
  defaultServer = server
}

export class TurnhouseChat extends HTMLElement {
  static readonly observedAttributes: readonly string[] = attributeNames
  readonly #root = this.attachShadow({ mode: "open" })
  readonly #appearance = signal<Appearance>({
    texts: textsFor("en"),
    title: undefined,
    greeting: undefined,
    position: "end",
  })
  #options: Partial<WidgetOptions> = {}
  #running: Running | undefined

  /** In addition to the attributes, and before them. */
  get options(): Partial<WidgetOptions> {
    return this.#options
  }

  set options(options: Partial<WidgetOptions>) {
    this.#options = options
    this.#update()
  }

  /** Opens the panel and moves the focus into it. */
  open(): void {
    if (!this.#setOpen(true)) return
    this.dispatch("turnhouse-open", undefined)
    requestAnimationFrame(() => {
      if (isPhone()) this.#find(".panel")?.focus() // without its keyboard, which would cover half of it
      else this.#find("textarea")?.focus()
    })
  }

  /** Closes the panel and returns the focus to the button that opens it. */
  close(): void {
    const hadFocus = this.#root.activeElement !== null
    if (!this.#setOpen(false)) return
    this.dispatch("turnhouse-close", undefined)
    if (hadFocus) requestAnimationFrame(() => this.#find(".launcher")?.focus())
  }

  /** Sends a message of the visitor. False while an answer is being written. */
  send(text: string): boolean {
    return this.#running?.chat.send(text) ?? false
  }

  connectedCallback(): void {
    this.#update()
  }

  disconnectedCallback(): void {
    this.#end()
    render(null, this.#root)
  }

  attributeChangedCallback(): void {
    if (this.isConnected) this.#update()
  }

  protected dispatch<Name extends keyof WidgetEvents>(name: Name, detail: WidgetEvents[Name]): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }))
  }

  #update(): void {
    if (!this.isConnected) return
    const options = readOptions((name) => this.getAttribute(name), this.#options)
    this.#applyAppearance(options)
    const { agent } = options
    const url = socketUrl(options.server ?? defaultServer ?? location.origin, location.href)
    if (agent === undefined || url === undefined) return this.#reportMisuse(agent)
    const { storage = "local", userName, userEmail } = options
    const target = JSON.stringify([url, agent, storage, userName, userEmail])
    if (this.#running?.target === target) return
    this.#end()
    this.#run(options, { agent, url, target })
  }

  #applyAppearance({ texts, language, title, greeting, position = "end", accent, theme = "auto" }: PlainOptions): void {
    const own = textsFor(language ?? (document.documentElement.lang || undefined), texts)
    this.#appearance.value = { texts: own, title, greeting, position }
    this.#root.adoptedStyleSheets = [...widgetSheets(), hostSheet(accent, theme, position)]
  }

  #run(
    { storage = "local", userName, userEmail }: PlainOptions,
    { agent, url, target }: { readonly agent: string; readonly url: string; readonly target: string },
  ): void {
    const memory = new Memory(`${url}#${agent}`, storage, browserStores())
    const tabs = joinTabs(memory, () => void chat.refresh().catch(() => {})) // without a connection; the next one loads them
    const chat = new Chat({
      url,
      agentId: agent,
      userName,
      userEmail,
      token: () => this.#token(),
      canRenewToken: () => typeof this.#options.token === "function",
      authContext: () => this.#authContext(),
      origin: location.origin,
      memory,
      onEvent: (event) => this.#emit(event),
      onProblem: (problem) => this.#report(problem),
      onChanged: () => tabs.announce(),
    })
    this.#running = { chat, memory, tabs, target }
    chat.isOpen.value = memory.isOpen || this.#appearance.value.position === "inline"
    const focusMessage = () => requestAnimationFrame(() => this.#find("textarea")?.focus())
    const view = {
      chat,
      appearance: this.#appearance,
      open: () => this.open(),
      close: () => this.close(),
      focusMessage,
    }
    render(<Widget view={view} />, this.#root)
  }

  /** Read for every connection, because the page may set another one. */
  #token(): string | undefined | Promise<string | undefined> {
    const { token = this.getAttribute("token") ?? undefined } = this.#options
    return typeof token === "function" ? token() : token
  }

  async #authContext(): Promise<AuthContext | undefined> {
    const { authContext } = this.#options
    const address = this.getAttribute("auth")
    if (authContext === undefined) return address === null ? undefined : fetchAuthContext(address)
    return typeof authContext === "function" ? authContext() : authContext
  }

  #end(): void {
    this.#running?.chat.stop()
    this.#running?.tabs.leave()
    this.#running = undefined
  }

  /** False if it is so already. */
  #setOpen(isOpen: boolean): boolean {
    if (this.#running === undefined || this.#running.chat.isOpen.value === isOpen) return false
    const { chat, memory } = this.#running
    chat.isOpen.value = isOpen
    if (isOpen) chat.hasUnread.value = false
    memory.isOpen = isOpen
    return true
  }

  #find(selector: string): HTMLElement | null {
    return this.#root.querySelector<HTMLElement>(selector)
  }

  #emit(event: ChatEvent): void {
    switch (event.type) {
      case "message":
        return this.dispatch("turnhouse-message", { from: event.from, text: event.text })
      case "escalation":
        return this.dispatch("turnhouse-escalation", { reason: event.reason })
      case "directive":
        return this.dispatch("turnhouse-directive", event.directive)
    }
  }

  #reportMisuse(agent: string | undefined): void {
    this.#end()
    render(null, this.#root)
    const message =
      agent === undefined
        ? 'the attribute agent (on the script: data-agent="…") is missing.'
        : "the attribute server is not an address."
    this.#report({ code: "OPTIONS_INVALID", message })
  }

  /** To the developer of the page. */
  #report(problem: Problem): void {
    console.error(`turnhouse-chat: ${problem.message}`)
    this.dispatch("turnhouse-problem", problem)
  }
}

/** Makes `<turnhouse-chat>` known to the page; a second call has no effect. */
export function defineTurnhouseChat(): void {
  if (customElements.get("turnhouse-chat") === undefined) customElements.define("turnhouse-chat", TurnhouseChat)
}
