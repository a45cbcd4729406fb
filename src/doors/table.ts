// All doors of the program, one line each. The composition opens doors from here; a door's code is loaded with its
// first use.
import { defineDoor } from "./core/door.ts"

export const doors = {
  house: defineDoor({ title: "native API (house wire)", load: () => import("./house/door.ts") }),
  rpc: defineDoor({ title: "stdio child (synaps RPC)", load: () => import("./rpc/door.ts") }),
  ipc: defineDoor({ title: "session socket (brainwires IPC)", load: () => import("./ipc/door.ts") }),
  ws: defineDoor({ title: "WebSocket API (smooth-operator)", load: () => import("./ws/door.ts") }),
}
