// Commands of the group "Serving".
import { flag, text, type Command } from "../command.ts"
import { configOptions, jsonOption, modelOption, noExtensionsOption, votingOptions } from "./shared-options.ts"

export const serving: readonly Command[] = [
  {
    name: "serve",
    acts: true,
    summary: "Serve the WebSocket API (/ws) and the native API (/house)",
    options: {
      host: text("H", "Address to listen on. Default: 127.0.0.1."),
      port: text("P", "Port; 0 selects a free one. Default: 8787.", { short: "p" }),
      grace: text("T", "How long running turns may continue at shutdown. Default: 30s."),
      quiet: flag("Do not log requests.", { short: "q" }),
      ...noExtensionsOption,
      ...configOptions,
    },
    details: [
      "Prints 'listening on http://H:PORT' when it accepts connections.",
      "An address that other machines can reach requires server.auth (see docs/identity.md) and should use server.tls or a",
      "proxy. /healthz, /readyz and /metrics are for monitoring, /admin for programs with a token.",
      "On SIGTERM or Ctrl-C running turns finish, and turns that wait for approval are kept for the next host; a second",
      "signal exits at once.",
    ].join("\n"),
    load: () => import("./serving/serve.ts"),
  },
  {
    name: "link",
    acts: true,
    summary: "Create a share link (watch, drive or approve)",
    options: {
      role: text("R", "watch (default), drive or approve; drive and approve include watch."),
      session: text("ID", "Only for this session. Default: all sessions.", { short: "s" }),
      door: text("D", "house (default), or ws for a visitor of the session over /ws."),
      for: text("T", "How long the link is valid, such as 30m or 7d. Default: 1h."),
      url: text("URL", "Public address of the server. Default: the address it listens on."),
      ls: flag("List valid links."),
      revoke: text("ID", "Revoke a link; its clients are disconnected at once."),
      ...jsonOption,
      ...configOptions,
    },
    details: [
      "Prints the address of the native API of 'turnhouse serve' with a key in it, for HouseClient.connect. A key for all",
      "sessions also opens /metrics. The address contains the key: treat it like a password.",
    ].join("\n"),
    load: () => import("./serving/link.ts"),
  },
  {
    name: "rpc",
    acts: true,
    summary: "Run as a synaps RPC v1 child on stdin/stdout",
    options: {
      continue: text("ID", "Continue this session (id, name or alias)."),
      system: text("TEXT_OR_FILE", "System prompt of a new session.", { short: "s" }),
      ...modelOption,
      extended: flag("Add frames for approvals and for messages during a turn."),
      patience: text("T", "How long a turn may continue after shutdown. Default: 3s."),
      "error-window": text("T", "How long after a prompt its failure is also sent as an error. Default: 55s."),
      ...noExtensionsOption,
      ...configOptions,
    },
    load: () => import("./serving/rpc.ts"),
  },
  {
    name: "agent",
    acts: true,
    summary: "Host one session in the foreground, with its session socket",
    positionals: "[ID]",
    options: {
      model: text("M", "Model of a new session, as provider/model."),
      parent: text("P", "Make it a sub-agent of this session; it runs in the parent's host."),
      "spawn-reason": text("R", "Purpose of the sub-agent, shown in the agent tree."),
      ...votingOptions,
      ...noExtensionsOption,
      ...configOptions,
      json: flag('Print {"id", "socket"} when it is ready.'),
    },
    details: [
      "ID is a session of this home (id, name or alias) that no other process has open. Any other ID creates a session with",
      "that alias, and its socket has that name too. Without ID: a new session. The command exits when the session ends.",
      "SIGTERM and Ctrl-C hand the session over to the next host, with an open turn if there is one.",
    ].join("\n"),
    load: () => import("./serving/agent.ts"),
  },
  {
    name: "host",
    acts: true,
    summary: "Run the background host; other commands start it when needed",
    options: {
      stop: flag("Ask the running host to exit, and wait until it has."),
      replace: flag("Replace the running host; no turn is lost."),
      "close-after": text("T", "Close sessions that are idle for T. Default: 30m."),
      "leave-after": text("T", "Exit after T without an open session. Default: 10m."),
      deaths: text("N", "Number of hosts that died in a row before this one."),
    },
    details: "On SIGTERM it hands its sessions over; work that must not be interrupted finishes first.",
    load: () => import("./serving/host.ts"),
  },
]
