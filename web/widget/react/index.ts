// `turnhouse/widget-react`: the chat as a React component. It renders the custom element, whose program is loaded in the
// browser only, and passes options and events.
import { createElement, useEffect, useRef, type ReactElement, type RefObject } from "react"
import type { WidgetEvents, WidgetOptions } from "../api.ts"

export type { WidgetEvents, WidgetOptions }

export interface TurnhouseChatProps extends WidgetOptions {
  readonly className?: string | undefined
  /** Opens and closes the panel when it changes. Absent: only the visitor does. */
  readonly isOpen?: boolean | undefined
  readonly onOpen?: (() => void) | undefined
  readonly onClose?: (() => void) | undefined
  readonly onMessage?: ((message: WidgetEvents["turnhouse-message"]) => void) | undefined
  readonly onEscalation?: ((escalation: WidgetEvents["turnhouse-escalation"]) => void) | undefined
  readonly onDirective?: ((directive: unknown) => void) | undefined
  readonly onProblem?: ((problem: WidgetEvents["turnhouse-problem"]) => void) | undefined
}

export function TurnhouseChat(props: TurnhouseChatProps): ReactElement {
  const element = useRef<HTMLElement>(null)
  const newest = useRef(props)
  useEffect(() => {
    newest.current = props
  })
  useOptions(element, newest, props)
  useEvents(element, newest)
  useOpen(element, props.isOpen)
  const { agent, server, className } = props
  return createElement("turnhouse-chat", { ref: element, agent, server, class: className })
}

type Props = RefObject<TurnhouseChatProps>
type Place = RefObject<HTMLElement | null>

/** Functions are called as they are in the newest rendering, so a new one changes nothing. */
function useOptions(element: Place, newest: Props, props: TurnhouseChatProps): void {
  const plain = JSON.stringify(optionsOf(props))
  useEffect(() => {
    let isOver = false
    const apply = async () => {
      const { defineTurnhouseChat, TurnhouseChat: Chat } = await import("../index.ts")
      defineTurnhouseChat()
      if (isOver || !(element.current instanceof Chat)) return
      element.current.options = { ...optionsOf(newest.current), ...credentialsOf(newest) }
    }
    void apply()
    return () => {
      isOver = true
    }
  }, [element, newest, plain])
}

/** A token that can be renewed is a function for the element, too. */
function credentialsOf(newest: Props): Pick<WidgetOptions, "token" | "authContext"> {
  const currentToken = () => {
    const { token } = newest.current
    return typeof token === "function" ? token() : token
  }
  const currentContext = () => {
    const { authContext } = newest.current
    return typeof authContext === "function" ? authContext() : authContext
  }
  const { token, authContext } = newest.current
  return {
    token: typeof token === "function" ? currentToken : token,
    authContext: authContext === undefined ? undefined : currentContext,
  }
}

function optionsOf({
  agent,
  server,
  title,
  greeting,
  position,
  theme,
  accent,
  ...others
}: TurnhouseChatProps): WidgetOptions {
  const { language, texts, storage, userName, userEmail } = others
  const look = { title, greeting, position, theme, accent, language, texts }
  return { agent, server, ...look, storage, userName, userEmail }
}

function useEvents(element: Place, newest: Props): void {
  useEffect(() => {
    const chat = element.current
    const end = new AbortController()
    chat?.addEventListener("turnhouse-open", () => newest.current.onOpen?.(), end)
    chat?.addEventListener("turnhouse-close", () => newest.current.onClose?.(), end)
    chat?.addEventListener("turnhouse-message", ({ detail }) => newest.current.onMessage?.(detail), end)
    chat?.addEventListener("turnhouse-escalation", ({ detail }) => newest.current.onEscalation?.(detail), end)
    chat?.addEventListener("turnhouse-directive", ({ detail }) => newest.current.onDirective?.(detail), end)
    chat?.addEventListener("turnhouse-problem", ({ detail }) => newest.current.onProblem?.(detail), end)
    return () => end.abort()
  }, [element, newest])
}

function useOpen(element: Place, isOpen: boolean | undefined): void {
  useEffect(() => {
    const apply = async () => {
      const { TurnhouseChat: Chat } = await import("../index.ts")
      if (!(element.current instanceof Chat)) return
      if (isOpen === true) element.current.open()
      else element.current.close()
    }
    if (isOpen !== undefined) void apply()
  }, [element, isOpen])
}
