// The numbers of synaps RPC v1, apart from the schemas so that both sides get them without loading those.
export const rpcVersion = 1

/** Bytes of one command, without its line end. */
export const maxFrameBytes = 1024 * 1024
