import Type from 'typebox'
import { notFound, outcomeUnknown, Refusal } from '../../base/refusal.js'
import { resource, signature, withDescription } from '../../base/shapes.js'
import { findWallet } from '../../collections/accounts/find-accounts.js'
import type { Coin } from '../../money/assets.js'
import { withReasons } from '../openapi/refusals-of.js'
import { readStablecoinAmount } from '../parse/read-coins.js'
import { closed, decimalInput, plainText, stablecoinInput } from '../parse/schemas.js'
import type { ApiParts } from '../pipeline/api-parts.js'
import { success } from '../server/envelope.js'
import { effectName } from '../server/request-name.js'
import { route } from '../server/route.js'

const address = Type.String({
  maxLength: 100,
  pattern: plainText,
  description: 'Address of one of your wallets.',
  examples: ['HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'],
})

const deposit = resource('TestDeposit', {
  signature: withDescription(
    signature,
    'Signature of the transaction, which any Solana client can fetch.',
  ),
  address,
  asset: stablecoinInput,
  amount: decimalInput,
})

export const depositCoins = (api: ApiParts) =>
  route({
    method: 'POST',
    path: '/v1/test/crypto-deposits',
    access: 'secret',
    isTestOnly: true,
    permission: 'collect.create',
    operation: 'depositTestCoins',
    summary: 'Send a test deposit',
    description:
      'Sends stablecoins to one of your wallets on the embedded chain, as a customer would. Responds once the transfer is in a block; it is credited when final, a few seconds later.',
    tag: 'Test mode',
    body: closed({ address, asset: stablecoinInput, amount: decimalInput }),
    answers: { 201: deposit },
    refusals: ['not_found', ...withReasons('account_action_failed', 'not_simulated')],
    async handle(request) {
      const { address: wallet, amount } = request.body
      const asset = request.body.asset as Coin
      const { localnetPayers, pollWalletSoon } = api.collections
      if (!localnetPayers) throw notSimulated()
      const account = await findWallet(api.db, request.environment.id, wallet)
      if (!account) throw notFound('wallet', wallet)
      const sent = await localnetPayers
        .deposit({
          key: `deposit-${effectName(request)}`,
          address: wallet,
          asset,
          amount: readStablecoinAmount(amount, asset),
        })
        .catch(chainUnavailable)
      await pollWalletSoon(account)
      return api.change(
        request,
        async () => ({ signature: sent, address: wallet, asset, amount }),
        (shown) => success(201, 'Deposit sent', shown),
      )
    },
  })

/** The deposit may have landed all the same; a retry with the same key does not send it twice. */
function chainUnavailable(error: Error): never {
  throw outcomeUnknown(
    `The embedded chain is not responding (${error.message}). The deposit may have been sent: retry with the same Idempotency-Key.`,
  )
}

function notSimulated(): Refusal {
  return new Refusal('account_action_failed', {
    reason: 'not_simulated',
    message: 'Test mode uses an external chain here. Send the deposit to the wallet yourself.',
  })
}
