import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createHome, removeHome } from '../support/program.js'
import { seededRandom } from '../support/seed.js'
import { Journal } from './journal.js'
import { JournalCallers } from './journal-callers.js'
import { takeTurn } from './mixed-operations.js'
import { identifyIn, type MixedSite } from './mixed-site.js'
import { operate } from './storm-loop.js'

// Nothing else would end the storm before its last kill.
test('the first failure of a caller ends all others, also those that wait for an answer', async () => {
  const connections = 8
  let received = 0
  const server = createServer((_request, response) => {
    received += 1
    // The others never get an answer.
    if (received === connections) response.writeHead(500).end('a defect')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const folder = createHome()
  onTestFinished(() => removeHome(folder))
  const { port } = server.address() as AddressInfo
  const site = { free: { secretKey: 'sk_test' }, wallets: ['wallet'] } as unknown as MixedSite
  const journal = new Journal(path.join(folder, 'journal.jsonl'))
  const callers = new JournalCallers({
    urls: [`http://127.0.0.1:${port}`],
    journal,
    identify: identifyIn(site),
    expectedRefusals: new Set(),
  })
  const random = {
    ...seededRandom('failing caller'),
    pick: <Item>(items: readonly Item[]) => items[0]!,
  }
  const operating = operate(
    { callers, connections, takeTurn: () => takeTurn({ site, callers, random }) },
    () => false,
  )
  await expect(operating).rejects.toThrow('a defect')
  expect(callers.underWay).toBe(0)
})
