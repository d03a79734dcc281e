import { audit } from './audit'
import { balances } from './balances'
import { business } from './business'
import { collect } from './collect'
import { common } from './common'
import { developers } from './developers'
import { frame } from './frame'
import { home } from './home'
import { keys } from './keys'
import { notes } from './notes'
import { operator } from './operator'
import { payments } from './payments'
import { payouts } from './payouts'
import { settings } from './settings'
import { timeline } from './timeline'

/** Every word of the console. Each area has its own file. */
export const texts = {
  common,
  frame,
  home,
  payments,
  payouts,
  balances,
  collect,
  developers,
  business,
  timeline,
  keys,
  notes,
  settings,
  audit,
  operator,
}
