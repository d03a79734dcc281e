import type {
  AuthorizePaymentInput,
  AuthorizePaymentOutput,
  BigNumberInput,
  CancelPaymentInput,
  CancelPaymentOutput,
  CapturePaymentInput,
  CapturePaymentOutput,
  DeletePaymentInput,
  DeletePaymentOutput,
  GetPaymentStatusInput,
  GetPaymentStatusOutput,
  InitiatePaymentInput,
  InitiatePaymentOutput,
  PaymentProviderContext,
  ProviderWebhookPayload,
  RefundPaymentInput,
  RefundPaymentOutput,
  RetrievePaymentInput,
  RetrievePaymentOutput,
  UpdatePaymentInput,
  UpdatePaymentOutput,
  WebhookActionResult,
} from '@medusajs/framework/types'
import {
  AbstractPaymentProvider,
  MathBN,
  MedusaError,
  PaymentSessionStatus,
} from '@medusajs/framework/utils'
import { Manilla, ManillaError } from 'manilla'
import { toKobo } from './amounts.js'
import { Payments, type PaymentsOptions, Refused, type SessionData } from './payments.js'

export type ManillaOptions = PaymentsOptions & {
  /** `sk_test_…` or `sk_live_…`. */
  secretKey: string
  /** Address of your Manilla. */
  baseUrl: string
}

type Data = Record<string, unknown> | undefined

/** Payments by bank transfer, and in stablecoins, on Manilla's checkout page. */
export class ManillaProvider extends AbstractPaymentProvider<ManillaOptions> {
  static override identifier = 'manilla'
  readonly #payments: Payments

  static override validateOptions({ secretKey, webhookSecret, baseUrl }: ManillaOptions): void {
    for (const [name, value] of Object.entries({ secretKey, webhookSecret, baseUrl }))
      if (typeof value !== 'string' || value === '')
        throw new MedusaError(MedusaError.Types.INVALID_DATA, `manilla-medusa needs ${name}.`)
  }

  constructor(container: Record<string, unknown>, options: ManillaOptions) {
    super(container, options)
    const { secretKey, baseUrl } = options
    this.#payments = new Payments(new Manilla(secretKey, { baseUrl }), options)
  }

