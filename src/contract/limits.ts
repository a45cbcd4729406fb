// Every bound of the engine with its name. A bound that is hit has a named outcome where it is checked.
export const limits = {
  /** UTF-8 bytes of one prompt's text. */
  promptBytes: 1024 * 1024,
  /** How long a list of tools waits for extensions; those that load later are missing in it. Parents of the stdio child
   *  give it 5 s in all. */
  toolsListMs: 3000,
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
  /** Approvals remembered after their decision, so that a late answer is told who decided. */
  rememberedApprovals: 100,
  /** Visitors, verified visits and visits with a code that one session remembers. */
  rememberedVisits: 1000,
  /** Wrong codes that are one too many, and how long a code counts. */
  codeAttempts: 3,
  codeMs: 10 * 60 * 1000,
  /** Codes in an hour: to one mailbox, in one visit, for one caller and for one organisation. */
  codesPerContact: 5,
  codesPerVisit: 5,
  codesPerCaller: 20,
  codesPerOrg: 1000,
  /** Bytes of a tool's output that are stored; the rest is cut with a notice. */
  toolOutputBytes: 256 * 1024,
  /** Characters of a tool's output that the model gets. */
  toolOutputForModel: 30_000,
  /** How long a cancelled tool may take to leave before its process group is killed. */
  killAfterMs: 1500,
  /** How often streaming text is checkpointed. */
  checkpointMs: 250,
  /** How long a result waits to be stored before watchers are notified. */
  stalledMs: 3000,
  /** Events after which a new snapshot is due. */
  snapshotEvery: 500,
  /** Share of a model's context window at which the context is compacted. */
  compactAt: 0.8,
  /** Answers in a row that may break off in the middle before the turn fails. */
  cutAnswers: 4,
  /** Compactions for one model call that its provider refuses as too long. */
  compactionsPerStep: 4,
  /** Characters of a name, a model or a reason: they stand in the directory. */
  nameLength: 1000,
  /** Ids and names by which others know one session. */
  aliases: 20,
  /** Tasks and named places that one session keeps. */
  tasks: 1000,
  marks: 100,
  /** Child sessions that one house has open. */
  agents: 32,
  /** How often an open turn is taken over without any progress in between, and how old it may be. */
  adoptions: 3,
  adoptionAgeMs: 60 * 60 * 1000,
  /** How long a host that leaves waits for what must not be cut off. */
  leaveMs: 30_000,
  /** A session in which nothing happens and that nobody watches is closed after this time. */
  idleSessionMs: 30 * 60 * 1000,
  /** A background host without an open session leaves after this time. */
  idleHostMs: 10 * 60 * 1000,
  /** Sessions in which nobody ever said anything are removed after this time. */
  emptySessionMs: 7 * 24 * 60 * 60 * 1000,
  /** How often a host looks for turns that nobody goes on with. */
  adoptEveryMs: 1000,
  leaseMs: 6000,
  leaseRenewMs: 2000,
  sessionDefaults: { stepsPerTurn: 200, depth: 5, children: 8 },
  /** Characters in the scope of a lock, as long as a path can be. Longer scopes are refused with `frame.bad`. */
  lockScopeLength: 4096,
  /** Sessions of the network door: model calls of a turn, tokens of an answer, messages that the model gets. */
  serviceStepsPerTurn: 20,
  serviceOutputTokens: 8192,
  serviceMessages: 50,
  /** Turns that stay at one step of a workflow before the next one begins all the same. */
  heldTurns: 3,
  /** How long the judge of a workflow may think, and how much it may say. */
  judgeMs: 20_000,
  judgeOutputTokens: 200,
} as const
