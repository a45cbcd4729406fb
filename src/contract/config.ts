// The schema of the configuration file. Unknown keys are errors everywhere: a misspelt `deny` must not be ignored.
import { z } from "zod"
import { hookMatcher } from "./rules/hook-matcher.ts"
import { networkRule } from "./rules/network-rules.ts"
import { JsonValue, ThinkingLevel, ToolClass, ToolMode } from "./values.ts"

const globs = z.array(z.string().min(1))
const text = z.string().min(1)

/** A key, or where to read it when a call needs it. */
const ApiKey = z.union([
  text,
  z.strictObject({ command: z.array(text).min(1).describe("Command and arguments that print the key.") }),
  z.strictObject({ keychain: text.describe("Name of the service in the keychain (macOS) or secret service (Linux).") }),
])

const Provider = z.strictObject({
  type: z.enum(["anthropic", "openai", "google", "openai-compatible", "amazon-bedrock", "azure", "vertex"]),
  baseURL: text.optional(),
  apiKey: ApiKey.optional(),
  headers: z.record(text, z.string()).optional(),
  region: text.optional(),
  profile: text.optional().describe("Amazon Bedrock: a profile of AWS."),
  resourceName: text.optional().describe("Azure: the resource, in place of baseURL."),
  apiVersion: text.optional().describe("Azure: a dated version selects the addresses with deployments."),
  project: text.optional().describe("Vertex: the project of Google Cloud."),
  location: text.optional().describe("Vertex: a region, or global (default)."),
  login: z
    .strictObject({
      authorizeUrl: text.optional().describe("OAuth 2.0 with PKCE in the browser of this machine."),
      deviceUrl: text.optional().describe("OAuth 2.0 device authorization."),
      tokenUrl: text.optional(),
      clientId: text.optional().describe("Of your own registration at the provider."),
      scope: text.optional(),
    })
    .optional()
    .describe("How 'turnhouse login' gets a token for this provider."),
})

const DefinedTool = z.strictObject({
  description: text,
  input: z.record(z.string(), JsonValue).describe("JSON Schema of the input."),
  class: ToolClass,
  run: z
    .array(text)
    .min(1)
    .describe("Command and arguments; input as JSON on stdin, output on stdout, exit 0 or error."),
})

/** Which hosts the commands of tools can connect to. */
const Network = z.union([
  z.enum(["none", "all"]),
  z.strictObject({
    allow: z
      .array(z.string().max(260).regex(networkRule))
      .max(1000)
      .describe("Hosts, such as example.com, *.example.com or example.com:8443. A person is asked about others."),
  }),
])

const LanguageServer = z.strictObject({
  command: z.array(text).min(1).describe("Command and arguments of a server that speaks on stdin and stdout."),
  files: globs.min(1).describe("Globs of the files that it checks."),
  initializationOptions: JsonValue.optional().describe("Sent with its first request, as the server documents it."),
  settings: z.record(z.string(), JsonValue).optional().describe("What it gets when it asks for its configuration."),
  timeout: z.number().positive().max(60).optional().describe("Seconds that an edit waits for it; 10 by default."),
})

const Tools = z.strictObject({
  mode: ToolMode.optional(),
  allow: globs.optional().describe("Runs without asking, where the preset would ask."),
  confirm: globs.optional().describe("Asks the user who drives the session."),
  approve: globs.optional().describe("Asks a person with the role approve."),
  deny: globs.optional().describe("Never runs. Wins over everything."),
  endUser: globs.optional().describe("Needs a visitor with a verified contact (WebSocket API)."),
  admin: globs.optional().describe("Not for visitors of a public agent, even verified ones."),
  env: z.array(text).optional().describe("Environment variables that tools may see although they hold a secret."),
  envOnly: z.boolean().optional().describe("Tools see a small base set and what env names, nothing else."),
  sandbox: z.enum(["auto", "off", "require"]).optional(),
  network: Network.optional(),
  define: z.record(text, DefinedTool).optional(),
  format: z
    .record(text, z.array(text).min(1))
    .optional()
    .describe("Formatters by glob: command and arguments, to which the path of a changed file is added."),
  languageServers: z
    .record(text, LanguageServer)
    .optional()
    .describe("Language servers by name, whose diagnostics are added to the result of an edit."),
})

const HookCommand = z.strictObject({
  type: z.literal("command"),
  command: text.describe("A shell command; the event is JSON on its stdin."),
  timeout: z.number().positive().max(600).optional().describe("Seconds; 60 by default."),
})

const matcher = z.string().regex(hookMatcher)

const hookEntries = z.array(z.strictObject({ matcher: matcher.optional(), hooks: z.array(HookCommand) })).optional()

