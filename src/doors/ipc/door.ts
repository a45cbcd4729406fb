// The session socket as the door table lists it.
export { ipcErrors as errors } from "../../protocols/ipc/errors.ts"
export { ipcLimits as limits } from "../../protocols/ipc/limits.ts"
export { openIpcDoor as open } from "./ipc-door.ts"
