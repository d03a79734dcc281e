import { Api } from './api.mjs'

/** Enough for every operation of a long drill. */
const nairaCredit = 1_000_000_000n
const usdcCredit = 1_000_000n
const unitsPerUsdc = 1_000_000n
const koboPerNaira = 100n

/**
 * A merchant with money on both rails. Its USDC is also minted into the hot wallet, so that
 * `reconcile` compares equal sums.
 */
export async function createMerchant(service, chain) {
  const created = JSON.parse(await service.run('merchants', 'create', 'Drill', '--json'))
  const { reference, keys } = created
  const { key: secretKey } = keys.find(({ kind }) => kind === 'secret')
  const credit = (asset, amount) =>
    service.run(
      'balances',
      'credit',
      reference,
      '--mode',
      'test',
      '--asset',
      asset,
      '--amount',
      `${amount}`,
      '--note',
      'Start of the drill',
    )
  await chain.mint(usdcCredit * unitsPerUsdc)
  await credit('USDC', usdcCredit)
  await credit('NGN', nairaCredit)
  return {
    reference,
    secretKey,
    credits: { NGN: nairaCredit * koboPerNaira, USDC: usdcCredit * unitsPerUsdc },
    api: (onAttempt) => new Api(service.urls, secretKey, onAttempt),
  }
}
