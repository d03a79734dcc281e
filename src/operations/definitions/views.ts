import Type, { type TSchema } from 'typebox'
import { fromReference, type Prefix, toReference } from '../../base/ids.js'
import { resource } from '../../base/shapes.js'
import type { Cursor } from './definition.js'

/** Schemas that several views share. A view with a title becomes a type of the console. */

/** ISO 8601, in UTC. */
export const time = Type.String()
export const mode = Type.Enum(['test', 'live'], { title: 'Mode' })
export const asset = Type.Enum(['NGN', 'USDC', 'USDT'], { title: 'Asset' })
export const coin = Type.Enum(['USDC', 'USDT'], { title: 'Coin' })
/** Kobo as an integer, coins as a decimal text. */
export const amount = Type.Union([Type.Integer(), Type.String()], { title: 'Amount' })
export const assetAmount = resource('AssetAmount', { asset, amount })

export const byMode = <View extends TSchema>(view: View) => Type.Object({ test: view, live: view })

export const itemsOf = <View extends TSchema>(view: View) =>
  Type.Object({ items: Type.Array(view) })

/** An action that waits for another operator. */
export const waiting = resource('WaitingAction', {
  action: Type.String(),
  state: Type.Literal('WAITING'),
})

/** The cursor of a list by id, newest first. */
export function byReference(prefix: Prefix): Cursor<{ id: string }, string> {
  return {
    write: ({ id }) => ({ before: toReference(prefix, id) }),
    read: ({ before = '' }) => fromReference(prefix, before),
  }
}
