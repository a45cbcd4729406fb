// Checks NATS by a link of this process to itself.
import { messageOf } from "../app-fault.ts"
import { busOf, clusterOf, type ClusterPlace } from "../cluster/cluster.ts"
import { ok, problem, warning, type Finding } from "./finding.ts"

const subject = "bus"
const SLOW_MS = 50
const PATIENCE_MS = 3000
const LINE_BYTES = 1024

export async function busFindings(place: ClusterPlace): Promise<readonly Finding[]> {
  const bus = await busOf(clusterOf(place), place.home)
  if (bus === undefined) {
    const what = "no bus is configured: sessions that run on other nodes cannot be reached from here"
    return [warning(subject, what, 'set "bus" to NATS, unless this is the only node')]
  }
  const self = `doctor-${process.pid}`
  try {
    const listener = await bus.listen(self, LINE_BYTES, () => () => {})
    const start = performance.now()
    const link = await bus.connect(self, LINE_BYTES, () => () => {}, PATIENCE_MS)
    const ms = performance.now() - start
    link.destroy()
    await listener.close()
    const what = `${bus.place} opens a link in ${ms.toFixed(1)} ms`
    return [ms < SLOW_MS ? ok(subject, what) : warning(subject, what, "streamed text of other nodes passes through it")]
  } catch (fault) {
    return [problem(subject, messageOf(fault), "check that NATS runs, its address, and the name and password")]
  } finally {
    await bus.close()
  }
}