const Hooks = z.strictObject({
  PreToolUse: hookEntries.describe("Before a tool call; can block, change or ask for it."),
  PostToolUse: hookEntries.describe("After a tool call; can add to its result."),
  UserPromptSubmit: hookEntries.describe(
    "Before a prompt reaches the model; can refuse it, and what it prints is added.",
  ),
  Stop: hookEntries.describe("After the last answer of a turn."),
  SessionStart: hookEntries.describe("When a session opens; what it prints is added to the system prompt."),
  SessionEnd: hookEntries.describe("When a session closes."),
})

const McpServer = z.strictObject({
  type: z.enum(["stdio", "http", "streamable-http"]).optional().describe("Default: by command or url."),
  command: text.optional().describe("The program to start: a name in PATH, or a path."),
  args: z.array(z.string()).optional(),
  env: z.record(text, z.string()).optional().describe("Besides the environment of tools."),
  cwd: text.optional().describe("Where it runs. Default: the folder of the session."),
  url: text.optional().describe("The address of a server with Streamable HTTP."),
  headers: z.record(text, z.string()).optional(),
  oauth: z
    .strictObject({
      clientId: text.optional().describe("Default: the authorization server registers a client with each login."),
      clientSecret: text.optional(),
      scopes: z.array(text).optional().describe("Default: those that the server names."),
    })
    .optional()
    .describe("How turnhouse mcp login logs in at the server."),
  trust: z.boolean().optional().describe("The annotations of its tools count."),
  shared: z.boolean().optional().describe("One process for all sessions of a folder."),
  disabled: z.boolean().optional(),
  timeout: z.number().min(1).max(3600).optional().describe("Seconds for a call. Default 300."),
  startTimeout: z.number().min(1).max(3600).optional().describe("Seconds for the start. Default 30."),
})

const Web = z.strictObject({
  allowPrivate: z
    .array(text)
    .optional()
    .describe("Hosts that web_fetch may fetch although their address is not public, such as localhost:3000."),
  search: z
    .strictObject({
      provider: z.enum(["brave", "tavily", "exa", "serper", "searxng"]),
      apiKey: ApiKey.optional(),
      baseURL: text.optional().describe("Address of the service, if not its usual one. Required for searxng."),
    })
    .optional()
    .describe("The service of web_search. Default: the first whose key is in the environment."),
})

/** The steps of a conversation. That `next` names an existing step is checked separately. */
const Workflow = z.strictObject({
  goal: text.max(1000),
  steps: z
    .array(
      z.strictObject({
        id: text.max(64),
        intent: text.max(500).describe("What the agent is to do in this step."),
        criteria: text.max(1000).describe("When the step is done; a model judges it after every turn."),
        next: text.max(64).optional().describe("The step after it. Default: the one that follows in the list."),
        quickReplies: z.array(text.max(200)).max(4).optional().describe("Shown instead of those of the model."),
      }),
    )
    .min(1)
    .max(20),
})
export type Workflow = z.infer<typeof Workflow>

const Fallback = z.array(text).max(5)

const AgentProfile = z.strictObject({
  name: text.optional(),
  from: text
    .optional()
    .describe(
      "A named agent of yours, from a Markdown file: its instructions, model, thinking and tools are the defaults.",
    ),
  instructions: z.string().optional(),
  greeting: z.string().optional(),
  model: text.optional(),
  thinking: ThinkingLevel.optional().describe("Default: the level of all sessions."),
  fallback: Fallback.optional().describe("Default: the fallback models of all sessions."),
  models: z
    .array(text)
    .optional()
    .describe("Models that its visitors may choose with a message. Default: its own. Offline models never count."),
  tools: globs.optional().describe("Which tools it has. Shell and file tools only if their names stand here."),
  documents: z
    .array(text)
    .optional()
    .describe("Document sets in which it searches. Default: all documents that the visitor may find."),
  extensions: z.array(text).optional().describe("Which of the shared extensions work in its sessions."),
  visibility: z.enum(["public", "internal"]).optional(),
  preamble: text.optional().describe("A quick model that says one sentence before the answer begins."),
  workflow: Workflow.optional(),
  judge: text.optional().describe("The model that judges the steps of the workflow. Default: that of the turn."),
  embed: z.strictObject({ origins: z.array(text), key: text.optional(), org: text.optional() }).optional(),
})

const Server = z.strictObject({
  host: text.optional(),
  port: z.int().min(0).max(65535).optional(),
  auth: z
    .strictObject({
      mode: z.enum(["none", "jwt", "proxy"]),
      secret: text.optional(),
      publicKey: text.optional(),
      jwks: text.optional(),
      issuer: text.optional(),
      audience: text.optional(),
      anonymous: z.enum(["visitor", "refuse"]).optional(),
    })
    .optional(),
  origins: z.array(text).optional(),
  names: z.array(text).optional().describe("Host names under which it is called."),
  limits: z
    .strictObject({
      sockets: z.int().min(1).optional().describe("WebSockets of all callers together."),
      connections: z.int().min(1).optional().describe("WebSockets of one caller."),
      framesPerSecond: z.number().positive().optional(),
      sessionsPerHour: z.int().min(1).optional(),
      frameBytes: z.int().min(1024).optional(),
      messageCharacters: z.int().min(1).optional(),
      org: z
        .strictObject({
          turns: z.int().min(1).optional().describe("Turns that run at the same time, over all nodes of a cluster."),
          sessionsPerHour: z.int().min(1).optional(),
        })
        .optional()
        .describe("Of each organisation. Default: no limit."),
    })
    .optional(),
  tls: z.strictObject({ cert: text, key: text }).optional(),
  behindProxy: z.boolean().optional(),
  strictAgents: z.boolean().optional(),
})

