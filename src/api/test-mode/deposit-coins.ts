import Type from 'typebox'
import { notFound, Refusal } from '../../base/refusal.js'
import { findWallet } from '../../collections/find-accounts.js'
import type { Coin } from '../../money/assets.js'
import { resource, signature, withDescription } from '../../resources/shapes.js'
import type { ApiParts } from '../api-parts.js'
import { success } from '../edge/envelope.js'
import { toLateCall } from '../edge/keyed-lane.js'
import { readCoins } from '../edge/read-coins.js'
import { refusedAs } from '../edge/refusals-of.js'
import { requestName } from '../edge/request-name.js'
import { route } from '../edge/route.js'
import { closed, decimalInput, plainText, stablecoinInput } from '../edge/schemas.js'

const address = Type.String({
  maxLength: 100,
  pattern: plainText,
  description: 'Of a wallet of yours.',
  examples: ['HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'],
})

const deposit = resource('TestDeposit', {
  signature: withDescription(signature, 'Of the transaction, which any Solana client can look at.'),
  address,
  asset: stablecoinInput,
  amount: decimalInput,
})

/** A customer sends coins: a real transfer on the embedded chain, from a wallet of its own. */
export const depositCoins = (rooms: ApiParts) =>
  route({
    method: 'POST',
    path: '/v1/test/crypto-deposits',
    access: 'secret',
    isTestOnly: true,
    operation: 'depositTestCoins',
    summary: 'Send coins to a wallet as a customer would',
    description:
      'Makes a real transfer on the embedded chain. Answers when it is in a block; it is credited when it is final, some seconds later.',
    tag: 'Test mode',
    body: closed({ address, asset: stablecoinInput, amount: decimalInput }),
    answers: { 201: deposit },
    refusals: [
      'not_found',
      ...refusedAs('account_action_failed', 'not_simulated', 'rail_unavailable'),
    ],
    async handle(ask) {
      const { address: wallet, amount } = ask.body
      const asset = ask.body.asset as Coin
      const { coinCustomers, lookAtWallet } = rooms.collections
      if (!coinCustomers) throw notSimulated()
      const account = await findWallet(rooms.db, ask.environment.id, wallet)
      if (!account) throw notFound('wallet', wallet)
      const order = { address: wallet, asset, amount: readCoins(amount, asset) }
      const key = `deposit-${requestName(ask)}`
      const sent = await coinCustomers.deposit({ key, ...order }).catch(noAnswer)
      await lookAtWallet(account)
      return rooms.change(
        toLateCall(
          ask,
          async () => ({ signature: sent, address: wallet, asset, amount }),
          (shown) => success(201, 'Coins sent', shown),
        ),
      )
    },
  })

/** It may be there all the same: under the same key, it is there once. */
function noAnswer(error: Error): never {
  throw new Refusal('account_action_failed', {
    reason: 'rail_unavailable',
    message: `The embedded chain does not answer (${error.message}). Retry with the same key.`,
  })
}

function notSimulated(): Refusal {
  return new Refusal('account_action_failed', {
    reason: 'not_simulated',
    message: 'The chain of test mode is a real one here: send coins to the wallet yourself.',
  })
}
