/** Another process: commits events with a delivery each, and notifies workers as the API does. */
import { newId } from '../../dist/base/ids.js'
import { emitAll } from '../../dist/events/emit.js'
import { Database } from '../../dist/postgres/database.js'
import { notifyWorkers } from '../../dist/webhooks/deliveries/wake-ups.js'

const [url, environmentId] = process.argv.slice(2)
const db = new Database(url, () => {})
const notifier = notifyWorkers(db)
const now = new Date()
await db.transaction(async (tx) => {
  emitAll(tx, now, [
    {
      environmentId: Number(environmentId),
      type: 'payment.held',
      resourceId: newId(now),
      causeId: newId(now),
      sequence: 1,
      data: '{}',
    },
  ])
})
await notifier.stop()
await db.close()