export const Config = z
  .strictObject({
    $schema: z.string().optional(),
    model: text.optional(),
    thinking: ThinkingLevel.optional().describe("How much models think. Default: the provider's own."),
    fallback: Fallback.optional().describe("Models that continue a turn whose provider fails, in this order."),
    providers: z.record(text, Provider).optional(),
    system: z.string().optional(),
    tools: Tools.optional(),
    web: Web.optional(),
    mcpServers: z.record(text, McpServer).optional(),
    extensions: z
      .strictObject({
        paths: z.array(text).optional(),
        disabled: z.array(text).optional(),
        failClosed: z.array(text).optional(),
        shared: z.array(text).optional(),
      })
      .optional(),
    hooks: Hooks.optional().describe("Shell commands around tool calls and prompts, in the format of Claude Code."),
    guards: z.record(text, z.strictObject({ canary: z.strictObject({ tool: text, input: JsonValue }) })).optional(),
    ipc: z
      .strictObject({
        dir: text.optional().describe("Where the sockets of sessions lie. Default: sessions in the home."),
        brainwires: z.boolean().optional().describe("Put them where brainwires' own viewer looks for them."),
        newSessionOnce: z
          .boolean()
          .optional()
          .describe("After its first viewer a session takes only those that bring its token."),
        blockedCommands: z.array(text).optional().describe("Slash commands that viewers may not use."),
      })
      .optional(),
    knowledge: z
      .strictObject({
        autoRetrieve: z
          .int()
          .min(0)
          .max(20)
          .optional()
          .describe("Passages of documents that are looked up for every turn. Default 3; 0: none."),
        embeddings: text
          .optional()
          .describe("What finds documents by meaning besides words: off (default), or provider/model."),
        refresh: z
          .boolean()
          .optional()
          .describe("Whether a running host reads sources with a schedule again. Default true."),
      })
      .optional(),
    budget: z
      .strictObject({ usdPerTree: z.number().positive().optional(), tokensPerTree: z.int().positive().optional() })
      .optional(),
    limits: z
      .strictObject({
        stepsPerTurn: z.int().min(1).optional(),
        depth: z.int().min(0).optional(),
        children: z.int().min(0).optional(),
      })
      .optional(),
    notify: z
      .union([z.enum(["bell", "desktop", "off"]), z.strictObject({ command: z.array(text).min(1) })])
      .optional()
      .describe("How a terminal calls the user when a request waits or a long turn ends. Default: bell."),
    theme: text
      .optional()
      .describe(
        "Colours of the terminal: terminal (default), auto, dark, light, none, or a file in themes of the home.",
      ),
    approvals: z.strictObject({ wait: z.number().min(0).optional().describe("Seconds.") }).optional(),
    policy: z.strictObject({ taint: z.boolean().optional() }).optional(),
    agents: z.record(text, AgentProfile).optional(),
    skills: z.strictObject({ paths: z.array(text).optional() }).optional(),
    references: z
      .strictObject({
        enabled: z.boolean().optional().describe("Whether the model is told what it and the file point at."),
      })
      .optional(),
    instructions: z
      .strictObject({
        enabled: z.boolean().optional().describe("Whether the model gets AGENTS.md and CLAUDE.md."),
      })
      .optional(),
    locks: z.strictObject({ file: text.optional() }).optional(),
    events: z.strictObject({ wake: z.array(text).optional() }).optional(),
    server: Server.optional(),
    otp: z
      .strictObject({
        mode: z.enum(["after", "park"]).optional(),
        transport: z.union([
          z.strictObject({ type: z.literal("smtp"), url: text }),
          z.strictObject({ type: z.literal("log") }),
        ]),
        from: text.optional(),
      })
      .optional(),
    store: z
      .union([
        z.strictObject({ type: z.literal("sqlite") }),
        z.strictObject({ type: z.literal("postgres"), url: text }),
      ])
      .optional(),
    node: z
      .strictObject({
        name: text.optional().describe("Name of this node. Default: the hostname and a digest of the home."),
        labels: z
          .record(text, z.array(text))
          .optional()
          .describe("Folders that all nodes with the label have: their sessions can run on each of these nodes."),
      })
      .optional(),
    bus: z
      .union([z.strictObject({ type: z.literal("local") }), z.strictObject({ type: z.literal("nats"), url: text })])
      .optional(),
  })
  .meta({ title: "turnhouse.json" })
export type Config = z.infer<typeof Config>
