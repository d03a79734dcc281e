import { Api } from './api.mjs'
import { difference, subtract } from './multiset.mjs'

const lists = {
  crypto: '/v1/disbursements/crypto',
  bank: '/v1/disbursements/bank-transfer',
  account: '/v1/collections/virtual-accounts',
  payment: '/v1/collections/payments',
  wallet: '/v1/collections/crypto-wallets',
}

/** Compares the restored service with the responses before and after the point in time. */
export async function proveRestored({ service, chain, load, merchant, point }) {
  const api = new Api(service.urls, merchant.secretKey)
  const proofs = []
  for (const [kind, path] of Object.entries(lists))
    proofs.push(proveKind(kind, load.writesOf(kind), { listed: await api.list(path), point }))
  return [
    ...proofs,
    await proveVerified(service),
    await proveReconciled(service, { chain, api }),
    await proveNewWallet(api, load),
  ]
}

/** A write in flight at the point in time may exist or not. */
function proveKind(kind, writes, { listed, point }) {
  const references = listed.map(({ reference }) => reference)
  const before = writes.filter(({ endTimestamp }) => endTimestamp <= point.getTime())
  const after = writes.filter(({ firstSent }) => firstSent > point.getTime())
  const known = writes.map(({ data }) => data.reference)
  const isThere = new Set(references)
  const counts = `${before.length} before, ${after.length} after`
  return {
    claim: `Every write acknowledged before the point exists once, none after (${kind}: ${counts})`,
    found: [
      ...(after.length === 0 || before.length === 0 ? ['the load wrote too little'] : []),
      ...subtract(
        before.map(({ data }) => data.reference),
        references,
      ).map((reference) => `lost: ${reference}`),
      ...after
        .filter(({ data }) => isThere.has(data.reference))
        .map(({ data }) => `from the future: ${data.reference}`),
      ...subtract(references, known).map((reference) => `doubled or unknown: ${reference}`),
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
