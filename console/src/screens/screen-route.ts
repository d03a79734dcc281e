import type { ComponentType } from 'react'
import type { Permission } from '../api/session'
import type { IconName } from '../parts/icons'

export type MenuGroup =
  | 'main'
  | 'developers'
  | 'business'
  | 'operator'
  | 'operatorMoney'
  | 'operatorSystem'

/** What waits for operators, as `GET /operator/v1/queues` counts it. */
export type QueueName = 'kyc' | 'notices' | 'payouts' | 'differences' | 'actions'

/** Kinds of `GET /v1/attention`, which the menu counts. */
export type AttentionKind =
  | 'approval'
  | 'held_payment'
  | 'payment_request'
  | 'endpoint_failing'
  | 'payout_review'
  | 'low_balance'
  | 'batch_approval'
  | 'case_overdue'
  | 'bank_account_waiting'
  | 'settlement_wallet_waiting'
  | 'settlement_destination_unconfirmed'
  | 'kyc'
  | 'second_factor'

/** One address of the console and the screen that it shows. */
export type ScreenRoute = {
  /** Below /console, with parameters such as `/payments/$reference`. */
  path: string
  /** Loads the screen when first visited: a module that exports `Screen`. */
  load: () => Promise<{ Screen: ComponentType }>
  /** Who may open it: a user with any of these. Absent: every user who is signed in. */
  permissions?: Permission[]
  menu?: {
    label: string
    icon: IconName
    group: MenuGroup
    /** The key after `g` that opens it. */
    goKey?: string
    /** Among the tabs at the bottom on phones. */
    isTab?: boolean
    /** A shorter label for the tab. */
    tabLabel?: string
    /** What its number counts. */
    counts?: AttentionKind[]
    /** The same in the operator's area. */
    queue?: QueueName
  }
  /** Shown without a menu around it, such as a receipt to print. */
  isBare?: boolean
}
