/**
 * The modules of src/, from the bottom up. A module imports from lower floors only, never from its
 * own: test/tidy.test.ts enforces it, and docs/modules.svg is drawn from this list.
 */
export const floors: { name: string; does: string }[][] = [
  [{ name: 'base', does: 'clock, ids, limits, refusals, secrets, config' }],
  [
    { name: 'postgres', does: 'transactions, lanes, due rows' },
    { name: 'money', does: 'amounts and assets' },
  ],
  [
    { name: 'audit', does: 'who did what, in chains' },
    { name: 'team', does: 'people, roles, sessions' },
  ],
  [
    { name: 'ledger', does: 'the books' },
    { name: 'events', does: 'facts' },
    { name: 'merchants', does: 'tenants and keys' },
    { name: 'idempotency', does: 'at most once' },
    { name: 'request-log', does: 'what was asked' },
    { name: 'mail', does: 'the outbox' },
    { name: 'screening', does: 'sanctioned wallets and names' },
  ],
  [
    { name: 'webhooks', does: 'endpoints and deliveries' },
    { name: 'rates', does: 'what a coin costs' },
    { name: 'subaccounts', does: 'sellers of a merchant' },
    { name: 'customers', does: 'who pays again and again' },
  ],
  [{ name: 'conversions', does: 'naira to coins and back' }],
  [{ name: 'payouts', does: 'money out' }],
  [{ name: 'collections', does: 'money in: accounts, notices, judge, payments' }],
  [
    { name: 'wallets', does: 'deposit wallets: derive, watch, sweep' },
    { name: 'cases', does: 'complaints, and what they are about' },
  ],
  [
    { name: 'timeline', does: 'what happened to a payment or payout' },
    { name: 'reports', does: 'sums by hour and day' },
  ],
  [{ name: 'checkout', does: 'sessions as payers see them' }],
  [{ name: 'rails', does: 'adapters to real chains and banks' }],
  [{ name: 'simulation', does: 'the embedded chain and the sandbox bank of test mode' }],
  [{ name: 'operations', does: 'actions, doctor, reconcile, proofs, metrics' }],
  [{ name: 'api', does: 'server, auth, routes, pages' }],
  [{ name: 'processes', does: 'main, serve, work, cli, compose' }],
]
