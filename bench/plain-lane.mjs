import { Database } from '../dist/postgres/database.js'

const connections = 16

/**
 * The twin: the same use case, the same statements, the same answers, but each request in a
 * transaction of its own on a pool of connections, as services are usually written.
 */
export function openPlainLanes(databaseUrl) {
  return ({ work }) => {
    const db = new Database(databaseUrl, () => {}, { size: connections })
    const turns = new Turns(connections)
    const stats = { calls: 0, batches: 0, halved: 0, retried: 0, unknown: 0 }
    return {
      stats,
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

/** Whoever waits for a connection of the pool gives up after some seconds; here nobody does. */
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
