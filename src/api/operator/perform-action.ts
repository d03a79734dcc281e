import { strict as assert } from 'node:assert'
import { type Clock, hour } from '../../base/clock.js'
import { inventoryOf } from '../../conversions/positions.js'
import { getEnvironment } from '../../merchants/environments.js'
import { formatMoney, parseMoney } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import { parseRate } from '../../money/rates.js'
import { assignPayment } from '../../operations/actions/assign-payment.js'
import {
  addStock,
  type CheckedStock,
  checkStock,
  takeStock,
} from '../../operations/actions/change-exchange.js'
import { setRate } from '../../operations/actions/change-rates.js'
import { creditBalance } from '../../operations/actions/credit-balance.js'
import {
  decideOpenPayout,
  type Queried,
  queryAttempt,
} from '../../operations/actions/decide-open-payout.js'
import type {
  ActionKind,
  ActionPayloads,
  ConsoleOperator,
  OperatorAction,
  Performance,
} from '../../operations/actions/operator-actions.js'
import { changeRailPause } from '../../operations/actions/pause-rail.js'
import type { OperatorParts } from './operator-parts.js'

type Tools = Pick<OperatorParts, 'db' | 'rails'> & { clock: Clock; operator: ConsoleOperator }

type Performers = { [Kind in ActionKind]: (payload: ActionPayloads[Kind]) => Performance }

const nothing = async () => undefined

/** What each action does. The audit line of its effect names who confirmed it. */
function performersOf({ db, rails, clock, operator }: Tools): Performers {
  const pause = (isPaused: boolean) => (payload: ActionPayloads['rail.pause']) => ({
    prepare: nothing,
    perform: async (tx: Parameters<Performance['perform']>[0]) => {
      await changeRailPause(tx, clock.now(), { ...payload, isPaused }, operator)
      return { rail: payload.rail, isPaused }
    },
  })
  return {
    'payout.decide': (payload) => ({
      prepare: () => queryAttempt(db, payload.reference, (work) => work(rails)),
      async perform(tx, queried) {
        const decision = { ...payload, queried: queried as Queried }
        const { status } = await decideOpenPayout(tx, clock.now(), decision, operator)
        return { reference: payload.reference, status }
      },
    }),
    'notice.assign': (payload) => ({
      prepare: nothing,
      async perform(tx) {
        await assignPayment(tx, clock.now(), payload, operator)
        return { id: payload.id, account: payload.account }
      },
    }),
    'rail.pause': pause(true),
    'rail.resume': pause(false),
    'balance.credit': (payload) => ({
      prepare: nothing,
      async perform(tx) {
        const { merchant, mode, asset, note, once } = payload
        const environment = await getEnvironment(tx, { merchant, mode })
        const amount = readProposedAmount(payload)
        const credit = { environment, asset, amount, note, once }
        const { reference, available } = await creditBalance(tx, clock.now(), credit, operator)
        return { reference, available: formatMoney(available, asset) }
      },
    }),
    'exchange.add': (payload) => {
      const { mode, asset, note } = payload
      const order = { mode, asset, amount: readProposedAmount(payload), note }
      return {
        prepare: () => checkStock(db, order, rails.solana[mode]),
        async perform(tx, prepared) {
          const checked = prepared as CheckedStock
          const position = await addStock(tx, clock.now(), { ...order, checked }, operator)
          return { inventory: formatMoney(inventoryOf(position), asset) }
        },
      }
    },
    'exchange.take': (payload) => ({
      prepare: nothing,
      async perform(tx) {
        const { mode, asset, note } = payload
        const order = { mode, asset, amount: readProposedAmount(payload), note }
        const position = await takeStock(tx, clock.now(), order, operator)
        return { inventory: formatMoney(inventoryOf(position), asset) }
      },
    }),
    'rate.set': ({ asset, forHours, ...payload }) => ({
      prepare: nothing,
      async perform(tx) {
        const [buy, sell] = [parseRate(payload.buy), parseRate(payload.sell)]
        assert(buy !== undefined && sell !== undefined, 'rates are checked when they are proposed')
        const heldMs = forHours === null ? undefined : forHours * hour
        const rate = { asset, buy, sell, heldMs, isConfirmed: true }
        const { expiresAt } = await setRate(tx, clock.now(), rate, operator)
        return { asset, expiresAt }
      },
    }),
  }
}

function readProposedAmount({ amount: text, asset }: { amount: string; asset: Asset }): bigint {
  const amount = parseMoney(text, asset)
  assert(typeof amount === 'bigint', 'amounts are checked when they are proposed')
  return amount
}

export function performanceOf(
  tools: Tools,
  { kind, payload }: Pick<OperatorAction, 'kind' | 'payload'>,
): Performance {
  const perform = performersOf(tools)[kind] as (payload: unknown) => Performance
  return perform(payload)
}