  async initiatePayment(input: InitiatePaymentInput): Promise<InitiatePaymentOutput> {
    const { data, context } = input
    const session = data?.session_id
    if (typeof session !== 'string') throw invalid('Medusa passed no payment session.')
    const order = { session, kobo: koboOf(input), customer: customerOf(context, data) }
    const idempotencyKey = `medusa-${session}`
    const created = await answer(() => this.#payments.create({ ...order, idempotencyKey }))
    return { id: created.data.reference, ...toMedusa(created) }
  }

  /** An amount of a checkout session is fixed, so another amount is another session. */
  async updatePayment(input: UpdatePaymentInput): Promise<UpdatePaymentOutput> {
    const kobo = koboOf(input)
    const known = readData(input.data)
    if (kobo === known.amount) return toMedusa(await answer(() => this.#payments.read(known)))
    const customer = customerOf(input.context, input.data)
    const replaced = await answer(async () => {
      await this.#payments.cancel(known)
      const idempotencyKey = `medusa-${known.session_id}-${kobo}-after-${known.reference}`
      return this.#payments.create({ session: known.session_id, kobo, customer, idempotencyKey })
    })
    return toMedusa(replaced)
  }

  async authorizePayment({ data }: AuthorizePaymentInput): Promise<AuthorizePaymentOutput> {
    return toMedusa(await answer(() => this.#payments.read(readData(data))))
  }

  async getPaymentStatus({ data }: GetPaymentStatusInput): Promise<GetPaymentStatusOutput> {
    return toMedusa(await answer(() => this.#payments.read(readData(data))))
  }

  async retrievePayment({ data }: RetrievePaymentInput): Promise<RetrievePaymentOutput> {
    const { data: found } = await answer(() => this.#payments.read(readData(data)))
    return { data: found }
  }

  /** A payment by bank transfer is captured when it arrives. */
  async capturePayment({ data }: CapturePaymentInput): Promise<CapturePaymentOutput> {
    const { status, data: found } = await answer(() => this.#payments.read(readData(data)))
    if (status === 'captured') return { data: found }
    throw new MedusaError(MedusaError.Types.NOT_ALLOWED, 'The customer has not paid yet.')
  }

  async cancelPayment({ data }: CancelPaymentInput): Promise<CancelPaymentOutput> {
    const { data: found } = await answer(() => this.#payments.cancel(readData(data)))
    return { data: found }
  }

  async deletePayment({ data }: DeletePaymentInput): Promise<DeletePaymentOutput> {
    // Medusa also deletes what could not be created.
    if (data?.reference === undefined) return { data: data ?? {} }
    return this.cancelPayment({ data })
  }

  async refundPayment(input: RefundPaymentInput): Promise<RefundPaymentOutput> {
    const idempotencyKey = input.context?.idempotency_key
    if (!idempotencyKey) throw invalid('Medusa passed no idempotency key for the refund.')
    const order = { kobo: toKoboOrRefuse(input.amount), idempotencyKey: `medusa-${idempotencyKey}` }
    const { data } = await answer(() => this.#payments.refund(readData(input.data), order))
    return { data }
  }

  async getWebhookActionAndData({
    rawData,
    headers,
  }: ProviderWebhookPayload['payload']): Promise<WebhookActionResult> {
    const heard = await this.#payments.hear(rawData, headers as Record<string, string>)
    if (heard.action === 'not_supported') return { action: 'not_supported' }
    const { action, session, naira } = heard
    return { action, data: { session_id: session, amount: naira } }
  }
}

const statuses = {
  requires_more: PaymentSessionStatus.REQUIRES_MORE,
  captured: PaymentSessionStatus.CAPTURED,
  canceled: PaymentSessionStatus.CANCELED,
}

function toMedusa({ status, data }: Awaited<ReturnType<Payments['read']>>) {
  return { status: statuses[status], data }
}

function koboOf({ amount, currency_code }: { amount: BigNumberInput; currency_code: string }) {
  if (currency_code.toLowerCase() !== 'ngn')
    throw invalid('Manilla collects naira. Use a region whose currency is NGN.')
  return toKoboOrRefuse(amount)
}

/** By way of text: floating-point numbers lose kobo. */
function toKoboOrRefuse(amount: BigNumberInput): number {
  try {
    return toKobo(MathBN.convert(amount).toFixed())
  } catch (error) {
    throw invalid(`The amount cannot be paid: ${(error as Error).message}`)
  }
}

/** Medusa knows customers who are signed in; storefronts pass `email` and `name` of guests. */
function customerOf(context: PaymentProviderContext | undefined, data: Data) {
  const { customer } = context ?? {}
  const email = customer?.email ?? data?.email
  if (typeof email !== 'string' || email === '')
    throw invalid('Pass the customer’s email in the data of the payment session.')
  const known = [customer?.first_name, customer?.last_name].filter(Boolean).join(' ')
  const name = known || customer?.company_name || data?.name
  return { email, name: typeof name === 'string' && name !== '' ? name : email }
}

function readData(data: Data): SessionData {
  if (typeof data?.reference !== 'string' || typeof data.session_id !== 'string')
    throw invalid('The payment session has no checkout session.')
  return data as SessionData
}

function invalid(message: string): MedusaError {
  return new MedusaError(MedusaError.Types.INVALID_DATA, message)
}

/** Medusa reports its own errors to callers, and hides all others. */
async function answer<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof Refused) throw new MedusaError(error.type, error.message)
    if (!(error instanceof ManillaError)) throw error
    // All else, such as a wrong key, is nothing that the customer can change.
    const isInput = [400, 409, 422].includes(error.status ?? 0)
    const { INVALID_DATA, UNEXPECTED_STATE } = MedusaError.Types
    const words = `${error.message} ${error.nextStep ?? ''}`.trim()
    throw new MedusaError(isInput ? INVALID_DATA : UNEXPECTED_STATE, words, error.code)
  }
}
