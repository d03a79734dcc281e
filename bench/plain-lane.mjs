import { toLaneWork } from '../dist/http/keyed-lane.js'
import { Database } from '../dist/postgres/database.js'

const connections = 16

/**
 * The twin: the same use case, the same statements, the same answers, but each request in a
 * transaction of its own on a pool of connections, as services are usually written.
 */
export function createPlainLane(databaseUrl) {
  return (context, useCase) => {
    const work = toLaneWork(context, useCase)
    const db = new Database(databaseUrl, () => {}, connections)
    const stats = { calls: 0, batches: 0, halved: 0, retried: 0, unknown: 0 }
    return {
      stats,
      async run(call) {
        stats.calls += 1
        const [answer] = await db.transaction((tx) => work(tx, [call]))
        if (answer instanceof Error) throw answer
        return answer
      },
      close: () => db.close(),
    }
  }
}
