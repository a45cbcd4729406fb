// What the screen needs from the program that opens it. Over the network a place has fewer abilities: those that are
// absent are not offered.
import type { HostPort } from "../contract/host-port.ts"
import type { PromptId, SessionId } from "../contract/ids.ts"
import type { ShellEnvironment } from "../contract/session-options.ts"
import type { Attachment, By } from "../contract/values.ts"
import type { PixelSize } from "./images/image-size.ts"
import type { ImageProtocol, OuterTerminal, TerminalHints } from "./images/image-terminal.ts"
import type { Pixels } from "./images/sixel.ts"
import type { Theme } from "./terminal/theme.ts"

export interface ScreenPlace {
  readonly port: HostPort
  readonly caller: By
  readonly env: ShellEnvironment | undefined
  /** The home folder of the user, shown as `~`. */
  readonly userHome: string
  readonly theme: Theme
  readonly newPromptId: () => PromptId
  readonly newSessionId: () => SessionId
  /** Changes of the connection to a session that is watched. */
  readonly onLinkChange: (listen: (sessionId: SessionId, state: "lost" | "live") => void) => void
  readonly history: PromptHistory
  /** The command by which the user returns to a session. */
  readonly returnCommand: (sessionId: SessionId) => string
  readonly files?: LocalFiles
  /** Sessions with these words in their text, the best first. */
  readonly searchTexts?: (text: string) => Promise<readonly FoundSession[]>
  readonly images?: ScreenImages
  readonly givenImages?: ImageInput
  readonly remote?: RemoteHost
  /** Gets a function that says whether the user looks at the window. */
  readonly notifier?: ((isWatched: () => boolean) => ScreenNotifier | undefined) | undefined
}

export interface FoundSession {
  readonly sessionId: string
  readonly snippet: string
}

/** Images that the terminal draws. */
export interface ScreenImages {
  readonly hints: TerminalHints
  /** What a program between this one and the terminal says, if there is one. */
  readonly outer: () => Promise<OuterTerminal | undefined>
  /** Undefined if the file cannot be drawn with the protocol. */
  readonly sizeOf: (file: Buffer, protocol: ImageProtocol) => PixelSize | undefined
  /** Not larger than `most`. Undefined if it cannot be decoded. */
  readonly pixels: (file: Buffer, most: PixelSize) => Promise<Pixels | undefined>
  readonly file: (file: Buffer, most: PixelSize, kind: "png" | "any") => Promise<Buffer | undefined>
}

/** Images on the machine of the terminal, which the user attaches. */
export interface ImageInput {
  /** The image files that a text names, as terminals paste what is dropped on them; undefined if it is other text. */
  readonly dropped: (text: string) => Promise<GivenImages | undefined>
  readonly clipboard: () => Promise<GivenImages>
}

export interface GivenImages {
  readonly images: readonly Attachment[]
  /** For the user. */
  readonly problem?: string | undefined
}

/** Calls the user, who may look at another window. */
export interface ScreenNotifier {
  readonly needed: (requestId: string, text: string) => void
  readonly settled: (requestId: string) => void
  readonly turnEnded: (ms: number | undefined, text: string) => void
  readonly close: () => void
}

/** The session runs on another machine. */
export interface RemoteHost {
  /** `user@box`, and what the key does not permit. */
  readonly label: string
  /** Why the machine cannot be reached at the moment. */
  readonly onProblem: (listen: (text: string) => void) => void
}

/** Prompts of all sessions of this user, oldest first. */
export interface PromptHistory {
  readonly read: () => Promise<readonly string[]>
  readonly add: (text: string) => Promise<void>
}

/** The files of a session on this machine. */
export interface LocalFiles {
  /** Paths below the folder that can be mentioned. */
  readonly list: (folder: string) => Promise<readonly string[]>
  readonly branch: (folder: string) => Promise<string | undefined>
  /** The files that a prompt mentions. */
  readonly attach: (text: string, folder: string) => Promise<PromptFiles>
  /** Opens the text in the editor of the user; the terminal is free. */
  readonly edit: (text: string) => Promise<EditedText>
  readonly runShell: (command: string, folder: string, output: (text: string) => void) => RunningShell
}

export interface PromptFiles {
  readonly attachments: readonly Attachment[]
  /** For the model, one line each. */
  readonly notes: readonly string[]
  /** For the user. */
  readonly problems: readonly string[]
}

export type EditedText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "problem"; readonly message: string }

export interface RunningShell {
  /** Resolves with a line that says how it ended. */
  readonly ended: Promise<string>
  readonly stop: () => void
}
