import path from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take more than about ten seconds, by their duration in a run of all. */
const longest = [
  'journeys/start',
  'console/screens',
  'docs/pages',
  'journeys/reconcile',
  'api/silent-database',
  'console/settings',
  'rails/contract/contract',
  'pages/store',
  'console/operator-screens',
  'console/payments',
  'pages/reference',
  'api/refusals',
  'console/payouts',
  'rails/fuzz/driver-fuzz',
  'collections/unreadable-histories',
  'console/approval-journey',
  'collections/proofs',
  'collections/lying-nodes',
  'console/permissions',
  'payouts/lying-nodes',
  'storms/kill-during-burst',
  'fuzz/fuzz',
  'postgres/embedded/server',
  'console/sign-in',
  'console/developers',
  'cli/events',
  'pages/checkout-states',
  'webhooks/deliver',
  'pages/checkout-updates',
  'pages/checkout-coins',
  'api/replica',
  'api/payments',
  'wallets/changed-chain',
  'simulation/sandbox-bank/notices',
  'pages/checkout-stories',
  'payouts/scenarios',
  'processes/api-processes',
  'collections/watching',
  'rails/solana/check',
  'simulation/localnet/durability',
  'payouts/endpoint-scenarios',
  'api/streams',
  'api/coin-returns',
  'payouts/cover-treasury',
  'sdk/package',
  'api/balances',
  'collections/wallets',
  'rails/solana/moves',
  'console/security',
  'api/refunds',
  'api/settle-crypto-transfers',
  'checkout/find-shown-payments',
]

const tests = path.resolve(import.meta.dirname, '..')

/** The slowest files start first, so that none runs alone at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const name = path.relative(tests, moduleId).replace(/\.test\.ts$/, '')
      const found = longest.indexOf(name)
      return found < 0 ? longest.length : found
    }
    return files.toSorted(
      (one, other) => place(one) - place(other) || (one.moduleId < other.moduleId ? -1 : 1),
    )
  }
}
