/**
 * Payers whose pages listen, in a process of their own, so that what they cost is not counted as
 * what the server costs. Says when all are open, and when all have ended.
 */
import { get } from 'node:http'

/** Keeps their ports, while other tests search for free ones. */
const localAddress = process.platform === 'linux' ? '127.0.0.2' : undefined

process.once('message', ({ url, listeners }) => {
  const statuses = {}
  let open = 0
  let ended = 0
  for (const { reference, address } of listeners) {
    const headers = { 'x-forwarded-for': address }
    const path = `${url}/public/checkout/${reference}/stream`
    get(path, { agent: false, headers, localAddress }, (response) => {
      open += 1
      statuses[response.statusCode] = (statuses[response.statusCode] ?? 0) + 1
      if (open === listeners.length) process.send({ open: statuses })
      response.resume().on('close', () => {
        ended += 1
        if (ended === listeners.length) process.send({ ended })
      })
    })
  }
})
process.on('disconnect', () => process.exit(0))
