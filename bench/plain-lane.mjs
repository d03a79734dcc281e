import { Database } from '../dist/postgres/database.js'

const connections = 16

/**
 * The plain twin: the same use cases, statements and answers, but one transaction per request on a
 * connection pool, as services are usually written.
 */
export function openPlainLanes(databaseUrl) {
  return ({ work }) => {
    const db = new Database(databaseUrl, () => {}, { size: connections })
    const turns = new Turns(connections)
    const stats = { calls: 0, batches: 0, halved: 0, retried: 0, unknown: 0 }
    return {
      stats,
      times: { waitedMs: 0, ranMs: 0 },
      waiting: 0,
      async run(call) {
        stats.calls += 1
        await turns.take()
        const [answer] = await db
          .transaction((tx) => work(tx, [call]))
          .finally(() => turns.giveBack())
        if (answer instanceof Error) throw answer
        return answer
      },
      ping: async () => {},
      close: () => db.close(),
    }
  }
}

/** The pool's usual wait for a connection is too short under this load. */
class Turns {
  #free
  #waiting = []

  constructor(count) {
    this.#free = count
  }

  async take() {
    if (this.#free > 0) this.#free -= 1
    else await new Promise((resolve) => this.#waiting.push(resolve))
  }

  giveBack() {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free += 1
  }
}
