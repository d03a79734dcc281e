import { Api } from './api.mjs'
import { query } from './archived-postgres.mjs'
import { difference, subtract } from './multiset.mjs'

const lists = {
  crypto: '/v1/disbursements/crypto',
  bank: '/v1/disbursements/bank-transfer',
  account: '/v1/collections/virtual-accounts',
  payment: '/v1/collections/payments',
  wallet: '/v1/collections/crypto-wallets',
}

/** Compares the restored service with the responses before and after the point in time. */
export async function proveRestored({ service, restored, chain, load, merchant, point }) {
  const api = new Api(service.urls, merchant.secretKey)
  const proofs = []
  for (const [kind, path] of Object.entries(lists))
    proofs.push(proveKind(kind, load.writesOf(kind), { listed: await api.list(path), point }))
  return [
    ...proofs,
    await proveBankPayments(restored, { api, load, point }),
    await proveVerified(service),
    await proveReconciled(service, { chain, api }),
    await proveNewWallet(api, load),
  ]
}

/**
 * A payment that was under way at the point is booked after the restore, under a new reference: the
 * bank, which has the money, repeats its notice. Only the bank's own name of it stays the same.
 */
function nameOf(kind, { reference, sessionId }) {
  return kind === 'payment' ? sessionId : reference
}

/** A write in flight at the point in time may exist or not. */
function proveKind(kind, writes, { listed, point }) {
  const names = listed.map((item) => nameOf(kind, item))
  const before = writes.filter(({ endTimestamp }) => endTimestamp <= point.getTime())
  const after = writes.filter(({ firstSent }) => firstSent > point.getTime())
  const known = writes.map(({ data }) => nameOf(kind, data))
  const isThere = new Set(names)
  const counts = `${before.length} before, ${after.length} after`
  return {
    claim: `Every write acknowledged before the point exists once, none after (${kind}: ${counts})`,
    found: [
      ...(after.length === 0 || before.length === 0 ? ['the load wrote too little'] : []),
      ...subtract(
        before.map(({ data }) => nameOf(kind, data)),
        names,
      ).map((name) => `lost: ${name}`),
      ...after
        .filter(({ data }) => isThere.has(nameOf(kind, data)))
        .map(({ data }) => `from the future: ${data.reference}`),
      ...subtract(names, known).map((name) => `doubled or unknown: ${name}`),
    ],
  }
}

/** What the restored bank holds is booked once, also what was under way at the point. */
async function proveBankPayments({ url }, { api, load, point }) {
  const atBank = await query(url, 'select session_id from sandbox_payments')
  const booked = await api.list(lists.payment)
  const byReference = new Set(load.writesOf('payment').map(({ data }) => data.reference))
  const again = booked.filter(({ reference }) => !byReference.has(reference))
  return {
    claim: `Every payment that the bank has is booked once (${atBank.length}, ${again.length} of them under way at the point)`,
    found: [
      ...difference(
        atBank.map(({ sessionId }) => sessionId),
        booked.map(({ sessionId }) => sessionId),
      ),
      ...again
        .filter(({ receivedAt }) => new Date(receivedAt) > point)
        .map(({ reference }) => `received after the point: ${reference}`),
    ],
  }
}

async function proveVerified(service) {
  const { code, out, err } = await service.check('verify-ledger')
  return { claim: 'manilla verify-ledger is clean', found: code === 0 ? [] : [out, err] }
}

/** Payouts that the chain executed and the restored ledger lacks: step 5 of the documentation. */
async function proveReconciled(service, { chain, api }) {
  const restored = (await api.list(lists.crypto)).map(({ reference }) => reference)
  const forgotten = subtract(await chain.listMemos(), restored)
  const { out } = await service.check('reconcile', '--json')
  // The sandbox bank is restored with the ledger, so only the chain has later payouts.
  const { differences } = JSON.parse(out).rails.find(({ rail }) => rail.startsWith('solana'))
  const named = differences
    .filter(({ kind }) => kind === 'not_in_books')
    .map(({ atRail }) => /memo (\S+)$/.exec(atRail)?.[1] ?? atRail)
  return {
    claim: `manilla reconcile names every payout sent after the point (${forgotten.length})`,
    found: difference(forgotten, named),
  }
}

/** A wallet opened after the restore must not get the address of one that the backup forgot. */
async function proveNewWallet(api, load) {
  const { text } = await api.write(lists.wallet, 'after the restore', {
    merchantReference: 'after the restore',
    asset: 'USDC',
    network: 'SOLANA',
    amount: '1',
  })
  const { address } = JSON.parse(text).data
  const givenOut = load.writesOf('wallet').map(({ data }) => data.address)
  return {
    claim: `A new wallet gets an address that was never given out (${givenOut.length} were)`,
    found: givenOut.includes(address) ? [address] : [],
  }
}
