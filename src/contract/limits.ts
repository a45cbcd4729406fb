// Limits that are used across folders. Where a limit is checked, exceeding it has a named outcome.
export const limits = {
  /** UTF-8 bytes of one prompt's text. */
  promptBytes: 1024 * 1024,
  /** How long a list of tools waits for extensions and MCP servers; those that load later are missing in it. Parents of the stdio child
   *  give it 5 s in all. */
  toolsListMs: 3000,
  /** Characters of a prompt that are looked through for files. */
  mentionsLength: 100_000,
  /** Prompts that wait in one session. */
  queuedPrompts: 1000,
  /** Prompt ids remembered for idempotent retries. */
  rememberedPrompts: 1000,
  /** UTF-8 bytes of one prompt's attachments, as base64. */
  attachmentBytes: 24 * 1024 * 1024,
  /** Bytes of all prompts that wait in one session. */
  queuedBytes: 64 * 1024 * 1024,
  /** Ended children and ends of turns that a session remembers. */
  rememberedChildren: 1000,
  rememberedTurns: 1000,
  /** Approvals remembered after their decision, so that a late answer learns who decided. */
  rememberedApprovals: 100,
  /** Characters of the arguments of one call, as JSON. A longer call is refused. */
  toolInputLength: 8 * 1024 * 1024,
  /** Characters of an answer to a question of the agent. */
  answerLength: 20_000,
  /** Visitors, verified visits and visits with a code that one session remembers. */
  rememberedVisits: 1000,
  /** Attempts per code, and how long a code is valid. */
  codeAttempts: 3,
  codeMs: 10 * 60 * 1000,
  /** Codes in an hour: to one mailbox, in one visit, for one caller and for one organisation. */
  codesPerContact: 5,
  codesPerVisit: 5,
  codesPerCaller: 20,
  codesPerOrg: 1000,
  /** Bytes of a tool's output that are stored; the rest is cut with a notice. */
  toolOutputBytes: 256 * 1024,
  /** Bytes of an image in a tool's result. As base64 it must not exceed 5 MiB, which Anthropic's API takes at most. */
  toolImageBytes: 3_900_000,
  /** Pixels of one side of such an image; providers refuse larger ones. */
  toolImagePixels: 8000,
  /** Characters of a tool's output that the model gets. */
  toolOutputForModel: 30_000,
  /** UTF-16 units of a running call's output: in one delta, and as the tail for a client that joins. Older ones are skipped. */
  liveOutputLength: 16 * 1024,
  /** How often new output of a running call is published. */
  liveOutputMs: 250,
  /** Background shells of one session; a further one is refused. */
  shells: 8,
  /** Bytes of a background shell's unread output. Older ones are left out with a notice. */
  shellOutputBytes: 128 * 1024,
  /** How long a cancelled tool may take to exit before its process group is killed. */
  killAfterMs: 1500,
  /** How often streaming text is checkpointed. */
  checkpointMs: 250,
  /** How long a result waits to be stored before watchers are notified. */
  stalledMs: 3000,
  /** Events after which a new snapshot is due. */
  snapshotEvery: 500,
  /** Share of a model's context window at which the context is compacted. */
  compactAt: 0.8,
  /** Answers in a row that may break off before the turn fails. */
  cutAnswers: 4,
  /** Answers in a row whose calls are all refused before the turn fails. */
  refusedSteps: 6,
  /** Calls of one answer. Those above it do not run, and the model gets one message about them. */
  callsPerAnswer: 128,
  /** Calls of one session that pass their gates or run at the same time. The others wait. */
  parallelCalls: 16,
  /** Characters of one answer: its texts and thoughts, and the arguments of its calls. It is cut off there. */
  answerTextLength: 24 * 1024 * 1024,
  answerInputLength: 16 * 1024 * 1024,
  /** Compactions for one model call that its provider refuses as too long. */
  compactionsPerStep: 4,
  /** Characters of a name, a model or a reason: they are stored in the directory. */
  nameLength: 1000,
  /** Other ids and names of one session. */
  aliases: 20,
  /** Tasks and checkpoints of one session. */
  tasks: 1000,
  marks: 100,
  /** Turns of one session that can be undone; files and sentences that the report of an undo lists. */
  undoTurns: 200,
  undoFiles: 200,
  undoSentences: 30,
  /** Child sessions that one host has open. */
  agents: 32,
  /** How often an open turn is adopted without progress, and how long ago it may have been left. */
  adoptions: 3,
  adoptionAgeMs: 60 * 60 * 1000,
  /** How long a host that stops waits for work that must not be cut off. */
  leaveMs: 30_000,
  /** An idle session without watchers is closed after this time. */
  idleSessionMs: 30 * 60 * 1000,
  /** A background host without an open session exits after this time. */
  idleHostMs: 10 * 60 * 1000,
  /** Sessions without a prompt are removed after this time. */
  emptySessionMs: 7 * 24 * 60 * 60 * 1000,
  /** How often a host looks for turns without an owner. */
  adoptEveryMs: 1000,
  leaseMs: 6000,
  leaseRenewMs: 2000,
  /** A node that has not renewed its lease for this long stops acting: its processes must be gone when the lease expires. */
  fenceMs: 4200,
  fenceCheckMs: 200,
  sessionDefaults: { stepsPerTurn: 200, depth: 5, children: 8 },
  /** Characters in the scope of a lock, as long as a path can be. Longer scopes are refused with `frame.bad`. */
  lockScopeLength: 4096,
  /** Sessions of the WebSocket API: model calls per turn, tokens per answer, messages that the model gets. */
  serviceStepsPerTurn: 20,
  serviceOutputTokens: 8192,
  serviceMessages: 50,
  /** Turns at one step of a workflow after which the next step begins in any case. */
  heldTurns: 3,
  /** Time and output of the judge of a workflow. */
  judgeMs: 20_000,
  judgeOutputTokens: 200,
} as const
