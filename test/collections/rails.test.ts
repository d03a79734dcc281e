import { expect, test } from 'vitest'
import { Rails, unidentifiedChain } from '../../src/collections/rails.js'
import type { PayoutRail } from '../../src/payouts/ports.js'

// A freeze or a payout would keep the name, and the chain gets another one later.
test('a chain that no node has identified is not found by its name', () => {
  const chain = { name: unidentifiedChain } as PayoutRail
  const rails = new Rails({ test: { chain } })
  expect(rails.named(unidentifiedChain)).toBeUndefined()
  expect(rails.carrierOf({ mode: 'test', payoutBank: null }, 'crypto_transfer')).toBe(chain)
})
