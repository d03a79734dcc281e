import { strict as assert } from 'node:assert'

export type PageAnswer = { status: number; text: string; headers: Headers }

async function post(url: string, fields: Record<string, string>): Promise<PageAnswer> {
  const answer = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams(fields),
    redirect: 'manual',
  })
  return { status: answer.status, text: await answer.text(), headers: answer.headers }
}

/** Opens the page of a claim. */
export async function openPage(url: string): Promise<PageAnswer> {
  const answer = await fetch(url)
  return { status: answer.status, text: await answer.text(), headers: answer.headers }
}

/** Fills in the form of the page, up to the question whether the account is the recipient's. */
export function enter(url: string, fields: Record<string, string>): Promise<PageAnswer> {
  return post(url, fields)
}

/** The sealed ticket in the question. */
export function ticketIn({ text }: PageAnswer): string {
  const ticket = /name="ticket" value="([^"]+)"/.exec(text)?.[1]
  assert(ticket, text)
  return ticket
}

export function confirm(url: string, ticket: string): Promise<PageAnswer> {
  return post(`${url}/confirm`, { ticket })
}

/** What a recipient does who makes no mistake. */
export async function claimMoney(url: string, fields: Record<string, string>): Promise<PageAnswer> {
  return confirm(url, ticketIn(await enter(url, fields)))
}
